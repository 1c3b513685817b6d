//! Questions as data: they are sent, and stored with a suspended call.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sample_request::SampleRequest;
use crate::context::capability::Capability;
use genkit_schema::internal::canonical::canonical;

/// A question with the key that its answer comes under; also as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub key: String,
    #[serde(flatten)]
    pub kind: QuestionKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum QuestionKind {
    /// A form for the user.
    Elicitation { message: String, schema: Value },
    /// Yes or no from the user.
    Approval { message: String },
    /// Anything, for whoever called `generate`.
    Interrupt { metadata: Value },
    /// Text from the client's model; it is asked at once and never stored.
    #[serde(skip)]
    Sampling(SampleRequest),
    /// The client's folders; they are asked for at once and never stored.
    #[serde(skip)]
    Roots,
}

impl QuestionKind {
    pub fn capability(&self) -> Capability {
        match self {
            Self::Elicitation { .. } | Self::Approval { .. } | Self::Interrupt { .. } => {
                Capability::Elicitation
            }
            Self::Sampling(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    /// What Genkit's tools see under `interrupt`.
    pub fn shown(&self) -> Value {
        match self {
            Self::Interrupt { metadata: Value::Null } => Value::Bool(true),
            Self::Interrupt { metadata } => metadata.clone(),
            other => serde_json::to_value(other).unwrap_or(Value::Bool(true)),
        }
    }

    /// All that is asked, as one text: an answer is to this and nothing else.
    pub fn canonical(&self) -> String {
        let asked = match self {
            Self::Elicitation { message, schema } => json!(["elicitation", message, schema]),
            Self::Approval { message } => json!(["approval", message]),
            Self::Interrupt { metadata } => json!(["interrupt", metadata]),
            Self::Sampling(SampleRequest { messages, system, max_tokens, temperature, stop }) => {
                json!(["sampling", messages, system, max_tokens, temperature, stop])
            }
            Self::Roots => json!(["roots"]),
        };
        canonical(&asked)
    }
}

impl Question {
    /// What is asked, for people; what an interrupt gave as `message` where it gave an object.
    pub fn message(&self) -> Option<&str> {
        match &self.kind {
            QuestionKind::Elicitation { message, .. } | QuestionKind::Approval { message } => {
                Some(message)
            }
            QuestionKind::Interrupt { metadata } => metadata.get("message")?.as_str(),
            QuestionKind::Sampling(_) | QuestionKind::Roots => None,
        }
    }

    /// The schema of the form, where one is to be filled in.
    pub(crate) fn schema(&self) -> Option<&Value> {
        match &self.kind {
            QuestionKind::Elicitation { schema, .. } => Some(schema),
            _ => None,
        }
    }

    /// What an interrupt was given.
    pub(crate) fn metadata(&self) -> Option<&Value> {
        match &self.kind {
            QuestionKind::Interrupt { metadata } => Some(metadata),
            _ => None,
        }
    }
}
