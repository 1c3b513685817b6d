//! Clients that do not read, or are gone.

use std::{io, time::Duration};

use rmcp::{
    RoleServer, ServiceExt,
    model::{EmptyObject, ErrorData, JsonRpcMessage, RequestId, ServerResult},
    service::TxJsonRpcMessage,
    transport::Transport,
};
use serde_json::json;
use tokio::{io::AsyncWriteExt, time::timeout};

use super::{Adder, PATIENCE, add, connect};
use crate::mcp::server::stdio::StdioLimits;

const BRIEF: Duration = Duration::from_millis(100);

fn answer(id: i64) -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::response(ServerResult::EmptyResult(EmptyObject {}), RequestId::Number(id))
}

#[tokio::test]
async fn a_client_that_stops_reading_is_not_read_from() {
    let limits = StdioLimits { queued_bytes: 8 * 1024, ..StdioLimits::default() };
    let (transport, mut client) = connect(1024, limits);
    let (service, ()) = tokio::join!(Adder.serve(transport), client.initialize());
    let _service = service.unwrap();
    let mut sent = 0;
    // Sooner or later the server takes no more.
    loop {
        let line = add(json!(sent), sent, 1) + "\n";
        match timeout(BRIEF, client.input.write_all(line.as_bytes())).await {
            Ok(written) => written.unwrap(),
            Err(_) => break,
        }
        sent += 1;
        assert!(sent < 5000, "the server reads on and on");
    }
    // What was asked is answered as soon as the client reads; the line that was cut off is not.
    let mut answers = Vec::new();
    while answers.len() < usize::try_from(sent).unwrap() {
        let answer = client.receive().await.unwrap();
        assert_eq!(super::sum(&answer), (answer["id"].as_i64().unwrap() + 1).to_string());
        answers.push(answer["id"].as_i64().unwrap());
    }
    answers.sort_unstable();
    assert_eq!(answers, (0..sent).collect::<Vec<_>>());
}

#[tokio::test]
async fn refusals_wait_for_the_client_too() {
    let limits = StdioLimits { queued_bytes: 8 * 1024, ..StdioLimits::default() };
    let (mut transport, mut client) = connect(1024, limits);
    let server = tokio::spawn(async move { while transport.receive().await.is_some() {} });
    let flood = "broken\n".repeat(200);
    let mut sent = 0;
    while timeout(BRIEF, client.input.write_all(flood.as_bytes())).await.is_ok() {
        sent += flood.len();
        assert!(sent < 1 << 20, "the server reads on and on");
    }
    server.abort();
}

#[tokio::test]
async fn a_sender_waits_above_the_limit() {
    let (mut transport, mut client) =
        connect(64, StdioLimits { queued_bytes: 512, ..StdioLimits::default() });
    let mut waiting = None;
    for id in 0..100 {
        let mut send = Box::pin(transport.send(answer(id)));
        if timeout(BRIEF, &mut send).await.is_err() {
            waiting = Some(send);
            break;
        }
    }
    let waiting = waiting.expect("a full queue");
    for id in 0..5 {
        assert_eq!(client.receive().await.unwrap()["id"], id);
    }
    timeout(PATIENCE, waiting).await.expect("room again").unwrap();
}

#[tokio::test]
async fn closing_writes_what_is_queued() {
    let (mut transport, mut client) = connect(64, StdioLimits::default());
    for id in 0..100 {
        // Nobody runs these futures: the queue holds the messages all the same.
        drop(transport.send(answer(id)));
    }
    let (closed, answers) = tokio::join!(transport.close(), async {
        let mut answers = Vec::new();
        while let Some(answer) = client.receive().await {
            answers.push(answer["id"].as_i64().unwrap());
        }
        answers
    });
    closed.unwrap();
    assert_eq!(answers, (0..100).collect::<Vec<_>>());
    let late = transport.send(answer(0)).await.unwrap_err();
    assert_eq!(late.kind(), io::ErrorKind::NotConnected);
}

#[tokio::test]
async fn closing_does_not_wait_for_ever() {
    let (mut transport, _client) =
        connect(16, StdioLimits { close_flush: BRIEF, ..StdioLimits::default() });
    transport.send(answer(1)).await.unwrap();
    let error = timeout(PATIENCE, transport.close()).await.expect("an end").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn the_end_of_input_waits_for_what_is_queued() {
    let (mut transport, mut client) = connect(16, StdioLimits::default());
    transport.send(answer(1)).await.unwrap();
    client.input.shutdown().await.unwrap();
    assert!(timeout(BRIEF, transport.receive()).await.is_err());
    let (end, answer) = tokio::join!(transport.receive(), client.receive());
    assert!(end.is_none() && answer.unwrap()["id"] == 1);
}

#[tokio::test]
async fn the_end_of_input_waits_for_what_runs() {
    let (mut transport, mut client) = connect(1 << 16, StdioLimits::default());
    client.line(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string()).await;
    client.input.shutdown().await.unwrap();
    assert!(transport.receive().await.is_some());
    assert!(timeout(BRIEF, transport.receive()).await.is_err());
    transport.send(answer(1)).await.unwrap();
    assert!(timeout(PATIENCE, transport.receive()).await.unwrap().is_none());
}

#[tokio::test]
async fn the_end_of_input_does_not_wait_for_ever() {
    let limits = StdioLimits { finish: BRIEF, ..StdioLimits::default() };
    let (mut transport, mut client) = connect(1 << 16, limits);
    client.line(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string()).await;
    client.input.shutdown().await.unwrap();
    assert!(transport.receive().await.is_some());
    assert!(timeout(PATIENCE, transport.receive()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_dropped_transport_still_writes() {
    let (mut transport, mut client) = connect(16, StdioLimits::default());
    transport.send(answer(1)).await.unwrap();
    drop(transport);
    assert_eq!(client.receive().await.unwrap()["id"], 1);
    assert!(client.receive().await.is_none());
}

#[tokio::test]
async fn an_error_is_sent_once_it_is_written() {
    let (mut transport, mut client) = connect(16, StdioLimits::default());
    let error = ErrorData::internal_error("sorry", None);
    let mut send = Box::pin(transport.send(JsonRpcMessage::error(error, None)));
    assert!(timeout(BRIEF, &mut send).await.is_err());
    let (sent, answer) = tokio::join!(send, client.receive());
    sent.unwrap();
    assert_eq!(answer.unwrap()["error"]["message"], "sorry");
}

#[tokio::test]
async fn a_client_that_is_gone_ends_the_session() {
    let (mut transport, client) = connect(1 << 16, StdioLimits::default());
    drop(client);
    let error = transport.send(answer(1)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(transport.receive().await.is_none());
    assert_eq!(transport.close().await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
