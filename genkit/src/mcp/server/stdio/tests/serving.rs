//! Whole sessions over rmcp.

use std::collections::BTreeSet;

use rmcp::{
    ServiceExt,
    model::{JsonRpcMessage, RequestId},
    service::RunningService,
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::{Adder, Client, add, connect, sum};
use crate::mcp::server::stdio::StdioLimits;

type Running = RunningService<rmcp::RoleServer, Adder>;

async fn open(limits: StdioLimits) -> (Running, Client) {
    open_over(1 << 16, limits).await
}

async fn open_over(pipe_bytes: usize, limits: StdioLimits) -> (Running, Client) {
    let (transport, mut client) = connect(pipe_bytes, limits);
    let (service, ()) = tokio::join!(Adder.serve(transport), client.initialize());
    (service.unwrap(), client)
}

#[tokio::test]
async fn every_broken_line_is_answered_and_the_next_request_served() {
    let limits = StdioLimits { line_bytes: 1000, ..StdioLimits::default() };
    let (_service, mut client) = open(limits).await;
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
    // Silence: neither of these is answered, so that the next answer is the check's.
    client.send("\r\n\n   \n").await;
    client.line(format!(r#"{{"jsonrpc":"2.0","method":"m","params":"{long}"}}"#)).await;
    client.line(r#"{"jsonrpc":"1.0","method":"m"}"#).await;
    client.send(b"\xEF\xBB\xBF").await;
    client.send(add(json!(9), 1, 1) + "\r\n").await;
    assert_eq!(client.receive().await.unwrap()["id"], 9);
}

#[tokio::test]
async fn an_oversize_line_says_how_much_is_allowed() {
    let (_service, mut client) =
        open(StdioLimits { line_bytes: 500, ..StdioLimits::default() }).await;
    for (length, fits) in [(499, true), (500, true), (501, false)] {
        let mut line = add(json!(length), 40, 2);
        line.push_str(&" ".repeat(length - line.len()));
        client.line(&line).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["id"], length);
        let message = answer["error"]["message"].as_str();
        assert_eq!(message, (!fits).then_some("the line is longer than 500 bytes"));
    }
}

/// A pipe that is always full makes the writers take turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_calls_in_flight_are_all_answered() {
    for pipe_bytes in [1 << 16, 200] {
        let (_service, mut client) = open_over(pipe_bytes, StdioLimits::default()).await;
        for round in 0..50 {
            let calls: Vec<String> = (0..64).map(|n| add(json!(n), round, n) + "\n").collect();
            client.send(calls.concat()).await;
            let mut open: BTreeSet<i64> = (0..64).collect();
            while !open.is_empty() {
                let answer = client.receive().await.unwrap();
                let id = answer["id"].as_i64().unwrap();
                assert!(open.remove(&id), "answered twice: {answer}");
                assert_eq!(sum(&answer), (round + id).to_string());
            }
        }
    }
}

#[tokio::test]
async fn what_was_asked_before_the_end_of_input_is_answered() {
    let (service, mut client) = open(StdioLimits::default()).await;
    for id in 0..10 {
        client.line(add(json!(id), 1, 1)).await;
    }
    // The last line needs no newline.
    client.send(add(json!(10), 1, 1)).await;
    client.input.shutdown().await.unwrap();
    let mut answers = BTreeSet::new();
    while let Some(answer) = client.receive().await {
        answers.insert(answer["id"].as_i64().unwrap());
    }
    assert_eq!(answers, (0..=10).collect());
    service.waiting().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_read_loses_nothing() {
    let (mut transport, mut client) = connect(1 << 16, StdioLimits::default());
    let line = super::initialize() + "\n";
    let (first, rest) = line.split_at(30);
    client.send(first).await;
    for _ in 0..3 {
        let brief = std::time::Duration::from_millis(5);
        assert!(tokio::time::timeout(brief, transport.receive()).await.is_err());
    }
    client.send(rest).await;
    let Some(JsonRpcMessage::Request(request)) = transport.receive().await else { panic!("none") };
    assert_eq!(request.request.method(), "initialize");
}

#[tokio::test]
async fn an_oversize_answer_reaches_who_waits_for_it() {
    let (mut transport, mut client) =
        connect(1 << 16, StdioLimits { line_bytes: 300, ..StdioLimits::default() });
    client.line(super::initialize()).await;
    transport.receive().await.unwrap();
    client.line(format!(r#"{{"jsonrpc":"2.0","id":3,"result":"{}"}}"#, "x".repeat(300))).await;
    let Some(JsonRpcMessage::Error(error)) = transport.receive().await else { panic!("no error") };
    assert_eq!(error.id, Some(RequestId::Number(3)));
    assert!(error.error.message.contains("longer than 300 bytes"));
}
