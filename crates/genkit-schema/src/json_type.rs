//! JSON types, as schemas name them.

use serde_json::Value;

/// The types of values, each once.
pub fn types_of(values: &[Value]) -> Vec<&'static str> {
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
