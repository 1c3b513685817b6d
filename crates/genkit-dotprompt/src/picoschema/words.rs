//! The words of Picoschema and of JSON Schema.

use serde_json::Value;

/// The types that are no names of schemas.
pub(super) const SCALARS: [&str; 6] = ["any", "boolean", "integer", "null", "number", "string"];

/// A keyword of JSON Schema, which no field is likely to be called.
pub(super) fn is_keyword(key: &str) -> bool {
    key.starts_with('$')
        || matches!(
            key,
            "type"
                | "anyOf"
                | "oneOf"
                | "allOf"
                | "not"
                | "enum"
                | "const"
                | "items"
                | "properties"
                | "required"
                | "additionalProperties"
                | "patternProperties"
                | "description"
                | "title"
                | "default"
                | "examples"
                | "format"
                | "pattern"
        )
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
