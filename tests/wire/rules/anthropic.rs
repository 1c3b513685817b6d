//! Anthropic's messages, version 2023-06-01.

use serde_json::Value;

use super::{Refusals, is_word, list, text};

pub(super) fn check(body: &Value, found: &mut Refusals<'_>) {
    let most = body["max_tokens"].as_u64().unwrap_or_default();
    found.must(most > 0, "body", "no max_tokens");
    let thinks = text(&body["thinking"]["type"]);
    if thinks == "enabled" {
        let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or_default();
        found.must(
            (1024..most).contains(&budget),
            "thinking",
            format_args!("{budget} of {most} tokens"),
        );
    }
    if matches!(thinks, "enabled" | "adaptive") {
        let forced = matches!(text(&body["tool_choice"]["type"]), "any" | "tool");
        found.must(!forced, "thinking", "with a tool that must be called");
        found.must(
            body["temperature"].is_null() || body["temperature"] == 1,
            "thinking",
            "with a temperature",
        );
        found.must(body["top_k"].is_null(), "thinking", "with top_k");
    }
    let both = !body["temperature"].is_null() && !body["top_p"].is_null();
    found.must(!both, "body", "temperature and top_p together");
    let messages = merged(list(&body["messages"]), found);
    found.must(
        messages.first().is_some_and(|(role, _)| role == "user"),
        "messages",
        "the user does not begin",
    );
    let mut ids: Vec<String> = Vec::new();
    for (index, (role, blocks)) in messages.iter().enumerate() {
        let at = format!("message {index}");
        for (place, block) in blocks.iter().enumerate() {
            check_block(block, role, &format!("{at}, block {place}"), found);
        }
        let answers = results(blocks);
        let before =
            index.checked_sub(1).map(|index| calls(&messages[index].1)).unwrap_or_default();
        for id in &answers {
            found.must(before.contains(id), &at, format_args!("{id:?} answers no call"));
        }
        found.must(unique(&answers), &at, "two answers to one call");
        let asked = calls(blocks);
        let next = messages.get(index + 1).map(|(_, blocks)| results(blocks)).unwrap_or_default();
        for id in asked {
            found.must(
                next.contains(&id),
                &at,
                format_args!("{id:?} is not answered in the next message"),
            );
            found.must(!ids.contains(&id), &at, format_args!("{id:?} is there twice"));
            ids.push(id);
        }
        let texts = blocks.iter().skip_while(|block| block["type"] == "tool_result");
        let late = texts.filter(|block| block["type"] == "tool_result").count();
        found.must(late == 0, &at, "a tool_result after other content");
    }
    check_thinking(&messages, thinks == "enabled", found);
    let marks = count_marks(body);
    found.must(marks <= 4, "body", format_args!("{marks} marks of the cache"));
    for tool in list(&body["tools"]).iter().filter(|tool| tool.get("input_schema").is_some()) {
        let name = text(&tool["name"]);
        found.must(is_word(name, 64), "tools", format_args!("{name:?} is no name"));
        let schema = &tool["input_schema"];
        found.must(schema["type"] == "object", name, "a schema that is no object");
        let combined = ["anyOf", "oneOf", "allOf"].iter().any(|key| schema.get(*key).is_some());
        found.must(!combined, name, "a schema that is a combination");
    }
    for block in list(&body["system"]) {
        found.must(!text(&block["text"]).trim().is_empty(), "system", "an empty block");
    }
}

/// Returns the messages as the API reads them, with adjacent messages of one role merged.
fn merged(messages: &[Value], found: &mut Refusals<'_>) -> Vec<(String, Vec<Value>)> {
    let mut all: Vec<(String, Vec<Value>)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let role = text(&message["role"]);
        found.must(matches!(role, "user" | "assistant"), &at, format_args!("role {role:?}"));
        let content = match &message["content"] {
            Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
            other => list(other).to_vec(),
        };
        found.must(!content.is_empty(), &at, "empty content");
        match all.last_mut() {
            Some((last, blocks)) if last == role => blocks.extend(content),
            _ => all.push((role.to_owned(), content)),
        }
    }
    all
}

fn calls(blocks: &[Value]) -> Vec<String> {
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    calls.map(|block| text(&block["id"]).to_owned()).collect()
}

fn results(blocks: &[Value]) -> Vec<String> {
    let answers = blocks.iter().filter(|block| block["type"] == "tool_result");
    answers.map(|block| text(&block["tool_use_id"]).to_owned()).collect()
}

fn unique(ids: &[String]) -> bool {
    ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id))
}

fn check_block(block: &Value, role: &str, at: &str, found: &mut Refusals<'_>) {
    let kind = text(&block["type"]);
    let of_user = matches!(kind, "image" | "document" | "tool_result");
    let of_model =
        matches!(kind, "thinking" | "redacted_thinking" | "tool_use" | "server_tool_use");
    found.must(!of_user || role == "user", at, format_args!("{kind} of the assistant"));
    found.must(!of_model || role == "assistant", at, format_args!("{kind} of the user"));
    let mark = block.get("cache_control").is_some();
    match kind {
        "text" => {
            found.must(!text(&block["text"]).trim().is_empty(), at, "an empty text");
            found.keys(block, &["type", "text", "cache_control", "citations"], at);
        }
        "image" => check_source(
            &block["source"],
            &["image/png", "image/jpeg", "image/gif", "image/webp"],
            at,
            found,
        ),
        "document" => check_source(&block["source"], &["application/pdf"], at, found),
        "tool_use" => {
            let id = text(&block["id"]);
            found.must(is_word(id, usize::MAX), at, format_args!("{id:?} is no id"));
            found.name(&block["name"], at);
            found.must(block["input"].is_object(), at, "an input that is no object");
            found.keys(block, &["type", "id", "name", "input", "cache_control"], at);
        }
        "tool_result" => {
            let content = &block["content"];
            let parts = list(content);
            found.must(
                content.is_null() || content.is_string() || content.is_array(),
                at,
                "no content",
            );
            for part in parts {
                let fits =
                    matches!(text(&part["type"]), "text" | "image" | "document" | "search_result");
                found.must(fits, at, format_args!("{} in an answer", part["type"]));
                check_block(part, "user", at, found);
            }
        }
        "thinking" => {
            found.signature(&block["signature"], at);
            found.must(!mark, at, "a mark of the cache on thoughts");
        }
        "redacted_thinking" => {
            let data = text(&block["data"]).trim_start_matches("redacted ");
            found.signature(&data.into(), at);
        }
        "server_tool_use" => {
            let id = text(&block["id"]);
            found.must(id.starts_with("srvtoolu_"), at, format_args!("{id:?} is no id"));
        }
        kind => found.must(kind.ends_with("_tool_result"), at, format_args!("a block {kind:?}")),
    }
}

fn check_source(source: &Value, kinds: &[&str], at: &str, found: &mut Refusals<'_>) {
    match text(&source["type"]) {
        "base64" => {
            found.must(
                kinds.contains(&text(&source["media_type"])),
                at,
                format_args!("{}", source["media_type"]),
            );
            found.base64(&source["data"], at);
        }
        "url" => found.must(text(&source["url"]).starts_with("http"), at, "no address"),
        "text" => found.must(source["media_type"] == "text/plain", at, "a text that is not plain"),
        "file" => {}
        other => found.must(false, at, format_args!("a source {other:?}")),
    }
}

/// With thinking enabled, the current turn must begin with thoughts if it contains calls.
fn check_thinking(messages: &[(String, Vec<Value>)], enabled: bool, found: &mut Refusals<'_>) {
    let is_round = messages.last().is_some_and(|(_, blocks)| !results(blocks).is_empty());
    let last = messages.iter().rev().find(|(role, _)| role == "assistant");
    let Some((_, blocks)) = last.filter(|_| enabled && is_round) else { return };
    let first = blocks.first().map(|block| text(&block["type"])).unwrap_or_default();
    found.must(
        matches!(first, "thinking" | "redacted_thinking"),
        "thinking",
        "the last turn has no thoughts",
    );
}

fn count_marks(value: &Value) -> usize {
    match value {
        Value::Object(map) => {
            let own = usize::from(map.contains_key("cache_control"));
            own + map.values().map(count_marks).sum::<usize>()
        }
        Value::Array(list) => list.iter().map(count_marks).sum(),
        _ => 0,
    }
}
