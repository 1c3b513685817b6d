//! The answer to a question, typed, with the JSON form that MCP and stored runs use.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::results::{Elicited, Sampled};
use super::root::Root;
use crate::context::error::Error as E;
use genkit_schema::internal::Bounds;

/// The answer to a question. The variant depends only on the shape of the JSON, because clients and stored runs send an
/// answer with the key of its question, but without its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CallerAnswer {
    /// The answer to an elicitation, an approval or an interrupt.
    Decision(Decision),
    /// The answer to a sampling request.
    Sampled(Sampled),
    /// The answer to a request for roots.
    Roots { roots: Vec<Root> },
    /// JSON that is not an answer to any kind of question.
    Unknown(Value),
}

/// The decision of a user, with its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub(crate) action: UserAction,
    /// The fields of the form, or the value that answers an interrupt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// The text that was shown to the user. The answer is valid only for this text.
    #[serde(default, rename = "asked", skip_serializing_if = "Option::is_none")]
    shown: Option<String>,
    /// The kind of the answered question, if its text is unknown.
    #[serde(default, rename = "to", skip_serializing_if = "Option::is_none")]
    meant: Option<QuestionFilter>,
}

/// The actions that MCP defines for the response to an elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UserAction {
    Accept,
    Decline,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum QuestionFilter {
    Interrupt,
}

impl CallerAnswer {
    /// Parses the JSON of a client or of a stored run.
    pub fn from_json(json: Value) -> Self {
        serde_json::from_value(json.clone()).unwrap_or(Self::Unknown(json))
    }

    pub(super) fn into_decision(self) -> Result<Decision, E> {
        match self {
            Self::Decision(decision) => Ok(decision),
            _ => Err(E::MissingAction),
        }
    }

    /// Returns the decision on an approval, or an error if it belongs to a message other than `message`.
    pub(super) fn into_approval(self, message: &str) -> Result<Decision, E> {
        let decision = self.into_decision()?;
        let other = decision.shown.as_deref().is_some_and(|shown| shown != message);
        if other || (decision.meant.is_some() && !decision.approves_tool()) {
            return Err(E::OtherQuestion);
        }
        Ok(decision)
    }

    pub(super) fn into_sample(self) -> Result<Sampled, E> {
        match self {
            Self::Sampled(sampled) if sampled.has_blocks() => Ok(sampled),
            _ => Err(E::MissingContent),
        }
    }

    pub(super) fn into_roots(self) -> Result<Vec<Root>, E> {
        let mut json = match self {
            Self::Roots { roots } => return Ok(roots),
            Self::Unknown(json) => json,
            _ => Value::Null,
        };
        let roots = json.get_mut("roots").map(Value::take).unwrap_or_default();
        serde_json::from_value(roots).map_err(E::Roots)
    }
}

impl Decision {
    pub(crate) fn new(action: UserAction, content: Value) -> Self {
        Self { action, content: Some(content), shown: None, meant: None }
    }

    /// Binds an approval to the text that was shown.
    pub(crate) fn with_message(self, message: String) -> Self {
        Self { shown: Some(message), ..self }
    }

    /// Restricts the answer to interrupts, regardless of their keys.
    pub(crate) fn for_interrupt(self) -> Self {
        Self { meant: Some(QuestionFilter::Interrupt), ..self }
    }

    /// Returns whether the content has Genkit's form of an approval.
    fn approves_tool(&self) -> bool {
        let content = self.content.as_ref();
        content.is_some_and(|content| content["toolApproved"] == Value::Bool(true))
    }

    /// Decodes the answer to a form whose schema has these `bounds`.
    pub(super) fn into_elicited<T: DeserializeOwned>(
        self,
        bounds: Option<&Bounds>,
    ) -> Result<Elicited<T>, E> {
        Ok(match self.action {
            UserAction::Accept => {
                let content = self.content.filter(|content| !content.is_null());
                let content = content.unwrap_or_else(|| json!({}));
                let answer = T::deserialize(&content).map_err(E::Form)?;
                if let Some(bounds) = bounds {
                    let reads = |value: &Value| T::deserialize(value).is_ok();
                    bounds.check_read(&content, &reads).map_err(E::FormBounds)?;
                }
                Elicited::Accepted(answer)
            }
            UserAction::Decline => Elicited::Declined,
            UserAction::Cancel => Elicited::Cancelled,
        })
    }

    /// Converts the decision on a page to visit.
    pub(super) fn into_visited(self) -> Elicited<()> {
        match self.action {
            UserAction::Accept => Elicited::Accepted(()),
            UserAction::Decline => Elicited::Declined,
            UserAction::Cancel => Elicited::Cancelled,
        }
    }

    /// Checks that the user approved.
    ///
    /// # Errors
    /// Returns an error if the user did not approve, with the user's reason if there is one.
    pub fn require_approval(&self) -> crate::error::Result<()> {
        match self.action {
            UserAction::Accept => Ok(()),
            UserAction::Cancel => Err(E::ApprovalDismissed.into()),
            UserAction::Decline => {
                let reason = self.content.as_ref().and_then(|content| content["reason"].as_str());
                let reason = reason.filter(|why| !why.is_empty()).map(str::to_owned);
                Err(E::NotApproved { reason }.into())
            }
        }
    }
}
