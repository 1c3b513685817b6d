//! Ollama's own API.

use serde_json::Value;

use super::{Refusals, list, text};

pub(super) fn check(body: &Value, found: &mut Refusals<'_>) {
    const BODY: [&str; 10] = [
        "model",
        "messages",
        "tools",
        "format",
        "options",
        "think",
        "keep_alive",
        "stream",
        "logprobs",
        "top_logprobs",
    ];
    found.keys(body, &BODY, "body");
    found.must(body["stream"].is_boolean(), "body", "no `stream`");
    for (index, message) in list(&body["messages"]).iter().enumerate() {
        let at = format!("messages[{index}]");
        let role = text(&message["role"]);
        found.must(
            matches!(role, "system" | "user" | "assistant" | "tool"),
            &at,
            format_args!("role {role:?}"),
        );
        found.keys(
            message,
            &["role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"],
            &at,
        );
        found.text(&message["content"], &at);
        for image in list(&message["images"]) {
            found.base64(image, &at);
        }
        for call in list(&message["tool_calls"]) {
            found.must(
                call["function"]["arguments"].is_object(),
                &at,
                "arguments that are no object",
            );
            found.must(!text(&call["function"]["name"]).is_empty(), &at, "a call without a name");
        }
        if role == "tool" {
            found.must(
                !text(&message["tool_name"]).is_empty(),
                &at,
                "an answer without the name of its tool",
            );
        }
    }
    for tool in list(&body["tools"]) {
        found.must(tool["function"]["parameters"].is_object(), "tools", "no parameters");
    }
}
