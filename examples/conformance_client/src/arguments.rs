//! Arguments for an unknown tool.

use genkit::serde_json::{Map, Value, json};

/// Returns an object with a value of the right type for each required property of the schema.
pub(crate) fn matching_arguments(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    Value::Object(required.map(|name| (name.to_owned(), value(name))).collect::<Map<_, _>>())
}
