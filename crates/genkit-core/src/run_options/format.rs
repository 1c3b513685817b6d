//! Output formats and their names.

use serde::{Deserialize, Serialize};

/// The output format that a model is instructed to use.
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
    /// Plain text.
    Text,
    /// One JSON value, usually an object.
    Json,
    /// A JSON array. Each item can be used as soon as it is complete.
    Array,
    /// One value of a list, without quotes.
    Enum,
    /// JSON objects, one on each line.
    Jsonl,
}

impl Format {
    /// Returns the name in Genkit's JSON.
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

    /// Returns the media type of the response.
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

    /// Returns the format with this name in Genkit's JSON.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Text, Self::Json, Self::Array, Self::Enum, Self::Jsonl];
        all.into_iter().find(|format| format.as_str() == name)
    }
}
