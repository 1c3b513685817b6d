//! Documents for a model to base its response on.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::Part;

/// A document for a model to base its response on.
///
/// ```
/// use genkit::model::Document;
///
/// let document = Document::from("The shop opens at nine.").with_metadata("title", "Hours");
/// assert_eq!(document.content[0].as_text(), Some("The shop opens at nine."));
/// assert_eq!(document.metadata["title"], "Hours");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Document {
    /// The content: text and media.
    pub content: Vec<Part>,
    /// Metadata for the program. `ref`, `id` or `title` is used as the name of the document in the prompt.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Document {
    /// Creates a document from parts.
    pub fn new(content: impl IntoIterator<Item = Part>) -> Self {
        Self { content: content.into_iter().collect(), metadata: Map::new() }
    }

    /// Returns the text of all parts, joined by line breaks.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n")
    }

    /// Adds an entry to the metadata. `ref`, `id` or `title` is used as the name of the document in the prompt.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }
}

impl<T: Into<Part>> From<T> for Document {
    fn from(part: T) -> Self {
        Self::new([part.into()])
    }
}

impl schemars::JsonSchema for Document {
    fn schema_name() -> Cow<'static, str> {
        "Document".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A document: text and media, and data about them.",
            "type": "object",
            "properties": {
                "content": {"type": "array", "items": {"type": "object"}},
                "metadata": {"type": "object"},
            },
            "required": ["content"],
        })
    }
}
