//! The responses of `notes` that every client must receive.
//!
//! The scripts in this folder all do the same and print the results in the format of the protocol; the inspector does a
//! part of it.

use serde_json::{Value, json};

/// The newest protocol version with sessions.
pub(super) const LEGACY: &str = "2025-11-25";

/// The first protocol version without sessions.
pub(super) const MODERN: &str = "2026-07-28";

/// The expectations that depend on the era and on the client.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    pub(super) protocol: &'static str,
    /// The code for a missing resource.
    pub(super) not_found: i64,
    /// If true, the client receives all progress notifications.
    pub(super) all_progress: bool,
}

impl Expected {
    /// The expectations with a session.
    pub(super) const LEGACY: Self =
        Self { protocol: LEGACY, not_found: -32002, all_progress: true };

    /// The expectations without a session.
    pub(super) const MODERN: Self =
        Self { protocol: MODERN, not_found: -32602, all_progress: true };
}

/// Checks one document completely.
pub(super) fn check(seen: &Value, expected: Expected) {
    assert_eq!(seen["protocol"], expected.protocol, "{seen:#}");
    tools(seen);
    results(seen, expected.protocol);
    failures(seen);
    resources(seen);
    missing(seen, "unknownNote", "note://99", expected);
    missing(seen, "unknownResource", "nothing://here", expected);
    prompts(seen);
    prompt_failures(seen);
    completions(seen);
    progress(seen, expected);
    approval(seen, expected);
}

/// Checks that the server identifies itself.
pub(super) fn identity(seen: &Value) {
    assert_eq!(seen["server"]["name"], "notes");
    assert_eq!(seen["server"]["title"], "Notes");
    assert!(text(&seen["instructions"]).contains("Search before you add"), "{seen:#}");
}

pub(super) fn tools(seen: &Value) {
    assert_eq!(
        names(&seen["tools"], "name"),
        ["add_note", "delete_note", "import_notes", "search_notes"]
    );
    let tool = |name: &str| named(&seen["tools"], name);
    assert_eq!(tool("add_note")["title"], "Add a note");
    assert_eq!(tool("add_note")["description"], "Saves a note.");
    assert_eq!(tool("add_note")["inputSchema"]["required"], json!(["text"]));
    assert_eq!(tool("search_notes")["annotations"]["readOnlyHint"], true);
    assert_eq!(tool("delete_note")["annotations"]["destructiveHint"], true);
    let limit = &tool("search_notes")["inputSchema"]["properties"]["limit"];
    let wanted = json!({
        "type": "integer", "minimum": 1, "maximum": 100, "default": 20,
        "description": "The maximum number of notes."
    });
    assert_eq!(*limit, wanted);
    for tool in seen["tools"].as_array().expect("tools") {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool:#}");
        assert!(tool["outputSchema"].is_object(), "{tool:#}");
    }
}

/// If only objects are supported, a result that is not an object is wrapped in `result`.
fn wrapped(value: Value, protocol: &str) -> Value {
    if protocol < MODERN { json!({ "result": value }) } else { value }
}

pub(super) fn results(seen: &Value, protocol: &str) {
    let added = &seen["added"];
    let note = json!({ "id": 1, "text": "buy milk", "topic": "shop" });
    assert_eq!(added["structuredContent"], note, "{added:#}");
    assert_ne!(added["isError"], true);
    let text = added["content"][0]["text"].as_str().expect("a text for clients without structure");
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), note);
    let second = json!({ "id": 2, "text": "pay rent", "topic": "" });
    assert_eq!(seen["addedWithDefault"]["structuredContent"], second);
    let found = &seen["found"];
    assert_eq!(found["content"][0]["text"], "1: buy milk", "{found:#}");
    assert_eq!(found["structuredContent"], wrapped(json!([note]), protocol));
}

/// Checks that invalid arguments are reported to the model, and a missing tool to the program.
fn failures(seen: &Value) {
    for (key, named) in [("wrongType", "text"), ("missingArgument", "text")] {
        let told = failed(seen, key);
        assert!(told.contains("add_note") && told.contains(named), "{told}");
    }
    assert!(failed(seen, "refusedByTheTool").contains("a note needs text"));
    let unknown = error(seen, "unknownTool", -32602);
    assert!(unknown.contains("no_such_tool"), "{unknown}");
}

pub(super) fn resources(seen: &Value) {
    assert_eq!(names(&seen["resources"], "uri"), ["notes://recent", "ui://notes/new"]);
    assert_eq!(names(&seen["templates"], "uriTemplate"), ["note://{id}"]);
    let recent = &seen["recent"]["contents"][0];
    assert_eq!(recent["mimeType"], "application/json", "{recent:#}");
    let listed: Value = serde_json::from_str(text(&recent["text"])).expect("JSON");
    assert_eq!(names(&listed, "text"), ["pay rent", "buy milk"]);
    let note = json!([{ "uri": "note://1", "mimeType": "text/plain", "text": "buy milk" }]);
    assert_eq!(seen["note"]["contents"], note);
}

fn missing(seen: &Value, key: &str, uri: &str, expected: Expected) {
    error(seen, key, expected.not_found);
    assert_eq!(seen[key]["error"]["data"]["uri"], uri, "{:#}", seen[key]);
}

pub(super) fn prompts(seen: &Value) {
    assert_eq!(names(&seen["prompts"], "name"), ["next_step", "summarize"]);
    let summarize = named(&seen["prompts"], "summarize");
    assert_eq!(summarize["title"], "Summarize a topic");
    assert_eq!(names(&summarize["arguments"], "name"), ["topic", "sentences"]);
    assert_eq!(summarize["arguments"][0]["required"], true);
    assert_ne!(summarize["arguments"][1]["required"], true);
    let prompt = &seen["prompt"];
    assert_eq!(prompt["description"], "Notes on shop", "{prompt:#}");
    let messages = prompt["messages"].as_array().expect("messages");
    let asked = text(&messages[0]["content"]["text"]);
    assert!(asked.contains("my notes on shop in 2 sentences"), "{asked}");
    assert_eq!(messages[1]["content"]["type"], "resource");
    assert_eq!(messages[1]["content"]["resource"]["uri"], "note://1");
    assert_eq!(messages[2]["role"], "assistant");
    assert_eq!(messages.len(), 3);
}

/// Checks that errors of prompts are always protocol errors.
fn prompt_failures(seen: &Value) {
    for (key, named) in
        [("promptWithout", "topic"), ("promptWithBad", "id"), ("unknownPrompt", "no_such_prompt")]
    {
        let told = error(seen, key, -32602);
        assert!(told.contains(named), "{told}");
    }
}

fn completions(seen: &Value) {
    assert_eq!(seen["topics"]["values"], json!(["shop"]), "{:#}", seen["topics"]);
    assert_eq!(seen["ids"]["values"], json!(["2", "1"]), "{:#}", seen["ids"]);
    assert_eq!(seen["ids"]["total"], 2);
    assert_eq!(seen["ids"]["hasMore"], false);
}

fn progress(seen: &Value, expected: Expected) {
    let imported = &seen["imported"];
    let two = wrapped(json!(2), expected.protocol);
    assert_eq!(imported["structuredContent"], two, "{imported:#}");
    let told = seen["progress"].as_array().expect("a list");
    for (n, progress) in told.iter().enumerate() {
        let done = n + 1;
        assert_eq!(progress["message"], format!("{done} of 2"), "{told:?}");
        assert_eq!(progress["progress"].as_f64(), Some(done as f64), "{told:?}");
        assert_eq!(progress["total"].as_f64(), Some(2.0), "{told:?}");
    }
    assert!(told.len() == 2 || !expected.all_progress, "{told:?}");
}

/// Checks that a note is deleted only if the user approves.
fn approval(seen: &Value, expected: Expected) {
    let deleted = &seen["deleted"]["structuredContent"];
    assert_eq!(deleted["text"], "pay rent", "{:#}", seen["deleted"]);
    missing(seen, "afterDelete", "note://2", expected);
    let told = failed(seen, "declined");
    assert!(told.contains("did not approve"), "{told}");
    assert_eq!(seen["afterDecline"]["contents"][0]["text"], "buy milk");
    let questions = seen["questions"].as_array().expect("questions");
    assert_eq!(questions.len(), 2, "{questions:?}");
    assert!(text(&questions[0]).contains("Delete a note"), "{questions:?}");
}

/// Returns what a failed call reported to the model.
pub(super) fn failed<'a>(seen: &'a Value, key: &str) -> &'a str {
    assert_eq!(seen[key]["isError"], true, "{key} is no failure: {:#}", seen[key]);
    text(&seen[key]["content"][0]["text"])
}

/// Returns the message of a protocol error.
pub(super) fn error<'a>(seen: &'a Value, key: &str, code: i64) -> &'a str {
    let error = &seen[key]["error"];
    assert_eq!(error["code"], code, "{key}: {:#}", seen[key]);
    text(&error["message"])
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().and_then(|l| l.iter().find(|entry| entry["name"] == name));
    found.unwrap_or_else(|| panic!("no `{name}` in {list:#}"))
}

fn names<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|entry| text(&entry[key])).collect()
}
