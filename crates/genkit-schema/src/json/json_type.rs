//! The names of JSON types in schemas.

use serde_json::Value;

/// Returns the distinct types of values.
pub fn list_types(values: &[Value]) -> Vec<&'static str> {
    let mut types = Vec::new();
    for value in values {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !types.contains(&name) {
            types.push(name);
        }
    }
    types
}
