//! `generateContent` of the Gemini 3 family, which has the strictest checks.

use serde_json::Value;

use super::{Refusals, list, text};

/// The placeholder for a signature, according to the documentation.
const STAND_IN: &str = "skip_thought_signature_validator";

const BODY: [&str; 9] = [
    "systemInstruction",
    "contents",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
    "serviceTier",
    "labels",
];

/// The content fields of a part, of which it has exactly one.
const DATA: [&str; 9] = [
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

/// The other fields that are allowed in addition.
const BESIDE: [&str; 4] = ["thought", "thoughtSignature", "videoMetadata", "mediaResolution"];

pub(super) fn check(body: &Value, found: &mut Refusals<'_>) {
    found.keys(body, &BODY, "body");
    let contents = list(&body["contents"]);
    found.must(!contents.is_empty(), "body", "no contents");
    for part in list(&body["systemInstruction"]["parts"]) {
        found.must(!text(&part["text"]).is_empty(), "systemInstruction", "a part without text");
    }
    for (index, content) in contents.iter().enumerate() {
        let at = format!("contents[{index}]");
        let role = text(&content["role"]);
        found.keys(content, &["role", "parts"], &at);
        found.must(matches!(role, "user" | "model"), &at, format_args!("role {role:?}"));
        let parts = list(&content["parts"]);
        found.must(!parts.is_empty(), &at, "no parts");
        for (index, part) in parts.iter().enumerate() {
            check_part(part, &format!("{at}.parts[{index}]"), found);
        }
        let before = index.checked_sub(1).map(|index| &contents[index]);
        let after = contents.get(index + 1);
        check_calls(content, before, after, &at, found);
    }
    for entry in list(&body["tools"]) {
        for tool in list(&entry["functionDeclarations"]) {
            found.name(&tool["name"], "tools");
        }
    }
}

fn check_part(part: &Value, at: &str, found: &mut Refusals<'_>) {
    let known: Vec<&str> = DATA.into_iter().chain(BESIDE).collect();
    found.keys(part, &known, at);
    let kinds = DATA.iter().filter(|key| part.get(**key).is_some()).count();
    found.must(kinds == 1, at, format_args!("{kinds} kinds of data"));
    if let Some(text) = part.get("text") {
        found.text(text, at);
    }
    if let Some(signature) = part.get("thoughtSignature").filter(|it| *it != STAND_IN) {
        found.signature(signature, at);
    }
    if let Some(inline) = part.get("inlineData") {
        found.must(text(&inline["mimeType"]).contains('/'), at, "no type");
        found.base64(&inline["data"], at);
    }
    if let Some(file) = part.get("fileData") {
        found.must(!text(&file["fileUri"]).is_empty(), at, "no address");
    }
    if let Some(call) = part.get("functionCall") {
        found.name(&call["name"], at);
        found.must(call["args"].is_object(), at, "arguments that are no object");
    }
    if let Some(answer) = part.get("functionResponse") {
        found.name(&answer["name"], at);
        found.must(answer["response"].is_object(), at, "an answer that is no object");
        for part in list(&answer["parts"]) {
            check_part(part, at, found);
        }
    }
}

/// Checks that calls follow a user turn, that all have results in the next turn, and that the first one is signed.
fn check_calls(
    content: &Value,
    before: Option<&Value>,
    after: Option<&Value>,
    at: &str,
    found: &mut Refusals<'_>,
) {
    let of = |content: &Value, key: &str| -> Vec<Value> {
        let parts = list(&content["parts"]).iter();
        parts.filter_map(|part| part.get(key)).cloned().collect()
    };
    let calls = of(content, "functionCall");
    let answers = of(content, "functionResponse");
    if !answers.is_empty() {
        let asked = before.map(|before| of(before, "functionCall").len()).unwrap_or_default();
        found.must(
            asked == answers.len(),
            at,
            format_args!("{} answers to {asked} calls", answers.len()),
        );
    }
    let Some(first) = calls.first() else { return };
    found.must(content["role"] == "model", at, "a call of the user");
    found.must(
        before.is_some_and(|it| it["role"] == "user"),
        at,
        "a call that follows no turn of the user",
    );
    let parts = list(&content["parts"]);
    let signed = parts.iter().find(|part| part.get("functionCall") == Some(first));
    let is_signed = signed.is_some_and(|part| part.get("thoughtSignature").is_some());
    found.must(is_signed, at, "a first call without a signature");
    let answers = after.map(|after| of(after, "functionResponse")).unwrap_or_default();
    found.must(
        answers.len() == calls.len(),
        at,
        format_args!("{} calls, {} answers", calls.len(), answers.len()),
    );
    // By their ids if there are any, otherwise by order.
    for (place, call) in calls.iter().enumerate() {
        let same = |answer: &&Value| answer["id"] == call["id"];
        let answer = match call.get("id") {
            Some(_) => answers.iter().find(same),
            None => answers.get(place).filter(same),
        };
        let fits = answer.is_some_and(|answer| answer["name"] == call["name"]);
        found.must(fits, at, format_args!("{call} is not answered: {answers:?}"));
    }
}
