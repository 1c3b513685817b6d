//! The body of the Messages API, normalized for comparison.

use serde_json::{Value, json};

use super::schema::canonical;
use super::{json_of, leave_out_usual, prune};

/// Returns the body without the parts that may differ.
pub fn normal(body: &Value) -> Value {
    let Value::Object(mut body) = prune(body) else { return Value::Null };
    // Any positive number is correct if the intent has none.
    if let Some(most) = body.get_mut("max_tokens") {
        *most = free_limit(most);
    }
    if let Some(system) = body.remove("system") {
        body.insert("system".to_owned(), blocks(&system));
    }
    let mut messages: Vec<Value> = Vec::new();
    for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let content = blocks(&message["content"]);
        match messages.last_mut() {
            Some(last) if last["role"] == message["role"] => {
                let more = content.as_array().into_iter().flatten().cloned();
                last["content"].as_array_mut().unwrap().extend(more);
            }
            _ => messages.push(json!({"role": message["role"], "content": content})),
        }
    }
    body.insert("messages".to_owned(), messages.into());
    if let Some(Value::Array(tools)) = body.get_mut("tools") {
        for tool in tools.iter_mut().filter(|tool| tool.get("input_schema").is_some()) {
            tool["input_schema"] = canonical(&tool["input_schema"], false);
        }
    }
    if let Some(schema) =
        body.get_mut("output_config").and_then(|it| it.pointer_mut("/format/schema"))
    {
        *schema = canonical(schema, false);
    }
    leave_out_usual(&mut body, json!({"type": "auto"}));
    Value::Object(body)
}

/// Treats all limits that clients set by default as equal.
fn free_limit(most: &Value) -> Value {
    if [4_096, 16_000].iter().any(|usual| most == usual) { json!(4_096) } else { most.clone() }
}

/// Normalizes content: a text becomes a list of one block, and the results of tools are parsed as JSON if possible.
fn blocks(content: &Value) -> Value {
    match content {
        Value::String(text) => json!([{"type": "text", "text": text}]),
        Value::Array(list) => list.iter().map(block).collect(),
        _ => json!([]),
    }
}

fn block(block: &Value) -> Value {
    let Some(mut block) = block.as_object().cloned() else { return block.clone() };
    if block.get("type") == Some(&json!("tool_result")) {
        let content = match block.remove("content") {
            Some(Value::Array(list)) => match &list[..] {
                [only] if only["type"] == "text" => only["text"].clone(),
                _ => blocks(&Value::Array(list)),
            },
            other => other.unwrap_or_default(),
        };
        block.insert("content".to_owned(), prune(&json_of(content)));
        if block.get("is_error") == Some(&json!(false)) {
            block.remove("is_error");
        }
    }
    Value::Object(block)
}
