//! Structured output: the required format of a response.

use serde::{Deserialize, Serialize};

use genkit_schema::Schema;

/// The output options: the format, schema and instructions of a response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutputOptions {
    /// The format: `text`, `json`, `array`, `enum` or `jsonl`. Default is `json` if there is a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The media type of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Whether to add the format's own instructions to the prompt, or custom instructions to add instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Instructions>,
    /// The schema of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<Schema>,
    /// Whether the provider should constrain the response to the schema. Default is `true`, if the provider supports
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained: Option<bool>,
}

/// Output instructions: the description of the output format in the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Instructions {
    /// `true` to always add the format's own instructions, `false` to never add them.
    Use(bool),
    /// Custom instructions.
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
