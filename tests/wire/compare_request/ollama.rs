//! The body of a chat of Ollama, normalized for comparison.

use serde_json::{Value, json};

use super::schema::canonical;
use super::{json_of, prune};

/// Returns the body without the parts that may differ.
pub fn normal(body: &Value) -> Value {
    let Value::Object(mut body) = prune(body) else { return Value::Null };
    for message in body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(message) = message.as_object_mut() else { continue };
        message.remove("tool_call_id");
        if let Some(name) = message.remove("name") {
            message.insert("tool_name".to_owned(), name);
        }
        if message.get("role") == Some(&json!("tool")) {
            let content = message.remove("content").unwrap_or_default();
            message.insert("content".to_owned(), prune(&json_of(content)));
        }
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
            call.remove("id");
            call.remove("type");
            if let Some(Value::Object(function)) = call.get_mut("function") {
                function.remove("index");
            }
        }
    }
    for tool in body.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        let schema = canonical(&tool["function"]["parameters"], false);
        tool["function"]["parameters"] = schema;
    }
    if let Some(format @ Value::Object(_)) = body.get_mut("format") {
        *format = canonical(format, false);
    }
    for free in ["options", "tools"] {
        body.retain(|key, value| key != free || !super::is_empty(value));
    }
    Value::Object(body)
}
