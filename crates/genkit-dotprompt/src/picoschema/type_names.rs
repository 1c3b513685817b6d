//! The reserved words of Picoschema and of JSON Schema.

use serde_json::Value;

/// The built-in types, which cannot be the names of schemas.
pub(super) const SCALARS: [&str; 6] = ["any", "boolean", "integer", "null", "number", "string"];

/// Returns whether `key` is a keyword of JSON Schema that is unlikely to be the name of a field.
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

pub(super) fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
