//! Requests with an error in their parameters.

use serde_json::{Value, json};

use crate::pipe::Pipe;
use crate::server;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn malformed_params_of_a_known_method_are_invalid_params() {
    let mut pipe = Pipe::open();
    for (method, params) in [
        ("tools/call", json!({ "name": "add", "arguments": 5 })),
        ("tools/call", json!({ "name": "add", "arguments": [1, 2] })),
        ("tools/call", json!({ "arguments": {} })),
        ("tools/call", json!({ "name": 5, "arguments": {} })),
        ("tools/call", json!({ "name": null })),
        ("tools/call", json!({})),
        ("prompts/get", json!({ "name": ["explain"] })),
        ("prompts/get", json!({})),
        ("resources/read", json!({ "uri": 5 })),
        ("resources/read", json!({})),
        ("completion/complete", json!({ "ref": "explain" })),
        ("logging/setLevel", json!({ "level": 5 })),
        ("logging/setLevel", json!({ "level": "loud" })),
    ] {
        let answer = pipe.request(method, &params);
        assert_eq!(code(&answer), -32602, "{method} {params}: {answer}");
    }
    pipe.still_serves();
}

#[test]
fn call_without_params_is_invalid_params() {
    let mut pipe = Pipe::open();
    pipe.send(&json!({ "jsonrpc": "2.0", "id": "bare", "method": "tools/call" }));
    assert_eq!(code(&pipe.answer(&json!("bare"))), -32602);
    pipe.still_serves();
}

#[test]
fn same_holds_in_the_era_without_sessions() {
    let mut pipe = Pipe::start("quickstart", &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for (params, expected) in [
        (json!({ "name": "add", "arguments": 5, "_meta": meta }), -32602),
        (json!({ "arguments": {}, "_meta": meta }), -32602),
        (json!({ "name": "no_such_tool", "_meta": meta }), -32602),
    ] {
        assert_eq!(code(&pipe.request("tools/call", &params)), expected, "{params}");
    }
    let answer = pipe.request("no/such/method", &json!({ "_meta": meta }));
    assert_eq!(code(&answer), -32601, "{answer}");
    let params = json!({ "name": "add", "arguments": { "a": 2, "b": 40 }, "_meta": meta });
    let answer = pipe.request("tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"], 42, "{answer}");
}

#[test]
fn unknown_method_is_not_found() {
    let mut pipe = Pipe::open();
    for method in ["no/such/method", "tools/unheard_of", ""] {
        let answer = pipe.request(method, &json!({}));
        assert_eq!(code(&answer), -32601, "{method:?}: {answer}");
    }
    pipe.still_serves();
}

#[test]
fn unknown_tool_is_invalid_params_with_a_suggestion() {
    let mut pipe = Pipe::open();
    let answer = pipe.request("tools/call", &json!({ "name": "ad", "arguments": {} }));
    assert_eq!(code(&answer), -32602, "{answer}");
    let told = answer["error"]["message"].as_str().unwrap();
    assert!(told.contains("`ad`") || told.contains(": ad"), "{told}");
    assert!(told.contains("add"), "{told}");
}

#[test]
fn arguments_that_do_not_fit_are_for_the_model() {
    let mut pipe = Pipe::open();
    for (arguments, named) in [
        (json!({ "a": "two", "b": 40 }), "a"),
        (json!({ "a": 2 }), "b"),
        (json!({ "a": 2, "b": 40, "c": 1 }), "c"),
        (json!({ "a": 2.5, "b": 40 }), "a"),
        (json!({ "a": null, "b": 40 }), "a"),
    ] {
        let result = pipe.call("add", &arguments);
        assert_eq!(result["isError"], true, "{arguments}: {result}");
        let told = result["content"][0]["text"].as_str().unwrap();
        assert!(told.contains(&format!("`{named}`")), "{arguments}: {told}");
    }
    let result = pipe.call("add", &json!({ "a": i64::MAX, "b": 1 }));
    assert_eq!(result["isError"], true, "{result}");
    pipe.still_serves();
}

#[test]
fn odd_cursor_is_invalid_params() {
    let mut pipe = Pipe::open();
    let answer = pipe.request("tools/list", &json!({ "cursor": "no cursor of ours" }));
    assert_eq!(code(&answer), -32602, "{answer}");
}

#[test]
fn resource_that_is_not_there_names_itself() {
    let mut pipe = Pipe::start("notes", &[&server::database("stdio-missing")]);
    pipe.hello();
    for uri in ["note://99", "nothing://here", "note://not-a-number", ""] {
        let answer = pipe.request("resources/read", &json!({ "uri": uri }));
        assert_eq!(code(&answer), -32002, "{uri}: {answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
}

#[test]
fn call_that_needs_approval_is_rejected_without_elicitation() {
    let mut pipe = Pipe::start("notes", &[&server::database("stdio-approval")]);
    pipe.hello();
    pipe.call("add_note", &json!({ "text": "keep me" }));
    let deleted = pipe.call("delete_note", &json!({ "id": 1 }));
    assert_eq!(deleted["isError"], true, "{deleted}");
    let found = pipe.call("search_notes", &json!({}));
    assert_eq!(found["content"][0]["text"], "1: keep me");
}
