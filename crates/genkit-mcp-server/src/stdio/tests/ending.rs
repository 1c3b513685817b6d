//! Tests of the end of a connection.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::{call, ended, open, serve, sum};
use crate::stdio::{FINISH, StdioLimits};

#[tokio::test]
async fn requests_before_the_end_of_input_are_answered() {
    let (serving, mut client) = open(StdioLimits::default()).await;
    for id in 0..10 {
        client.line(call(json!(id), if id % 2 == 0 { "add" } else { "later" }, 1, 1)).await;
    }
    // The last line does not need a newline.
    client.send(call(json!(10), "add", 1, 1)).await;
    client.input.shutdown().await.unwrap();
    let mut ids: Vec<i64> =
        client.rest().await.iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..=10).collect::<Vec<_>>());
    ended(serving).await.unwrap();
}

/// The connection ends without waiting for an open question.
#[tokio::test(start_paused = true)]
async fn open_question_ends_with_the_input() {
    let (serving, mut client) = open(StdioLimits::default()).await;
    client.line(call(json!(1), "ask", 0, 0)).await;
    assert_eq!(client.receive().await.unwrap()["method"], "elicitation/create");
    let before = Instant::now();
    client.input.shutdown().await.unwrap();
    let rest = client.rest().await;
    assert!(sum(&rest[0]).contains("the client has disconnected"), "{rest:?}");
    ended(serving).await.unwrap();
    assert!(before.elapsed() < FINISH, "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn endless_call_is_waited_for_once() {
    let (serving, mut client) = open(StdioLimits::default()).await;
    client.line(call(json!(1), "wait", 0, 0)).await;
    let before = Instant::now();
    client.input.shutdown().await.unwrap();
    assert!(client.rest().await.is_empty());
    ended(serving).await.unwrap();
    let waited = before.elapsed();
    assert!(waited >= FINISH && waited < FINISH + Duration::from_secs(1), "{waited:?}");
}

#[tokio::test]
async fn stream_of_notifications_is_answered_where_the_server_ends_it() {
    let (serving, mut client) = serve(1 << 16, StdioLimits::default());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    for id in [1, 2] {
        let listen =
            json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params});
        client.line(listen.to_string()).await;
        let first = client.receive().await.unwrap();
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
        assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    }
    // A cancelled request receives no response.
    let cancelled = json!({"requestId": 1});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    client.line(cancelled.to_string()).await;
    client.input.shutdown().await.unwrap();
    let rest = client.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!((&rest[0]["id"], &rest[0]["result"]["resultType"]), (&json!(2), &json!("complete")));
    ended(serving).await.unwrap();
}

#[tokio::test]
async fn disconnected_client_ends_the_connection() {
    let (serving, client) = open(StdioLimits::default()).await;
    drop(client);
    let _ = ended(serving).await;
}
