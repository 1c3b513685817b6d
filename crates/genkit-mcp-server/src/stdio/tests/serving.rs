//! Tests of complete sessions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Client, call, initialize, open, serve, sum};
use crate::stdio::StdioLimits;

#[tokio::test]
async fn every_broken_line_is_answered_and_the_next_request_served() {
    let limits = StdioLimits { line_bytes: 1000, ..StdioLimits::default() };
    let (_serving, mut client) = open(limits).await;
    let long = "x".repeat(1000);
    let deep = "[".repeat(200) + &"]".repeat(200);
    for (line, code, id) in [
        ("broken".to_owned(), -32700, Value::Null),
        ("[]".to_owned(), -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#.to_owned(), -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":5}"#.to_owned(), -32600, json!(5)),
        (
            format!(r#"{{"jsonrpc":"2.0","id":6,"method":"ping","params":{deep}}}"#),
            -32600,
            json!(6),
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":"{long}"}}"#),
            -32600,
            json!(7),
        ),
        (
            format!(r#"{{"method":"ping","params":"{long}","jsonrpc":"2.0","id":8}}"#),
            -32600,
            json!(8),
        ),
        (long.repeat(3), -32600, Value::Null),
    ] {
        client.line(&line).await;
        let answer = client.receive().await.unwrap();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{answer}");
        assert!(answer.as_object().unwrap().contains_key("id"));
        client.check("good").await;
    }
    client.line(b"\xFF\xFE").await;
    assert_eq!(client.receive().await.unwrap()["error"]["code"], -32700);
    // None of these receives a response, so the next response is for request 9.
    client.send("\r\n\n   \n").await;
    client.line(format!(r#"{{"jsonrpc":"2.0","method":"m","params":"{long}"}}"#)).await;
    client.line(r#"{"jsonrpc":"1.0","method":"m"}"#).await;
    client.send(b"\xEF\xBB\xBF").await;
    client.send(call(json!(9), "add", 1, 1) + "\r\n").await;
    assert_eq!(client.receive().await.unwrap()["id"], 9);
}

#[tokio::test]
async fn oversized_line_error_states_the_limit() {
    let limits = StdioLimits { line_bytes: 500, ..StdioLimits::default() };
    let (_serving, mut client) = open(limits).await;
    for (length, fits) in [(499, true), (500, true), (501, false)] {
        let mut line = call(json!(length), "add", 40, 2);
        line.push_str(&" ".repeat(length - line.len()));
        client.line(&line).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["id"], length);
        let message = answer["error"]["message"].as_str();
        assert_eq!(message, (!fits).then_some("the line is longer than 500 bytes"));
    }
}

/// The small pipe is always full, so writers have to take turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_calls_in_flight_are_all_answered() {
    for (pipe_bytes, tool) in [(1 << 16, "add"), (1 << 16, "later"), (200, "add"), (200, "later")] {
        let (_serving, mut client) = serve(pipe_bytes, StdioLimits::default());
        client.line(initialize()).await;
        client.receive().await.unwrap();
        for round in 0..50 {
            let calls: String = (0..64).map(|n| call(json!(n), tool, round, n) + "\n").collect();
            let Client { input, output } = client;
            let mut open: BTreeSet<i64> = (0..64).collect();
            let sending = tokio::spawn(async move {
                let mut input = input;
                tokio::io::AsyncWriteExt::write_all(&mut input, calls.as_bytes()).await.unwrap();
                input
            });
            let mut rest = Client { input: tokio::io::split(tokio::io::duplex(1).0).1, output };
            while !open.is_empty() {
                let answer = rest.receive().await.unwrap();
                let id = answer["id"].as_i64().unwrap();
                assert!(open.remove(&id), "answered twice: {answer}");
                assert_eq!(sum(&answer), (round + id).to_string());
            }
            client = Client { input: sending.await.unwrap(), output: rest.output };
        }
    }
}

/// A function that never waits does not block the connection, and ends when it is cancelled.
#[tokio::test]
async fn function_that_never_waits_for_anything_can_be_cancelled() {
    let (_serving, mut client) = open(StdioLimits::default()).await;
    for with_token in [false, true] {
        let mut report: Value = serde_json::from_str(&call(json!(1), "report", 0, 0)).unwrap();
        if with_token {
            report["params"]["_meta"] = json!({"progressToken": 1});
        }
        client.line(report.to_string()).await;
        client.line(call(json!(2), "add", 40, 2)).await;
        while client.receive().await.unwrap()["id"] != 2 {}
        let cancelled = json!({"requestId": 1});
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
        client.line(cancelled.to_string()).await;
        // The id can be used again.
        client.line(call(json!(1), "add", 40, 2)).await;
        loop {
            let answer = client.receive().await.unwrap();
            if answer["id"] == 1 {
                assert_eq!(sum(&answer), "42");
                break;
            }
        }
        client.line(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#).await;
        while client.receive().await.unwrap()["id"] != 3 {}
    }
}

/// The responses do not depend on how the input is split.
#[tokio::test]
async fn every_split_of_the_input_gives_the_same_answers() {
    let session = [
        initialize(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        call(json!("ü"), "add", 1, 2),
        "broken".to_owned(),
        call(json!(2), "later", 1, 2),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#.to_owned(),
    ]
    .join("\n");
    let bytes = session.as_bytes();
    let mut whole = None;
    for split in 0..bytes.len() {
        let (_serving, mut client) = serve(1 << 16, StdioLimits::default());
        client.send(&bytes[..split]).await;
        tokio::task::yield_now().await;
        client.send(&bytes[split..]).await;
        tokio::io::AsyncWriteExt::shutdown(&mut client.input).await.unwrap();
        let mut answers: Vec<String> =
            client.rest().await.iter().map(ToString::to_string).collect();
        answers.sort_unstable();
        assert_eq!(answers.len(), 5, "{answers:?}");
        let expected = whole.get_or_insert_with(|| answers.clone());
        assert_eq!(&answers, expected, "split at {split}");
    }
}
