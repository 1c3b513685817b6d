//! The kind of result that a schema describes.

use serde_json::Value;

/// The kind of result that a schema describes, which determines how the result is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultShape {
    /// No value, or always null.
    Nothing,
    /// Plain text.
    Text,
    /// A JSON object.
    Object,
    /// A number, a list, an enumeration or a choice.
    Other,
    /// Any JSON.
    Unknown,
}

impl ResultShape {
    /// Determines the kind from a portable schema, if there is one.
    pub(super) fn from_schema(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else {
            return Self::Nothing;
        };
        match schema.get("type").and_then(Value::as_str) {
            Some("null") => Self::Nothing,
            Some("string") if schema.get("enum").is_none() => Self::Text,
            Some("object") => Self::Object,
            Some(_) => Self::Other,
            None if accepts_anything(schema) => Self::Unknown,
            None => Self::Other,
        }
    }
}

/// Returns whether a schema accepts any value.
fn accepts_anything(schema: &Value) -> bool {
    const NOTES: [&str; 4] = ["title", "description", "$schema", "default"];
    match schema {
        Value::Object(map) => map.keys().all(|key| NOTES.contains(&key.as_str())),
        other => *other == Value::Bool(true),
    }
}
