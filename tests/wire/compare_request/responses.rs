//! The body of a call to the Responses API, normalized for comparison.

use serde_json::{Map, Value, json};

use super::schema::{canonical, in_words};
use super::{json_of, leave_out_usual, prune};

/// Requests thoughts that can be returned later if nothing is stored.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// Returns the body without the parts that may differ from `other`.
pub fn normal(body: &Value, other: &Value) -> Value {
    let Value::Object(mut body) = prune(body) else { return Value::Null };
    let input = match body.remove("input").unwrap_or_default() {
        Value::String(text) => json!([{"role": "user", "content": text}]),
        list => list,
    };
    let mut items = Vec::new();
    for item in input.as_array().into_iter().flatten() {
        match item["type"].as_str().unwrap_or("message") {
            "message" => {
                let role = if item["role"] == "developer" {
                    json!("system")
                } else {
                    item["role"].clone()
                };
                let content = content(&item["content"]);
                if role == "system" && items.is_empty() && !body.contains_key("instructions") {
                    let text: String =
                        content.iter().filter_map(|part| part["text"].as_str()).collect();
                    body.insert("instructions".to_owned(), text.into());
                } else {
                    items.push(json!(["message", role, content]));
                }
            }
            "function_call" => {
                let arguments = json_of(item["arguments"].clone());
                items.push(json!(["function_call", item["call_id"], item["name"], arguments]));
            }
            "function_call_output" => {
                let output = match &item["output"] {
                    parts @ Value::Array(_) => content(parts).into(),
                    text => json_of(text.clone()),
                };
                items.push(json!(["function_call_output", item["call_id"], output]));
            }
            _ => {
                let mut item = item.as_object().cloned().unwrap_or_default();
                item.remove("status");
                if item.get("content").is_some_and(super::is_empty) {
                    item.remove("content");
                }
                items.push(Value::Object(item));
            }
        }
    }
    body.insert("input".to_owned(), Value::Array(items));
    // In a round of tool calls, thoughts that are not stored must be requested, so `store` and `include` belong
    // together.
    let stateless = body.remove("store") == Some(json!(false)) && body.contains_key("tools");
    if stateless && other["include"].is_null() && body.get("include") == Some(&json!([ENCRYPTED])) {
        body.remove("include");
    }
    body.remove("parallel_tool_calls");
    leave_out_usual(&mut body, json!("auto"));
    for tool in body.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(tool) = tool.as_object_mut().filter(|tool| tool.contains_key("name")) else {
            continue;
        };
        tool.remove("strict");
        let schema = tool.get("parameters").cloned().unwrap_or(json!({}));
        tool.insert("parameters".to_owned(), canonical(&in_words(&schema), false));
    }
    let format = body.get("text").map(|text| text["format"].clone()).unwrap_or_default();
    if format["type"] == "json_schema" {
        let schema = canonical(&in_words(&format["schema"]), false);
        body["text"]["format"] = json!({"type": "json_schema", "schema": schema});
    }
    Value::Object(body)
}

/// Returns the blocks of a message without the parts that may differ. A text is one block.
fn content(content: &Value) -> Vec<Value> {
    let blocks = match content {
        Value::String(text) => return vec![json!({"text": text})],
        Value::Array(blocks) => blocks,
        _ => return Vec::new(),
    };
    let free = ["type", "detail", "annotations", "filename"];
    let block = |block: &Value| -> Map<String, Value> {
        let fields = block.as_object().into_iter().flatten();
        let kept = fields.filter(|(key, _)| !free.contains(&key.as_str()));
        kept.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    blocks.iter().map(|one| Value::Object(block(one))).collect()
}
