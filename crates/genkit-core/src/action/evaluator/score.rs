//! Scores: what an evaluator says of a data point.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A score: a number, a text or a yes or no, and whether that is a pass.
///
/// ```
/// use genkit::evaluate::{EvalStatus, Score};
///
/// let score = Score::of(0.75).with_status(EvalStatus::Pass).with_reasoning("three of four");
/// assert_eq!(serde_json::to_value(&score)?, serde_json::json!({
///     "score": 0.75, "status": "PASS", "details": {"reasoning": "three of four"},
/// }));
/// assert_eq!(Score::passed(false).status(), Some(EvalStatus::Fail));
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "score")]
    value: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<EvalStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    details: Map<String, Value>,
}

/// Status of a score: whether it is a pass.
///
/// ```
/// use genkit::evaluate::EvalStatus;
///
/// assert_eq!(serde_json::to_value(EvalStatus::passed(true)).unwrap(), "PASS");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum EvalStatus {
    /// A pass.
    Pass,
    /// A fail.
    Fail,
    /// Neither: nobody can tell.
    #[serde(other)]
    Unknown,
}

impl EvalStatus {
    /// A pass or a fail.
    pub fn passed(yes: bool) -> Self {
        if yes { Self::Pass } else { Self::Fail }
    }
}

impl Score {
    /// Score of that value: a number, a text, `true` or `false`.
    pub fn of(value: impl Into<Value>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// Score of a yes or no, which is a pass or a fail.
    pub fn passed(yes: bool) -> Self {
        Self::of(yes).with_status(EvalStatus::passed(yes))
    }

    /// Score of what could not be judged, with the reason.
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }

    /// Sets the status: whether it is a pass.
    #[must_use]
    pub fn with_status(mut self, status: EvalStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the id, where an evaluator gives several scores.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the reasoning: why the score is what it is.
    #[must_use]
    pub fn with_reasoning(self, why: impl Into<String>) -> Self {
        self.with_detail("reasoning", why.into())
    }

    /// Adds one more detail.
    #[must_use]
    pub fn with_detail(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.details.insert(key.into(), value.into());
        self
    }

    /// Id, where an evaluator gives several scores.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The value.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// The value as a number; of a yes or no, 1 or 0.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value.as_ref()? {
            Value::Bool(yes) => Some(f64::from(u8::from(*yes))),
            other => other.as_f64(),
        }
    }

    /// Status: whether it is a pass, where the evaluator says so.
    pub fn status(&self) -> Option<EvalStatus> {
        self.status
    }

    /// Error: why there is no score.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Reasoning: why the score is what it is.
    pub fn reasoning(&self) -> Option<&str> {
        self.details.get("reasoning")?.as_str()
    }

    /// All details.
    pub fn details(&self) -> &Map<String, Value> {
        &self.details
    }
}

/// Scores: what an evaluator gives for a data point, one [`Score`] or several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no score",
    label = "not a score",
    note = "return `Score::of(0.5)`, `Score::passed(true)` or a list of them"
)]
pub trait IntoScores {
    /// The scores, in their order.
    fn into_scores(self) -> Vec<Score>;
}

impl IntoScores for Score {
    fn into_scores(self) -> Vec<Score> {
        vec![self]
    }
}

impl IntoScores for Vec<Score> {
    fn into_scores(self) -> Vec<Score> {
        self
    }
}

impl<const N: usize> IntoScores for [Score; N] {
    fn into_scores(self) -> Vec<Score> {
        self.into()
    }
}
