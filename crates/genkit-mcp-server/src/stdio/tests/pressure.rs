//! Tests of clients that do not read.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::{call, ended, initialize, serve, sum};
use crate::stdio::StdioLimits;

const BRIEF: Duration = Duration::from_millis(100);

#[tokio::test]
async fn client_that_stops_reading_is_not_read_from() {
    for tool in ["add", "later"] {
        let limits = StdioLimits { queued_bytes: 8 * 1024, ..StdioLimits::default() };
        let (_serving, mut client) = serve(1024, limits);
        client.line(initialize()).await;
        client.receive().await.unwrap();
        let mut sent = 0;
        // Eventually the server stops reading.
        loop {
            let line = call(json!(sent), tool, sent, 1) + "\n";
            match timeout(BRIEF, client.input.write_all(line.as_bytes())).await {
                Ok(written) => written.unwrap(),
                Err(_) => break,
            }
            sent += 1;
            assert!(sent < 5000, "the server does not stop reading");
        }
        // Complete requests receive responses when the client reads; the truncated line does not.
        let mut answers = Vec::new();
        while answers.len() < usize::try_from(sent).unwrap() {
            let answer = client.receive().await.unwrap();
            assert_eq!(sum(&answer), (answer["id"].as_i64().unwrap() + 1).to_string());
            answers.push(answer["id"].as_i64().unwrap());
        }
        answers.sort_unstable();
        assert_eq!(answers, (0..sent).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn rejections_also_apply_backpressure() {
    let limits = StdioLimits { queued_bytes: 8 * 1024, ..StdioLimits::default() };
    let (serving, mut client) = serve(1024, limits);
    let flood = "broken\n".repeat(200);
    let mut sent = 0;
    while timeout(BRIEF, client.input.write_all(flood.as_bytes())).await.is_ok() {
        sent += flood.len();
        assert!(sent < 1 << 20, "the server does not stop reading");
    }
    serving.abort();
}

#[tokio::test]
async fn end_does_not_wait_for_a_client_that_does_not_read() {
    let limits = StdioLimits { close_flush: BRIEF, finish: BRIEF, ..StdioLimits::default() };
    let (serving, mut client) = serve(16, limits);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    client.input.shutdown().await.unwrap();
    assert!(ended(serving).await.is_err());
}
