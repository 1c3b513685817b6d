//! Questions as data: sent to the caller, and stored with a suspended call.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sample_request::SampleRequest;
use crate::context::capability::Capability;
use genkit_schema::internal::canonical::canonical;

/// A question with the key under which its answer arrives. This is also its stored form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub key: String,
    #[serde(flatten)]
    pub kind: QuestionKind,
}

/// The kind and content of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum QuestionKind {
    /// A form for the user.
    Elicitation { message: String, schema: Value },
    /// A page for the user to visit. The id identifies the visit and is not part of the question.
    ElicitUrl { message: String, url: String, id: String },
    /// An approval by the user.
    Approval { message: String },
    /// Any question to the caller of `generate`.
    Interrupt { metadata: Value },
    /// Text from the client's model. It is requested immediately and never stored.
    #[serde(skip)]
    Sampling(SampleRequest),
    /// The client's folders. They are requested immediately and never stored.
    #[serde(skip)]
    Roots,
}

impl QuestionKind {
    pub fn capability(&self) -> Capability {
        match self {
            Self::Elicitation { .. } | Self::Approval { .. } | Self::Interrupt { .. } => {
                Capability::Elicitation
            }
            Self::ElicitUrl { .. } => Capability::ElicitUrl,
            Self::Sampling(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    /// Returns the value of the metadata entry `interrupt`, which Genkit's developer tools show.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Interrupt { metadata: Value::Null } => Value::Bool(true),
            Self::Interrupt { metadata } => metadata.clone(),
            other => serde_json::to_value(other).unwrap_or(Value::Bool(true)),
        }
    }

    /// Returns the whole question as a canonical string. An answer is valid only for the question with this string.
    pub fn canonical_text(&self) -> String {
        let asked = match self {
            Self::Elicitation { message, schema } => json!(["elicitation", message, schema]),
            Self::ElicitUrl { message, url, .. } => json!(["elicitUrl", message, url]),
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
    /// Returns the text shown to the user. For an interrupt with an object, this is its `message`.
    pub fn message_text(&self) -> Option<&str> {
        match &self.kind {
            QuestionKind::Elicitation { message, .. }
            | QuestionKind::ElicitUrl { message, .. }
            | QuestionKind::Approval { message } => Some(message),
            QuestionKind::Interrupt { metadata } => metadata.get("message")?.as_str(),
            QuestionKind::Sampling(_) | QuestionKind::Roots => None,
        }
    }

    /// Returns the schema of the form, if this is an elicitation.
    pub(crate) fn schema(&self) -> Option<&Value> {
        match &self.kind {
            QuestionKind::Elicitation { schema, .. } => Some(schema),
            _ => None,
        }
    }

    /// Returns the URL of the page to visit, if this is a URL elicitation.
    pub(crate) fn url(&self) -> Option<&str> {
        match &self.kind {
            QuestionKind::ElicitUrl { url, .. } => Some(url),
            _ => None,
        }
    }

    /// Returns the metadata of an interrupt.
    pub(crate) fn metadata(&self) -> Option<&Value> {
        match &self.kind {
            QuestionKind::Interrupt { metadata } => Some(metadata),
            _ => None,
        }
    }
}
