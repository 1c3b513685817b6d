//! Chat completions as accepted by OpenAI itself.

use serde_json::Value;

use super::{Refusals, is_word, list, text};

pub(super) fn check(body: &Value, found: &mut Refusals<'_>) {
    let messages = list(&body["messages"]);
    found.must(!messages.is_empty(), "body", "no messages");
    // The ids of calls without a result so far.
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let role = text(&message["role"]);
        let known: &[&str] = match role {
            "assistant" => &["role", "content", "name", "tool_calls", "refusal", "audio"],
            "tool" => &["role", "content", "tool_call_id"],
            "system" | "developer" | "user" => &["role", "content", "name"],
            other => {
                found.must(false, &at, format_args!("role {other:?}"));
                continue;
            }
        };
        found.keys(message, known, &at);
        if role == "tool" {
            let id = text(&message["tool_call_id"]).to_owned();
            let place = open.iter().position(|waits| *waits == id);
            found.must(place.is_some(), &at, format_args!("{id:?} answers no call"));
            place.map(|place| open.remove(place));
            check_texts(&message["content"], &at, found);
            continue;
        }
        found.must(open.is_empty(), &at, format_args!("{open:?} is not answered"));
        open.clear();
        match role {
            "assistant" => check_assistant(message, &mut open, &at, found),
            "user" => check_user(&message["content"], &at, found),
            _ => check_texts(&message["content"], &at, found),
        }
    }
    found.must(open.is_empty(), "messages", format_args!("{open:?} is not answered"));
    for tool in list(&body["tools"]) {
        found.must(tool["type"] == "function", "tools", tool);
        found.name(&tool["function"]["name"], "tools");
    }
    let choice = body.get("tool_choice").is_some();
    found.must(!choice || !list(&body["tools"]).is_empty(), "tool_choice", "without tools");
}

fn check_assistant(message: &Value, open: &mut Vec<String>, at: &str, found: &mut Refusals<'_>) {
    let calls = list(&message["tool_calls"]);
    let has_content =
        !text(&message["content"]).is_empty() || !list(&message["content"]).is_empty();
    found.must(has_content || !calls.is_empty(), at, "neither text nor calls");
    found.must(
        message.get("tool_calls").is_none() || !calls.is_empty(),
        at,
        "an empty list of calls",
    );
    for call in calls {
        found.keys(call, &["id", "type", "function"], at);
        let id = text(&call["id"]);
        found.must((1..=40).contains(&id.len()), at, format_args!("{id:?} is no id"));
        found.must(
            !open.iter().any(|other| other == id),
            at,
            format_args!("{id:?} is there twice"),
        );
        open.push(id.to_owned());
        found.must(call["type"] == "function", at, call);
        found.name(&call["function"]["name"], at);
        let arguments = text(&call["function"]["arguments"]);
        let object = serde_json::from_str::<Value>(arguments).is_ok_and(|it| it.is_object());
        found.must(object, at, format_args!("{arguments:?} are no arguments"));
    }
}

fn check_texts(content: &Value, at: &str, found: &mut Refusals<'_>) {
    let parts = list(content).iter();
    let all_text = !list(content).is_empty() && parts.clone().all(|part| part["type"] == "text");
    found.must(content.is_string() || all_text, at, format_args!("{content} is no text"));
}

fn check_user(content: &Value, at: &str, found: &mut Refusals<'_>) {
    if content.is_string() {
        return;
    }
    found.must(!list(content).is_empty(), at, "an empty list of content");
    for part in list(content) {
        match text(&part["type"]) {
            "text" => found.text(&part["text"], at),
            "image_url" => found.url(&part["image_url"]["url"], at),
            "input_audio" => {
                found.base64(&part["input_audio"]["data"], at);
                let format = text(&part["input_audio"]["format"]);
                found.must(matches!(format, "wav" | "mp3"), at, format_args!("format {format:?}"));
            }
            "file" if part["file"]["file_id"].is_string() => {}
            "file" => {
                found.url(&part["file"]["file_data"], at);
                let name = text(&part["file"]["filename"]);
                found.must(
                    !name.is_empty() && is_word(&name.replace('.', "_"), 99),
                    at,
                    "no file name",
                );
            }
            other => found.must(false, at, format_args!("content of the type {other:?}")),
        }
    }
}
