//! Tests of lazy tools and of the blocks of tool searches.

use serde_json::{Value, json};

use super::{begin, body, decode, end, piece, start, stream};
use genkit_core::{Message, ModelResponse, Part};

const SONNET: &str = super::SONNET;

fn lazy(name: &str) -> Value {
    json!({"name": name, "description": "Does it.", "lazy": true})
}

fn user() -> Value {
    json!({"role": "user", "content": [{"text": "hi"}]})
}

fn search() -> Value {
    json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_bm25", "input": {"query": "issues"}})
}

fn found(names: &[&str]) -> Value {
    let found: Vec<Value> =
        names.iter().map(|name| json!({"type": "tool_reference", "tool_name": name})).collect();
    json!({"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1",
        "content": {"type": "tool_search_tool_search_result", "tool_references": found}})
}

fn call() -> Value {
    json!({"type": "tool_use", "id": "toolu_1", "name": "github__list", "input": {}})
}

/// Returns a turn in which a model finds a tool and calls it, and the response of the tool.
fn round(blocks: Value) -> Vec<Value> {
    let answer = decode(json!({"content": blocks, "stop_reason": "tool_use"}));
    let mut message = serde_json::to_value(answer.message.unwrap()).unwrap();
    for part in message["content"].as_array_mut().unwrap() {
        if part["toolRequest"].is_object() {
            part["toolRequest"]["name"] = "github/list".into();
        }
    }
    let output =
        json!({"toolResponse": {"ref": "toolu_1", "name": "github/list", "output": "none"}});
    vec![user(), message, json!({"role": "tool", "content": [output]})]
}

#[test]
fn lazy_tools_are_deferred_next_to_the_search_that_finds_them() {
    let tools = json!([{"name": "now", "description": "The time."}, lazy("github/list")]);
    let sent = body(SONNET, json!({"messages": [user()], "tools": tools}));
    let object = json!({"type": "object"});
    assert_eq!(
        sent["tools"],
        json!([
            {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
            {"name": "now", "description": "The time.", "input_schema": object},
            {"name": "github__list", "description": "Does it.", "input_schema": object, "defer_loading": true},
        ])
    );
}

#[test]
fn models_without_a_search_receive_the_complete_tools() {
    for model in ["claude-opus-4-1", "claude-3-5-haiku-20241022", "kimi-k2"] {
        let sent = body(model, json!({"messages": [user()], "tools": [lazy("a")]}));
        let object = json!({"type": "object"});
        assert_eq!(
            sent["tools"],
            json!([{"name": "a", "description": "Does it.", "input_schema": object}]),
            "{model}"
        );
    }
}

#[test]
fn search_tool_in_the_settings_is_the_only_one() {
    let own = json!({"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"});
    let sent = body(
        SONNET,
        json!({"messages": [user()], "tools": [lazy("a")], "config": {"tools": [own]}}),
    );
    assert_eq!(sent["tools"].as_array().unwrap().len(), 2);
    assert_eq!((&sent["tools"][0]["defer_loading"], &sent["tools"][1]), (&json!(true), &own));
}

#[test]
fn cache_mark_of_a_deferred_tool_is_on_the_last_tool_before_it_that_is_not_deferred() {
    let marked = |mut tool: Value| {
        tool["metadata"] =
            json!({"cache": {"ttlSeconds": 0}, "cache_control": {"type": "ephemeral"}});
        tool
    };
    let plain = json!({"name": "now", "description": ""});
    for (tools, expected) in [
        (json!([plain, lazy("a"), marked(lazy("b"))]), [false, true, false, false]),
        (json!([lazy("a"), marked(lazy("b")), plain]), [true, false, false, false]),
    ] {
        let sent = body(SONNET, json!({"messages": [user()], "tools": tools}));
        let tools = sent["tools"].as_array().unwrap();
        let marks: Vec<bool> =
            tools.iter().map(|tool| tool.get("cache_control").is_some()).collect();
        assert_eq!(marks, expected, "{tools:?}");
    }
}

#[test]
fn blocks_of_a_search_are_sent_back_unchanged() {
    let blocks = json!([{"type": "text", "text": "Let me look."}, search(), found(&["github__list"]), call()]);
    let tools = json!([lazy("github/list"), lazy("github/close")]);
    let sent = body(SONNET, json!({"messages": round(blocks.clone()), "tools": tools}));
    assert_eq!(sent["messages"][1]["content"], blocks);
    let deferred = |at: usize| sent["tools"][at]["defer_loading"] == true;
    assert!(deferred(1) && deferred(2), "{}", sent["tools"]);
}

#[test]
fn stream_has_the_same_blocks_as_a_complete_response() {
    let mut begun = search();
    begun["input"] = json!({});
    let json = |text: &str| json!({"type": "input_json_delta", "partial_json": text});
    let events = [
        start(),
        begin(0, begun),
        piece(0, json("{\"query\": ")),
        piece(0, json("\"issues\"}")),
        end(0),
        begin(1, found(&["github__list"])),
        end(1),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    let (streamed, _) = stream(&events);
    let parts = |response: ModelResponse| response.message.unwrap().content;
    let whole = decode(json!({"content": [search(), found(&["github__list"])]}));
    assert_eq!(parts(streamed.unwrap()), parts(whole));
}

#[test]
fn search_that_found_a_tool_that_is_gone_is_not_sent_back() {
    let blocks = json!([search(), found(&["github__list", "github__gone"]), call()]);
    let tools = json!([lazy("github/list"), lazy("github/close")]);
    let sent = body(SONNET, json!({"messages": round(blocks.clone()), "tools": tools}));
    assert_eq!(sent["messages"][1]["content"], json!([call()]));
    // Otherwise the model would not receive the definition of the tool.
    assert_eq!(sent["tools"][1]["defer_loading"], Value::Null, "{}", sent["tools"]);
    assert_eq!(sent["tools"][2]["defer_loading"], true);

    // A request without a search does not need the blocks.
    let plain = json!([{"name": "github/list", "description": ""}]);
    let blocks = json!([search(), found(&["github__list"]), call()]);
    let sent = body(SONNET, json!({"messages": round(blocks), "tools": plain}));
    assert_eq!(sent["messages"][1]["content"], json!([call()]));
}

#[test]
fn tool_that_another_provider_found_is_sent_as_usual() {
    let called = |part: Part| serde_json::to_value(Message::model("").with(part)).unwrap();
    let request = genkit_core::ToolRequest::new("github/list", json!({}));
    let answer = Part::from(request.respond("none"));
    let history =
        json!([user(), called(Part::tool_request(request)), {"role": "tool", "content": [answer]}]);
    let tools = json!([lazy("github/list"), lazy("github/close")]);
    let sent = body(SONNET, json!({"messages": history, "tools": tools}));
    assert_eq!(sent["tools"][1]["defer_loading"], Value::Null, "{}", sent["tools"]);
    assert_eq!(sent["tools"][2]["defer_loading"], true);

    let sent = body(
        SONNET,
        json!({"messages": [user()], "tools": tools, "toolChoice": "required", "toolChoiceName": "github/close"}),
    );
    let deferred: Vec<bool> = sent["tools"].as_array().unwrap()[1..]
        .iter()
        .map(|tool| tool["defer_loading"] == true)
        .collect();
    assert_eq!(
        (deferred, &sent["tool_choice"]["name"]),
        (vec![true, false], &json!("github__close"))
    );
}
