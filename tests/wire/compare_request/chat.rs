//! The body of a chat completion, normalized for comparison.

use serde_json::{Map, Value, json};

use super::schema::{canonical, in_words};
use super::{json_of, leave_out_usual, prune};

/// Returns the body without the parts that may differ.
pub fn normal(body: &Value) -> Value {
    let Value::Object(mut body) = prune(body) else { return Value::Null };
    let messages = body.remove("messages").unwrap_or_default();
    let messages = messages.as_array().into_iter().flatten().filter_map(message).collect();
    body.insert("messages".to_owned(), Value::Array(messages));
    if let Some(limit) = body.remove("max_completion_tokens") {
        body.insert("max_tokens".to_owned(), limit);
    }
    for free in ["parallel_tool_calls", "store"] {
        body.remove(free);
    }
    leave_out_usual(&mut body, json!("auto"));
    if let Some(Value::Array(tools)) = body.get_mut("tools") {
        for function in tools.iter_mut().filter_map(|tool| tool["function"].as_object_mut()) {
            function.remove("strict");
            let schema =
                canonical(&in_words(function.get("parameters").unwrap_or(&json!({}))), false);
            function.insert("parameters".to_owned(), schema);
            if [json!({}), json!({"type": "object"})].contains(&function["parameters"]) {
                function.remove("parameters");
            }
        }
    }
    let format = body.get("response_format").cloned().unwrap_or_default();
    match format["type"].as_str() {
        Some("json_schema") => {
            let schema = json!({"json_schema": canonical(&in_words(&format["json_schema"]["schema"]), false)});
            body.insert("response_format".to_owned(), schema);
        }
        Some("text") => drop(body.remove("response_format")),
        _ => {}
    }
    Value::Object(body)
}

fn message(message: &Value) -> Option<Value> {
    let mut message = message.as_object()?.clone();
    if message.get("role") == Some(&json!("developer")) {
        message.insert("role".to_owned(), json!("system"));
    }
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut content = content(message.get("content").unwrap_or(&Value::Null));
    if role == "tool" {
        content = prune(&json_of(content));
    }
    let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
    let has_calls = calls.as_ref().is_some_and(|calls| !calls.is_empty());
    for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
        call.remove("index");
        let function = &mut call["function"];
        let arguments = function["arguments"].as_str().filter(|text| !text.is_empty());
        function["arguments"] = json_of(arguments.unwrap_or("{}").into());
    }
    if role == "assistant" && content == json!("") && !has_calls {
        return None;
    }
    message.insert("content".to_owned(), content);
    Some(Value::Object(message))
}

/// Blocks of text become one text; other blocks stay a list.
fn content(content: &Value) -> Value {
    let blocks: Vec<Map<String, Value>> = match content {
        Value::String(text) => vec![text_block(text)],
        Value::Array(list) => list.iter().filter_map(|block| block.as_object().cloned()).collect(),
        _ => Vec::new(),
    };
    let is_text = |block: &Map<String, Value>| block.get("type") == Some(&json!("text"));
    let blocks = blocks.into_iter().map(|mut block| {
        for (key, free) in [("image_url", "detail"), ("file", "filename")] {
            if let Some(Value::Object(inner)) = block.get_mut(key) {
                inner.remove(free);
            }
        }
        for free in ["citations", "detail"] {
            block.remove(free);
        }
        block
    });
    let blocks: Vec<_> = blocks.filter(|block| !(is_text(block) && block["text"] == "")).collect();
    if blocks.iter().all(is_text) {
        let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        return text.into();
    }
    blocks.into_iter().map(Value::Object).collect()
}

fn text_block(text: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("text")), ("text".to_owned(), json!(text))])
}
