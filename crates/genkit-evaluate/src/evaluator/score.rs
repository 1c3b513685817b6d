//! Scores: the results of an evaluator for a data point.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A score: a number, a string or a boolean, with an optional pass or fail status.
///
/// ```
/// use genkit::evaluate::{EvalStatus, Score};
///
/// let score = Score::new(0.75).with_status(EvalStatus::Pass).with_reasoning("three of four");
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

/// The status of a score: pass, fail or unknown.
///
/// ```
/// use genkit::evaluate::EvalStatus;
///
/// assert_eq!(serde_json::to_value(EvalStatus::from_bool(true)).unwrap(), "PASS");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum EvalStatus {
    /// The output passes.
    Pass,
    /// The output fails.
    Fail,
    /// The status is unknown.
    #[serde(other)]
    Unknown,
}

impl EvalStatus {
    /// Returns `Pass` if `yes` is true, and `Fail` otherwise.
    pub fn from_bool(yes: bool) -> Self {
        if yes { Self::Pass } else { Self::Fail }
    }

    /// Returns `Pass` if `yes` is true, and `Fail` otherwise.
    #[deprecated(note = "renamed to `from_bool`")]
    pub fn passed(yes: bool) -> Self {
        Self::from_bool(yes)
    }
}

impl Score {
    /// Creates a score with this value: a number, a string, `true` or `false`.
    pub fn new(value: impl Into<Value>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// Creates a score with this value.
    #[deprecated(note = "renamed to `new`")]
    pub fn of(value: impl Into<Value>) -> Self {
        Self::new(value)
    }

    /// Creates a boolean score. The status is `Pass` if `yes` is true, and `Fail` otherwise.
    pub fn passed(yes: bool) -> Self {
        Self::new(yes).with_status(EvalStatus::from_bool(yes))
    }

    /// Creates a score without a value for a data point that could not be judged, with the reason.
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }

    /// Sets the status: pass, fail or unknown.
    #[must_use]
    pub fn with_status(mut self, status: EvalStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the id, for an evaluator that returns several scores.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the reasoning for the score.
    #[must_use]
    pub fn with_reasoning(self, why: impl Into<String>) -> Self {
        self.with_detail("reasoning", why.into())
    }

    /// Adds a detail.
    #[must_use]
    pub fn with_detail(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.details.insert(key.into(), value.into());
        self
    }

    /// Returns the id, which distinguishes several scores of one evaluator.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the value.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Returns the value as a number. `true` is 1 and `false` is 0.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value.as_ref()? {
            Value::Bool(yes) => Some(f64::from(u8::from(*yes))),
            other => other.as_f64(),
        }
    }

    /// Returns the status, if the evaluator set it.
    pub fn status(&self) -> Option<EvalStatus> {
        self.status
    }

    /// Returns the error that prevented a score.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns the reasoning for the score.
    pub fn reasoning(&self) -> Option<&str> {
        self.details.get("reasoning")?.as_str()
    }

    /// Returns all details.
    pub fn details(&self) -> &Map<String, Value> {
        &self.details
    }
}

/// A type that an evaluator can return for a data point: one [`Score`] or several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a score",
    label = "not a score",
    note = "return `Score::new(0.5)`, `Score::passed(true)` or a list of them"
)]
pub trait IntoScores {
    /// Returns the scores in order.
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
