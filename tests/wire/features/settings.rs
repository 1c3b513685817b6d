//! Settings, and their positions in the request.

use serde_json::{Value, json};

use super::{Cell, Row, Topic, asked_with, differences, must, row};

pub(super) const TOPIC: Topic = ("Settings and their fields on the wire", ROWS);

const ROWS: &[Row] = &[
    row!("`temperature`", setting, "temperature", json!(0)),
    row!("`topP`", setting, "topP", json!(0.5)),
    row!("`topK`", setting, "topK", json!(7)),
    row!("`maxOutputTokens`", setting, "maxOutputTokens", json!(2048)),
    row!("`stopSequences`", setting, "stopSequences", json!(["END"])),
    row!("`seed`", setting, "seed", json!(7)),
    row!("`reasoningEffort: high`", setting, "reasoningEffort", json!("high")),
    row!("`reasoningEffort: none`", setting, "reasoningEffort", json!("none")),
    row!("`version`", setting, "version", json!("another-model")),
    row!("`apiKey`", key),
    row!("a provider-specific setting, unchanged", setting, "somethingNew", json!({"a": [1]})),
];

/// Returns the paths of the body that a setting changes.
async fn setting(provider: &'static str, key: &'static str, value: Value) -> Cell {
    let (plain, answer) = asked_with(provider, |request| request).await;
    answer?;
    let (mock, answer) = asked_with(provider, |request| request.with_config(key, value)).await;
    if let Err(error) = answer {
        must!(mock.requests().is_empty(), "{error}");
        return Ok("error".to_owned());
    }
    let request = mock.requests().remove(0);
    let before = plain.requests().remove(0);
    let mut found = Vec::new();
    differences(&before.body, &request.body, "", &mut found);
    let mut found: Vec<_> = found.iter().map(|path| format!("`{path}`")).collect();
    let line = |head: &str| head.lines().next().unwrap_or_default().to_owned();
    if line(&before.head) != line(&request.head) {
        found.push("the URL path".to_owned());
    }
    if found.is_empty() {
        return Ok("ignored".to_owned());
    }
    Ok(found.join(", "))
}

/// Checks that the key of one call is sent in a header, and not elsewhere.
async fn key(provider: &'static str) -> Cell {
    let (mock, answer) =
        asked_with(provider, |request| request.with_config("apiKey", "own-key")).await;
    answer?;
    let request = mock.requests().remove(0);
    must!(!request.body.to_string().contains("own-key"), "the key is in the body");
    let (line, headers) = request.head.split_once("\r\n").unwrap_or_default();
    must!(!line.contains("own-key"), "the key is in the path");
    let name = headers.lines().find(|line| line.contains("own-key"));
    let name = name.and_then(|line| line.split(':').next()).ok_or("the key is not sent")?;
    Ok(format!("header `{}`", name.to_lowercase()))
}
