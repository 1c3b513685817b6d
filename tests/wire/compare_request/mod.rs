//! Compares a request with the recorded one: section 1 of the fixtures' README.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;
mod schema;

use serde_json::{Map, Value};

/// Headers that clients are free to send.
const FREE: [&str; 4] = ["x-goog-api-client", "accept", "user-agent", "anthropic-beta"];

/// Headers that hold the key.
const KEYS: [&str; 3] = ["x-goog-api-key", "x-api-key", "authorization"];

/// Returns the differences from the golden request, or from the most similar acceptable alternate.
///
/// `actual` has the form of the `request` of a case.
pub fn compare(case: &Value, actual: &Value) -> Vec<String> {
    let mut best = one(case, &case["request"], actual);
    for alternate in case["alternates"].as_array().into_iter().flatten() {
        if alternate["acceptable"] == true {
            let differences = one(case, &alternate["request"], actual);
            if differences.len() < best.len() {
                best = differences;
            }
        }
    }
    best
}

fn one(case: &Value, want: &Value, got: &Value) -> Vec<String> {
    let provider = case["provider"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    if got["method"] != want["method"] {
        found.push(format!("method {} != {}", got["method"], want["method"]));
    }
    let path = got["path"].as_str().unwrap_or_default().trim_end_matches('/');
    let path = match path.strip_prefix("/v1/models/") {
        Some(rest) if provider == "gemini" => format!("/v1beta/models/{rest}"),
        _ => path.to_owned(),
    };
    if want["path"] != path {
        found.push(format!("path {} != {}", got["path"], want["path"]));
    }
    let mut query = got["query"].as_object().cloned().unwrap_or_default();
    let key_in_query = provider == "gemini" && query.remove("key").is_some();
    if want["query"] != Value::Object(query.clone()) {
        found.push(format!("query {query:?} != {}", want["query"]));
    }
    found.extend(headers(&want["headers"], &got["headers"], key_in_query));
    let (mut a, mut b) = match provider {
        "anthropic" => (anthropic::normal(&got["body"]), anthropic::normal(&want["body"])),
        "gemini" => (gemini::normal(&got["body"]), gemini::normal(&want["body"])),
        "openai" => (chat::normal(&got["body"]), chat::normal(&want["body"])),
        "ollama" => (ollama::normal(&got["body"]), ollama::normal(&want["body"])),
        "openai-responses" => {
            let (got, want) = (&got["body"], &want["body"]);
            (responses::normal(got, want), responses::normal(want, got))
        }
        other => return vec![format!("no rules for {other}")],
    };
    if provider.starts_with("openai") && has_strict(&got["body"]) {
        (a, b) = (schema::unstrict(a), schema::unstrict(b));
    }
    differ(&a, &b, "", &mut found);
    found
}

fn headers(want: &Value, got: &Value, key_in_query: bool) -> Vec<String> {
    let lower = |(name, value): (&String, &Value)| (name.to_lowercase(), value.clone());
    let got: Map<String, Value> = got.as_object().into_iter().flatten().map(lower).collect();
    let text = |name: &str| got.get(name).and_then(Value::as_str);
    let mut found = Vec::new();
    for (name, value) in want.as_object().into_iter().flatten() {
        let right = match name.as_str() {
            name if FREE.contains(&name) => true,
            "content-type" => text(name).is_some_and(|kind| kind.starts_with("application/json")),
            "x-goog-api-key" if key_in_query => true,
            "authorization" => text(name).is_some_and(|value| value.starts_with("Bearer ")),
            key if KEYS.contains(&key) => text(key).is_some(),
            other => got.get(other) == Some(value),
        };
        if !right {
            found.push(format!("header {name}: {:?}", got.get(name)));
        }
    }
    found
}

fn has_strict(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.iter().any(|(key, value)| (key == "strict" && *value == true) || has_strict(value))
        }
        Value::Array(list) => list.iter().any(has_strict),
        _ => false,
    }
}

/// Returns whether a value is null, an empty list or an empty object, which are equivalent to a missing value.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Returns the value without nulls inside objects.
pub fn prune(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), prune(value))).collect())
        }
        Value::Array(list) => list.iter().map(prune).collect(),
        other => other.clone(),
    }
}

/// Removes a default choice of tools, and a disabled `stream`.
fn leave_out_usual(body: &mut Map<String, Value>, choice: Value) {
    for (key, usual) in [("tool_choice", choice), ("stream", Value::Bool(false))] {
        if body.get(key) == Some(&usual) {
            body.remove(key);
        }
    }
}

/// Parses a text as JSON, if it is JSON.
fn json_of(value: Value) -> Value {
    match value.as_str().map(serde_json::from_str) {
        Some(Ok(inner)) => inner,
        _ => value,
    }
}

/// Reports where two values differ. Numbers are compared by value.
pub fn differ(got: &Value, want: &Value, at: &str, found: &mut Vec<String>) {
    match (got, want) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => differ(value, other, &format!("{at}.{key}"), found),
                    None => found.push(format!("{at}.{key}: not expected")),
                }
            }
            let missing = b.keys().filter(|key| !a.contains_key(*key));
            found.extend(missing.map(|key| format!("{at}.{key}: missing")));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (value, other)) in a.iter().zip(b).enumerate() {
                differ(value, other, &format!("{at}[{index}]"), found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{at}: {} != {}", short(a), short(b))),
    }
}

pub fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns whether two values are equal. Numbers are compared by value.
pub fn equal(a: &Value, b: &Value) -> bool {
    let mut found = Vec::new();
    differ(a, b, "", &mut found);
    found.is_empty()
}
