//! Bodies that are not requests.

use serde_json::{Value, json};

use super::here::{Here, calculator};
use super::wire::{Answer, Wire, call, in_session};
use crate::server::Server;

/// The default limit of a body.
const FOUR_MEBIBYTES: usize = 4 * 1024 * 1024;

/// A limit that fits into the buffers of a connection, so that everything is sent before the response arrives.
const LIMIT: usize = 10_000;

fn server() -> (Server, Wire) {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    (server, wire)
}

/// Checks that the response is an error that belongs to no request.
fn assert_refused(answer: &Answer, status: u16, code: i64) {
    assert_eq!((answer.status, answer.code()), (status, code), "{answer:?}");
    assert_eq!(answer.message()["id"], Value::Null, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
}

#[test]
fn invalid_json_body_is_a_parse_error() {
    let (_server, wire) = server();
    let session = wire.open(&[]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for broken in ["", "hello", "{\"jsonrpc\":\"2.0\",", "{\"a\":}", &deep] {
        let shown = &broken[..broken.len().min(40)];
        eprintln!("{shown}");
        assert_refused(&wire.post_raw(&[], broken.as_bytes()), 400, -32700);
        assert_refused(&wire.post_raw(&in_session(&session), broken.as_bytes()), 400, -32700);
    }
    assert_refused(&wire.post_raw(&[], b"{\"jsonrpc\":\"\xff\xfe\"}"), 400, -32700);
}

#[test]
fn json_that_is_not_a_message_is_an_invalid_request() {
    let (_server, wire) = server();
    let session = wire.open(&[]);
    for strange in [
        "[]",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
        "5",
        "null",
        "{}",
        "\"text\"",
    ] {
        eprintln!("{strange}");
        assert_refused(&wire.post_raw(&[], strange.as_bytes()), 400, -32600);
        assert_refused(&wire.post_raw(&in_session(&session), strange.as_bytes()), 400, -32600);
    }
}

#[test]
fn body_of_another_type_is_not_read() {
    let (_server, wire) = server();
    let answer = wire.send("POST", &[("content-type", "text/plain")], b"{}").expect("an answer");
    assert!(matches!(answer.status, 406 | 415), "{answer:?}");
}

#[test]
fn body_over_the_limit_is_too_large() {
    let here = Here::serve(calculator().max_message(LIMIT).router().expect("a router"));
    let wire = Wire::to(here.url());
    let session = wire.open(&[]);
    let message = call("add", &json!({ "a": 2, "b": 40 })).to_string();
    let padded = |length: usize| format!("{message:length$}");
    let answer = wire.post_raw(&in_session(&session), padded(LIMIT).as_bytes());
    assert_eq!(answer.message()["result"]["content"][0]["text"], "42", "{answer:?}");
    let answer = wire.post_raw(&in_session(&session), padded(LIMIT + 1).as_bytes());
    assert_refused(&answer, 413, -32600);
}

#[test]
fn default_body_limit_is_four_mebibytes() {
    let (_server, wire) = server();
    let session = wire.open(&[]);
    let almost = "x".repeat(FOUR_MEBIBYTES - 1024);
    let answer = wire.call(&session, "count_words", &json!({ "text": almost }));
    assert_eq!(answer.message()["result"]["content"][0]["text"], "1", "{}", answer.status);
    let message = call("count_words", &json!({ "text": "x".repeat(FOUR_MEBIBYTES) })).to_string();
    // The server may close the connection before everything was sent, so that no response can be read.
    let usual =
        [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    match wire.send("POST", &[&usual[..], &in_session(&session)].concat(), message.as_bytes()) {
        Ok(answer) => assert_refused(&answer, 413, -32600),
        Err(error) => eprintln!("the server hung up: {error}"),
    }
}

#[test]
fn malformed_params_are_distinguished_from_unknown_names() {
    let (_server, wire) = server();
    let session = wire.open(&[]);
    for (method, params, code) in [
        ("tools/call", json!({ "name": "add", "arguments": 5 }), -32602),
        ("tools/call", json!({ "arguments": {} }), -32602),
        ("tools/call", json!({ "name": 5 }), -32602),
        ("tools/call", json!({ "name": "no_such_tool" }), -32602),
        ("prompts/get", json!({ "name": "explain", "arguments": {} }), -32602),
        ("no/such/method", json!({}), -32601),
    ] {
        let message = json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": params });
        let answer = wire.post(&in_session(&session), &message);
        assert_eq!((answer.status, answer.code()), (200, code), "{message}: {answer:?}");
        assert_eq!(answer.message()["id"], 9);
    }
    let answer = wire.call(&session, "add", &json!({ "a": "two", "b": 1 }));
    assert_eq!(answer.message()["result"]["isError"], true, "{answer:?}");
}

#[test]
fn same_in_the_era_without_sessions() {
    let (_server, wire) = server();
    let answer = wire.call_alone("add", &json!({ "a": 2, "b": 40 }));
    assert_eq!(answer.message()["result"]["structuredContent"], 42, "{answer:?}");
    let answer = wire.call_alone("add", &json!({ "a": "two", "b": 1 }));
    assert_eq!(answer.message()["result"]["isError"], true, "{answer:?}");
    assert_eq!(wire.call_alone("no_such_tool", &json!({})).code(), -32602);
    assert_eq!(wire.call_alone("add", &json!(5)).code(), -32602);
}

#[test]
fn methods_that_the_newer_era_took_away_are_not_found_there() {
    let (_server, wire) = server();
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({})),
        ("logging/setLevel", json!({ "level": "info" })),
        ("resources/subscribe", json!({})),
        ("resources/subscribe", json!({ "uri": "note://1" })),
        ("resources/unsubscribe", json!({ "uri": "note://1" })),
        ("no/such/method", json!({})),
    ] {
        let answer = wire.ask_alone(method, params.clone());
        assert_eq!((answer.status, answer.code()), (404, -32601), "{method} {params}: {answer:?}");
    }
}
