//! The Responses API, without storage at OpenAI.

use serde_json::Value;

use super::{Refusals, list, text};

pub(super) fn check(body: &Value, found: &mut Refusals<'_>) {
    let input = &body["input"];
    let items = list(input);
    found.must(input.is_string() || !items.is_empty(), "body", "no input");
    let mut open: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("input[{index}]");
        match item["type"].as_str().unwrap_or("message") {
            "message" => check_message(item, &at, found),
            "function_call" => {
                let id = text(&item["call_id"]);
                found.must((1..=64).contains(&id.len()), &at, format_args!("{id:?} is no call_id"));
                found.must(
                    !open.iter().any(|other| other == id),
                    &at,
                    format_args!("{id:?} is there twice"),
                );
                open.push(id.to_owned());
                found.name(&item["name"], &at);
                let arguments = serde_json::from_str::<Value>(text(&item["arguments"]));
                found.must(
                    arguments.is_ok_and(|it| it.is_object()),
                    &at,
                    "arguments that are no JSON",
                );
                check_id(item, "fc", &at, found);
            }
            "function_call_output" => {
                let id = text(&item["call_id"]);
                let place = open.iter().position(|waits| waits == id);
                found.must(place.is_some(), &at, format_args!("{id:?} answers no call"));
                place.map(|place| open.remove(place));
                let output = &item["output"];
                found.must(output.is_string() || !list(output).is_empty(), &at, "no output");
                list(output).iter().for_each(|part| check_part(part, &at, found));
            }
            "reasoning" => {
                found.must(item["summary"].is_array(), &at, "no summary");
                check_id(item, "rs", &at, found);
                // Nothing is stored, so an item that is not encrypted cannot be found.
                match item.get("encrypted_content") {
                    Some(signature) => found.signature(signature, &at),
                    None => {
                        found.must(body["store"] == true, &at, "a stored item that is not stored")
                    }
                }
                let next = items.get(index + 1).map(|next| text(&next["type"])).unwrap_or_default();
                let says = items.get(index + 1).is_some_and(|next| next["role"] == "assistant");
                let follows = says
                    || matches!(next, "function_call" | "reasoning")
                    || next.ends_with("_call");
                found.must(follows, &at, "is not followed by the item that it belongs to");
            }
            kind => {
                let id = text(&item["id"]);
                found.must(
                    kind.ends_with("_call") && !id.is_empty(),
                    &at,
                    format_args!("an item {kind:?}"),
                );
            }
        }
    }
    found.must(open.is_empty(), "input", format_args!("{open:?} is not answered"));
    for tool in list(&body["tools"]).iter().filter(|tool| tool["type"] == "function") {
        found.name(&tool["name"], "tools");
        found.must(tool["parameters"].is_object(), "tools", "no parameters");
        found.must(tool["strict"].is_boolean(), "tools", "`strict` is true where it is absent");
    }
}

/// Checks that the id of an item, if present, has the prefix of its kind.
fn check_id(item: &Value, prefix: &str, at: &str, found: &mut Refusals<'_>) {
    if let Some(id) = item.get("id") {
        found.must(
            text(id).starts_with(prefix),
            at,
            format_args!("{id} does not begin with {prefix}"),
        );
    }
}

fn check_message(item: &Value, at: &str, found: &mut Refusals<'_>) {
    let role = text(&item["role"]);
    found.must(
        matches!(role, "user" | "assistant" | "system" | "developer"),
        at,
        format_args!("role {role:?}"),
    );
    check_id(item, "msg", at, found);
    if item["content"].is_string() {
        return;
    }
    found.must(!list(&item["content"]).is_empty(), at, "no content");
    for part in list(&item["content"]) {
        let kind = text(&part["type"]);
        match role {
            "assistant" => {
                found.must(
                    matches!(kind, "output_text" | "refusal"),
                    at,
                    format_args!("content {kind:?}"),
                );
                found.text(&part["text"], at);
            }
            _ => check_part(part, at, found),
        }
    }
}

fn check_part(part: &Value, at: &str, found: &mut Refusals<'_>) {
    match text(&part["type"]) {
        "input_text" => found.text(&part["text"], at),
        "input_image" => found.url(&part["image_url"], at),
        "input_file" if part["file_id"].is_string() || part["file_url"].is_string() => {}
        "input_file" => {
            found.url(&part["file_data"], at);
            found.must(!text(&part["filename"]).is_empty(), at, "no file name");
        }
        other => found.must(false, at, format_args!("content {other:?}")),
    }
}
