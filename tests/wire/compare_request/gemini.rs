//! The body of a call to Gemini, normalized for comparison.

use serde_json::{Map, Value, json};

use super::schema::{canonical, subset};
use super::{is_empty, prune};

/// Arbitrary JSON, whose member names do not belong to the API.
const OPAQUE: [&str; 5] = ["args", "labels", "input", "arguments", "response"];

/// Returns the body without the parts that may differ.
pub fn normal(body: &Value) -> Value {
    let Value::Object(mut body) = camel(body) else { return Value::Null };
    body.remove("model");
    if let Some(system) = body.get_mut("systemInstruction") {
        *system = system["parts"].take();
    }
    for tool in list(&mut body, "tools") {
        let Some(functions) = tool["functionDeclarations"].as_array_mut() else { continue };
        for function in functions.iter_mut().filter_map(Value::as_object_mut) {
            function.remove("responseJsonSchema");
            function.remove("response");
            for key in ["parametersJsonSchema", "parameters"] {
                if function
                    .get(key)
                    .is_some_and(|it| is_empty(it) || *it == json!({"type": "object"}))
                {
                    function.remove(key);
                }
            }
        }
    }
    // The entries can be in any order.
    list(&mut body, "tools")
        .sort_by_key(|tool| tool.as_object().and_then(|tool| tool.keys().min().cloned()));
    let calling = &body.get("toolConfig").unwrap_or(&Value::Null)["functionCallingConfig"];
    if *calling == json!({ "mode": "AUTO" }) {
        body.remove("toolConfig");
    }
    let contents = list(&mut body, "contents").iter_mut().filter_map(content).collect();
    body.retain(|_, value| !is_empty(value));
    body.insert("contents".to_owned(), Value::Array(contents));
    Value::Object(body)
}

fn list<'a>(body: &'a mut Map<String, Value>, key: &str) -> &'a mut [Value] {
    body.get_mut(key).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}

fn content(content: &mut Value) -> Option<Value> {
    let parts: Vec<Value> = list(content.as_object_mut()?, "parts")
        .iter_mut()
        .filter_map(|part| self::part(part.as_object_mut()?))
        .collect();
    let role = match content["role"].as_str() {
        None | Some("function" | "tool") => "user",
        Some(role) => role,
    };
    (!parts.is_empty()).then(|| json!([role, parts]))
}

fn part(part: &mut Map<String, Value>) -> Option<Value> {
    let is_set = |key: &str| {
        part.get(key).is_some_and(|value| *value != json!("") && *value != json!(false))
    };
    if part.get("text") == Some(&json!("")) {
        if !is_set("thoughtSignature") && !is_set("thought") {
            return None;
        }
        if is_set("thought") {
            part.remove("text");
        }
    }
    if let Some(Value::Object(answer)) = part.get_mut("functionResponse") {
        let output = outcome(answer);
        answer.insert("response".to_owned(), output);
    }
    if let Some(Value::Object(call)) = part.get_mut("functionCall") {
        call.entry("args").or_insert_with(|| json!({}));
    }
    Some(Value::Object(part.clone()))
}

/// Returns the result of a tool, without its wrapper.
fn outcome(answer: &Map<String, Value>) -> Value {
    let mut output = answer.get("response").cloned().unwrap_or_default();
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
    };
    let mut names = keys(&output);
    names.sort();
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["content", "name"] if answer.get("name") == Some(&output["name"]) => {
            output = output["content"].take();
        }
        ["output"] => output = output["output"].take(),
        ["result"] => output = output["result"].take(),
        _ => {}
    }
    if keys(&output) == ["error"] {
        return json!(["error", prune(&output["error"])]);
    }
    json!(["ok", if output.is_object() { output } else { prune(&output) }])
}

/// Converts names to camelCase, if they belong to the API.
fn camel(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(camel).collect(),
        Value::Object(map) => {
            let entries = map.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| {
                let key = camel_key(key);
                let value = match key.as_str() {
                    "parameters" | "responseSchema" => subset(value),
                    "parametersJsonSchema" | "responseJsonSchema" => canonical(value, false),
                    "response" => value.clone(),
                    name if OPAQUE.contains(&name) => prune(value),
                    _ => camel(value),
                };
                (key, value)
            });
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

fn camel_key(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('_', Some(next)) if next.is_ascii_lowercase() => {
                out.push(next.to_ascii_uppercase());
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}
