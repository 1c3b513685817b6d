//! Requests to which a server does not respond correctly (rmcp.md 3.5 and 3.6).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use genkit::mcp::host::{McpEvent, McpHost, ServerState};
use genkit::{Elicited, ErrorKind};
use serde_json::json;

use super::{Faulty, mark, says, server, within};

#[tokio::test]
async fn call_that_is_never_answered_ends() {
    let server = Faulty::with("hang-call", |server| server.timeout(Duration::from_millis(500)));
    server.ready().await.unwrap();
    let error = server.call("echo", json!({})).await.unwrap_err();
    says(&error, &["did not respond to `echo` within 500ms", ".timeout(..)"]);
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    // Other requests are not delayed, and the server still works.
    assert_eq!(server.client.tools().await.unwrap().len(), 1);
    server.end().await;
}

#[tokio::test]
async fn answer_that_cannot_be_read_fails_its_call_at_once() {
    for (mode, wanted) in
        [("no-id-error", "which request?"), ("wrong-jsonrpc", "jsonrpc"), ("string-error", "boom")]
    {
        let server = Faulty::new(mode);
        server.ready().await.unwrap();
        let started = Instant::now();
        let error = server.call("echo", json!({})).await.unwrap_err();
        says(&error, &[wanted]);
        // Less than the time limit of one minute.
        assert!(started.elapsed() < Duration::from_secs(30), "{mode}: {:?}", started.elapsed());
        assert_eq!(server.client.status().state, ServerState::Connected, "{mode}");
        server.end().await;
    }
}

#[tokio::test]
async fn line_of_100_mb_fails_its_own_call_only() {
    let server = Faulty::new("long-line");
    let error = server.call("big", json!({})).await.unwrap_err();
    says(&error, &["16777216", ".max_message(..)"]);
    server.echoes().await;
    let fits = server.call("big", json!({"bytes": 1_000_000})).await.unwrap();
    assert_eq!(fits.as_str().unwrap().len(), 1_000_000);
    server.end().await;
}

#[tokio::test]
async fn answer_of_too_many_values_fails_its_own_call_only() {
    let server = Faulty::new("many-values");
    let error = server.call("many", json!({})).await.unwrap_err();
    says(&error, &["more than 200000 values"]);
    server.echoes().await;
    assert_eq!(server.client.status().state, ServerState::Connected);
    server.end().await;
}

#[tokio::test]
async fn invalid_message_is_skipped() {
    let server = Faulty::new("garbage");
    server.ready().await.unwrap();
    server.echoes().await;
    assert_eq!(server.client.tools().await.unwrap().len(), 1);
    server.end().await;
}

#[tokio::test]
async fn odd_results_are_read_as_far_as_they_go() {
    let server = Faulty::new("odd");
    server.echoes().await;
    // Texts are read even if their block has no type, or is a bare string.
    let all = json!([
        {"text": "known"},
        {"data": {"type": "hologram", "points": [1, 2]}},
        {"text": "no type"},
        {"text": "no object"},
    ]);
    assert_eq!(server.call("blocks", json!({})).await.unwrap(), all);
    assert_eq!(server.call("lists", json!({})).await.unwrap(), json!({"a": 1}));
    assert_eq!(server.call("kind", json!({})).await.unwrap(), "known");
    let error = server.call("shape", json!({})).await.unwrap_err();
    says(
        &error,
        &["a result for `tools/call` with neither `content` nor `structuredContent`", "[1,2]"],
    );
    server.end().await;
}

#[tokio::test]
async fn endless_questions_are_stopped() {
    let (mark, asked) = (mark("mrtr-forever"), Arc::new(Mutex::new(0)));
    let count = Arc::clone(&asked);
    let host = McpHost::builder()
        .server("s", server("mrtr-forever", &mark))
        .on_elicit(move |_| {
            *count.lock().unwrap() += 1;
            async { Elicited::Accepted(json!({"ok": true})) }
        })
        .build()
        .unwrap();
    let error = within(host.call_tool("s/echo", json!({}))).await.unwrap_err();
    says(&error, &["responded to `echo` with questions 10 times"]);
    assert_eq!(host.status()[0].protocol_version.as_deref(), Some("2026-07-28"));
    assert!(*asked.lock().unwrap() <= 11);
    within(host.close()).await;
    assert_eq!(super::processes(&mark), [0_u32; 0]);
}

#[tokio::test]
async fn result_of_unknown_type_is_an_error() {
    let server = Faulty::new("unknown-result");
    let error = server.call("echo", json!({})).await.unwrap_err();
    says(
        &error,
        &["for `echo`", "of the unknown type \"promise\"", "`complete` and `input_required`"],
    );
    assert_eq!(error.kind(), genkit::ErrorKind::Unimplemented);
    server.end().await;
}

#[tokio::test]
async fn server_that_floods_is_cut_off() {
    let (mark, logs) = (mark("flood"), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&logs);
    let host = McpHost::builder()
        .server("s", server("flood", &mark))
        .max_notifications(5000)
        .on_event(move |event| {
            if let McpEvent::Log { data, .. } = event {
                heard.lock().unwrap().push(data.as_u64().unwrap());
            }
        })
        .build()
        .unwrap();
    let error = within(host.call_tool("s/echo", json!({}))).await.unwrap_err();
    says(&error, &["more than 5000 notifications in a second"]);
    // Messages arrived in order, and none was lost before the connection was cut.
    let logs = logs.lock().unwrap().clone();
    assert!(logs.len() >= 5000 && logs.iter().enumerate().all(|(at, n)| at as u64 == *n));
    within(host.close()).await;
    assert_eq!(super::processes(&mark), [0_u32; 0]);
}

#[tokio::test]
async fn server_that_talks_much_may_be_listened_to() {
    let mark = mark("flood");
    let host = McpHost::builder()
        .server("s", server("flood", &mark))
        .max_notifications(u32::MAX)
        .build()
        .unwrap();
    let echo = within(host.call_tool("s/echo", json!({"text": "hi"}))).await.unwrap();
    assert_eq!(echo, json!({"text": "hi"}));
    within(host.close()).await;
}
