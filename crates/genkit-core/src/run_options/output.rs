//! Structured output: what an answer must look like.

use serde::{Deserialize, Serialize};

use genkit_schema::Schema;

/// Structured output: what an answer must look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutputOptions {
    /// `text`, `json`, `array`, `enum`, `jsonl`; `json` where there is only a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The media type of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Whether instructions are added to the prompt, or which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Instructions>,
    /// The schema of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<Schema>,
    /// Whether the provider is to bind the answer to the schema. Default is yes, where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained: Option<bool>,
}

/// Output instructions: what the prompt says of the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Instructions {
    /// The format's own instructions always, or never.
    Use(bool),
    /// These.
    Text(String),
}

impl From<bool> for Instructions {
    fn from(yes: bool) -> Self {
        Self::Use(yes)
    }
}

impl From<&str> for Instructions {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Instructions {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
