//! Output formats and their names.

use serde::{Deserialize, Serialize};

/// Output format: what a model is asked to write.
///
/// ```
/// use genkit::Format;
///
/// assert_eq!(Format::Jsonl.as_str(), "jsonl");
/// assert_eq!(Format::Jsonl.content_type(), "application/jsonl");
/// assert_eq!(serde_json::to_value(Format::Array).unwrap(), "array");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Text, as it is.
    Text,
    /// One JSON value, most often an object.
    Json,
    /// A JSON array, of which each item can be used as soon as it is complete.
    Array,
    /// One word out of a list, without quotes.
    Enum,
    /// JSON objects, one on each line.
    Jsonl,
}

impl Format {
    /// The name in Genkit's JSON.
    ///
    /// ```
    /// assert_eq!(genkit::Format::Enum.as_str(), "enum");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Array => "array",
            Self::Enum => "enum",
            Self::Jsonl => "jsonl",
        }
    }

    /// The media type of the answer.
    ///
    /// ```
    /// assert_eq!(genkit::Format::Array.content_type(), "application/json");
    /// ```
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain",
            Self::Json | Self::Array => "application/json",
            Self::Enum => "text/enum",
            Self::Jsonl => "application/jsonl",
        }
    }

    /// The format of a name in Genkit's JSON.
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Text, Self::Json, Self::Array, Self::Enum, Self::Jsonl];
        all.into_iter().find(|format| format.as_str() == name)
    }
}
