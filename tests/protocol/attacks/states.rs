//! A sealed state can be used once, and only for its purpose.

use serde_json::{Value, json};

use crate::pipe::Pipe;
use crate::raw::{self, Client, Era, host, within};
use crate::server::Server;

const TOOL: &str = "test_input_required_result_request_state";

/// Returns the parameters of a later round.
fn round(tool: &str, state: &Value, responses: &Value) -> Value {
    json!({
        "name": tool, "arguments": {}, "requestState": state, "inputResponses": responses
    })
}

fn yes(key: &str) -> Value {
    json!({ key: { "action": "accept", "content": { "ok": true } } })
}

/// Returns whether the response is that of a call that continued.
fn went_on(answer: &Value) -> bool {
    answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("state-ok"))
}

#[tokio::test]
async fn state_is_used_once_over_http() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut client = Client::open(to, host(1), Era::Modern).await;
    let asked = client.ask("tools/call", raw::call_params(TOOL, &json!({}))).await.unwrap();
    let state = &asked["result"]["requestState"];
    assert!(state.is_string(), "{asked}");
    let params = round(TOOL, state, &yes("confirm"));
    let first = client.ask("tools/call", params.clone()).await.unwrap();
    assert!(went_on(&first), "{first}");
    let mut other = Client::open(to, host(2), Era::Modern).await;
    for (who, again) in [
        ("the same client", client.ask("tools/call", params.clone()).await.unwrap()),
        ("another", other.ask("tools/call", params).await.unwrap()),
    ] {
        assert!(!went_on(&again), "{who} uses it again: {again}");
    }
}

#[tokio::test]
async fn state_that_is_used_many_times_at_once_is_used_once() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut client = Client::open(to, host(1), Era::Modern).await;
    let asked = client.ask("tools/call", raw::call_params(TOOL, &json!({}))).await.unwrap();
    let params = round(TOOL, &asked["result"]["requestState"], &yes("confirm"));
    let mut calls = Vec::new();
    for _ in 0..20 {
        calls.push(client.begin("tools/call", params.clone()).await.unwrap().1);
    }
    let mut used = 0;
    for call in &mut calls {
        let answer = within("an answer", call.answer()).await.unwrap();
        used += answer.messages().iter().filter(|message| went_on(message)).count();
    }
    assert_eq!(used, 1);
}

/// An answer must belong to a question that was asked in this state, and be of its kind.
#[tokio::test]
async fn only_what_was_asked_can_be_answered() {
    let server = Server::start("conformance", &[]);
    let mut client = Client::open(raw::address(&server), host(1), Era::Modern).await;
    let tool = "test_input_required_result_multi_round";
    let name = json!({ "action": "accept", "content": { "name": "Ada" } });
    let color = json!({ "action": "accept", "content": { "color": "red" } });
    let asked = client.ask("tools/call", raw::call_params(tool, &json!({}))).await.unwrap();
    let both = json!({ "step1": name, "step2": color });
    let params = round(tool, &asked["result"]["requestState"], &both);
    let answer = client.ask("tools/call", params).await.unwrap();
    let is_open = answer["result"]["inputRequests"]["step2"].is_object();
    assert!(is_open || answer["error"].is_object(), "answered before it was asked: {answer}");
    // A state belongs to one tool.
    let asked = client.ask("tools/call", raw::call_params(TOOL, &json!({}))).await.unwrap();
    let other = "test_input_required_result_tampered_state";
    let params = round(other, &asked["result"]["requestState"], &yes("confirm"));
    let answer = client.ask("tools/call", params).await.unwrap();
    assert!(!went_on(&answer), "{answer}");
}

/// A-03 (c): nothing can be approved if the user was shown no question.
#[tokio::test]
async fn nothing_is_approved_that_was_not_asked() {
    let server = Server::notes("attack-unasked");
    let mut client = Client::open(raw::address(&server), host(1), Era::Modern).await;
    client.call("add_note", json!({ "text": "keep me" })).await.unwrap();
    let asked = client.ask("tools/call", raw::call_params("delete_note", &json!({ "id": 1 })));
    let asked = asked.await.unwrap();
    let requests = asked["result"]["inputRequests"].as_object().expect("a question").clone();
    let key = requests.keys().next().unwrap().clone();
    for responses in [yes(&key), json!({ key.as_str(): { "action": "accept" } }), yes("approve")] {
        let mut params = raw::call_params("delete_note", &json!({ "id": 1 }));
        params["inputResponses"] = responses.clone();
        let answer = client.ask("tools/call", params).await.unwrap();
        assert!(answer["result"]["structuredContent"].is_null(), "{responses}: {answer}");
        let found = client.call("search_notes", json!({ "query": "keep" })).await.unwrap();
        assert!(found.to_string().contains("keep me"), "{responses}: {found}");
    }
}

#[test]
fn state_is_used_once_on_a_pipe() {
    let mut pipe = Pipe::start("conformance", &[]);
    let capabilities = json!({ "elicitation": {} });
    let with_meta = |mut params: Value| {
        params["_meta"] = raw::meta(&capabilities);
        params
    };
    let first = with_meta(raw::call_params(TOOL, &json!({})));
    let asked = pipe.request("tools/call", &first);
    let state = &asked["result"]["requestState"];
    let params = with_meta(round(TOOL, state, &yes("confirm")));
    assert!(went_on(&pipe.request("tools/call", &params)));
    let again = pipe.request("tools/call", &params);
    assert!(!went_on(&again), "{again}");
}
