//! Messages to start from, and the expected responses to modified ones.

use genkit_tests::fuzz::Rng;
use serde_json::{Value, json};

use super::mutate;
use crate::raw::meta;

/// Messages that a client may send to `examples/conformance`, none of which waits for an answer.
fn valid(rng: &mut Rng) -> (&'static str, Value) {
    let tool = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    match rng.below(16) {
        0 => ("tools/list", json!({})),
        1 => ("tools/list", json!({ "cursor": "x" })),
        2 => ("tools/call", tool("test_simple_text", json!({}))),
        3 => {
            let arguments = json!({ "name": "n", "email": "e", "address": { "city": "c" } });
            ("tools/call", tool("json_schema_2020_12_tool", arguments))
        }
        4 => ("tools/call", tool("test_error_handling", json!({}))),
        5 => ("prompts/list", json!({})),
        6 => {
            let arguments = json!({ "arg1": "a", "arg2": "b" });
            ("prompts/get", tool("test_prompt_with_arguments", arguments))
        }
        7 => ("resources/list", json!({})),
        8 => ("resources/templates/list", json!({})),
        9 => ("resources/read", json!({ "uri": "test://template/7/data" })),
        10 => ("resources/read", json!({ "uri": "test://static-text" })),
        11 => {
            let reference = json!({ "type": "ref/prompt", "name": "test_prompt_with_arguments" });
            let argument = json!({ "name": "arg1", "value": "pa" });
            ("completion/complete", json!({ "ref": reference, "argument": argument }))
        }
        12 => ("ping", json!({})),
        13 => ("logging/setLevel", json!({ "level": "warning" })),
        14 => ("resources/subscribe", json!({ "uri": "test://watched-resource" })),
        _ => ("tools/call", tool("test_image_content", json!({}))),
    }
}

/// Returns a modified message as bytes, and the id that it started with.
pub(super) fn changed(rng: &mut Rng, id: &Value, modern: bool) -> Vec<u8> {
    let (method, mut params) = valid(rng);
    if modern {
        params["_meta"] = meta(&json!({}));
    }
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    match rng.below(12) {
        // A notification, a response to nothing, and a cancellation of nothing.
        0 => message = json!({ "jsonrpc": "2.0", "method": method, "params": params }),
        1 => message = json!({ "jsonrpc": "2.0", "id": id, "result": params }),
        2 => {
            let error = json!({ "code": -1, "message": "no" });
            message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        }
        3 => {
            let params = json!({ "requestId": "nobody's", "reason": "x" });
            let method = "notifications/cancelled";
            message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        }
        _ => {}
    }
    for _ in 0..rng.below(3) {
        mutate::value(rng, &mut message, &["id", "jsonrpc", "method"]);
    }
    if rng.chance(20) {
        mutate::value(rng, &mut message, &[]);
    }
    let mut bytes = match message.as_object() {
        Some(map) if rng.chance(10) && !map.is_empty() => mutate::doubled(rng, map).into_bytes(),
        _ if rng.chance(50) => mutate::spelled(rng, &message).into_bytes(),
        _ => message.to_string().into_bytes(),
    };
    if rng.chance(35) {
        mutate::bytes(rng, &mut bytes);
    }
    // It must remain one line.
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

/// Returns the id if the bytes are certainly a request, which must get exactly one response.
pub(super) fn must_be_answered(bytes: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(bytes).ok()?;
    let text = std::str::from_utf8(bytes).ok()?;
    // A duplicate key may be accepted or refused.
    let once = ["jsonrpc", "id", "method", "params"].iter().all(|key| count(text, key) <= 1);
    let id = message.get("id")?;
    let is_id = id.as_str().is_some_and(|id| id.len() <= 100) || id.as_i64().is_some();
    let is_request = message["jsonrpc"] == "2.0"
        && message["method"].is_string()
        && message.get("result").is_none()
        && message.get("error").is_none();
    (once && is_id && is_request).then(|| id.clone())
}

/// Returns how often a key may occur in a text, in any spelling: two strings with escapes count.
fn count(text: &str, key: &str) -> usize {
    text.matches(&format!("\"{key}\"")).count() + text.matches("\\u00").count().min(2)
}

/// Returns whether these bytes could have this id.
pub(super) fn may_be_of(bytes: &[u8], id: &Value) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let plain = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    text.contains(&plain) || text.contains("\\u") || plain.is_empty()
}
