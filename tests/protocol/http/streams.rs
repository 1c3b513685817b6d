//! Responses: a single message, or a resumable stream if other messages precede it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use genkit::context::Progress;
use genkit::mcp::McpServer;
use genkit::{Context, Genkit, Registry, Result, tool, tools};
use serde_json::{Value, json};

use super::here::Serving;
use super::raw::Raw;
use super::wire::{Wire, call, in_session};

static ENDED: AtomicU32 = AtomicU32::new(0);
static CANCELLED: AtomicU32 = AtomicU32::new(0);

/// Tells how far it is, and then rests.
#[tool]
async fn steps(ctx: &Context, count: u32, rest: u64) -> Result<String> {
    for step in 0..count {
        ctx.progress(Progress::new(f64::from(step))).await;
    }
    tokio::time::sleep(Duration::from_millis(rest)).await;
    ENDED.fetch_add(1, Ordering::SeqCst);
    Ok("through".to_owned())
}

/// Counts its own end when it is dropped.
#[tool]
async fn waits(ctx: &Context) -> String {
    struct Gone;
    impl Drop for Gone {
        fn drop(&mut self) {
            CANCELLED.fetch_add(1, Ordering::SeqCst);
        }
    }
    let _gone = Gone;
    ctx.progress(Progress::new(1.0)).await;
    std::future::pending().await
}

fn server() -> McpServer {
    let registry = Registry::new().add(tools![steps, waits]);
    Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

/// Returns a call that requests progress.
fn watched(name: &str, arguments: &Value) -> Value {
    let mut call = call(name, arguments);
    call["params"]["_meta"] = json!({ "progressToken": "t" });
    call
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn response_is_json_unless_a_message_precedes_it() {
    let serving = Serving::of(server());
    let session = Wire::to(&serving.url()).open(&[]);
    let mut raw = Raw::to(serving.address());
    // The same call twice, the second time with a request for progress.
    raw.post(&in_session(&session), &call("steps", &json!({ "count": 2, "rest": 0 })));
    let head = raw.head().expect("an answer");
    assert_eq!(head.header("content-type").map(str::trim), Some("application/json"), "{head:?}");
    assert!(raw.body(&head).contains("through"));
    raw.post(&in_session(&session), &watched("steps", &json!({ "count": 2, "rest": 50 })));
    let head = raw.head().expect("an answer");
    assert_eq!(head.header("content-type").map(str::trim), Some("text/event-stream"), "{head:?}");
    let events = raw.chunks();
    let told = events.matches("notifications/progress").count();
    assert_eq!((told, events.matches("through").count()), (2, 1), "{events}");
    assert!(events.starts_with("id: 1-0\nretry: 3000\ndata: \n\n"), "{events}");
    // The connection can be reused.
    raw.post(&in_session(&session), &call("steps", &json!({ "count": 0, "rest": 0 })));
    let head = raw.head().expect("an answer");
    assert!(raw.body(&head).contains("through"));
}

#[test]
fn disconnected_client_resumes_the_stream() {
    let serving = Serving::of(server());
    let session = Wire::to(&serving.url()).open(&[]);
    let mut lost = Raw::to(serving.address());
    lost.post(&in_session(&session), &watched("steps", &json!({ "count": 3, "rest": 300 })));
    lost.head().expect("an answer");
    let mut seen = String::new();
    while !seen.contains("id: 1-1\n") {
        seen += &lost.chunk();
    }
    drop(lost);
    let mut again = Raw::to(serving.address());
    again.get(&[&in_session(&session)[..], &[("last-event-id", "1-1")]].concat());
    assert_eq!(again.head().expect("an answer").status, 200);
    let rest = again.chunks();
    assert!(rest.starts_with("id: 1-2\n"), "{rest}");
    assert!(rest.contains("id: 1-4\n") && rest.contains("through"), "{rest}");
    assert!(!rest.contains("id: 1-1\n"), "{rest}");
    // The stream can also be read after it is complete.
    let mut late = Raw::to(serving.address());
    late.get(&[&in_session(&session)[..], &[("last-event-id", "1-3")]].concat());
    late.head().expect("an answer");
    let rest = late.chunks();
    assert!(rest.starts_with("id: 1-4\n") && rest.contains("through"), "{rest}");
}

#[test]
fn foreign_and_unknown_event_ids_yield_an_empty_stream() {
    let serving = Serving::of(server());
    let wire = Wire::to(&serving.url());
    let (session, other) = (wire.open(&[]), wire.open(&[]));
    let mut raw = Raw::to(serving.address());
    raw.post(&in_session(&session), &watched("steps", &json!({ "count": 1, "rest": 0 })));
    raw.head().expect("an answer");
    for (session, last) in [(&other, "1-0"), (&session, "9-0"), (&session, "strange")] {
        let mut raw = Raw::to(serving.address());
        raw.get(&[&in_session(session)[..], &[("last-event-id", last)]].concat());
        let head = raw.head().expect("an answer");
        assert_eq!((head.status, head.header("content-length").map(str::trim)), (200, Some("0")));
    }
}

#[test]
fn session_call_continues_after_a_disconnect() {
    let serving = Serving::of(server());
    let session = Wire::to(&serving.url()).open(&[]);
    let before = ENDED.load(Ordering::SeqCst);
    for says in [
        call("steps", &json!({ "count": 0, "rest": 200 })),
        watched("steps", &json!({ "count": 1, "rest": 200 })),
    ] {
        let mut raw = Raw::to(serving.address());
        raw.post(&in_session(&session), &says);
        std::thread::sleep(Duration::from_millis(50));
        drop(raw);
    }
    until("the end", || ENDED.load(Ordering::SeqCst) >= before + 2);
}

#[test]
fn call_without_a_session_ends_with_its_connection() {
    let serving = Serving::of(server());
    for token in [None, Some("t")] {
        let before = CANCELLED.load(Ordering::SeqCst);
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(token) = token {
            meta["progressToken"] = json!(token);
        }
        let mut message = call("waits", &json!({}));
        message["params"]["_meta"] = meta;
        let mut raw = Raw::to(serving.address());
        let version = ("mcp-protocol-version", "2026-07-28");
        raw.post(&[version, ("mcp-method", "tools/call"), ("mcp-name", "waits")], &message);
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(CANCELLED.load(Ordering::SeqCst), before, "it waits");
        drop(raw);
        until("the end", || CANCELLED.load(Ordering::SeqCst) > before);
    }
}

/// F-4: even at the moment when the session ends.
#[test]
fn request_to_a_session_that_ends_is_answered_or_not_found() {
    let serving = Serving::of(server());
    let url = serving.url();
    for _ in 0..20 {
        let session = Wire::to(&url).open(&[]);
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..4)
                .map(|_| {
                    let (wire, session) = (Wire::to(&url), &session);
                    scope.spawn(move || {
                        let calls = (0..5).map(|_| {
                            wire.call(session, "steps", &json!({ "count": 0, "rest": 1 })).status
                        });
                        calls.collect::<Vec<_>>()
                    })
                })
                .collect();
            let ended = Wire::to(&url).send("DELETE", &in_session(&session), b"");
            assert_eq!(ended.expect("an answer").status, 204);
            for status in calls.into_iter().flat_map(|it| it.join().expect("answers")) {
                assert!(matches!(status, 200 | 404), "{status}");
            }
        });
        let late = Wire::to(&url).call(&session, "steps", &json!({ "count": 0, "rest": 0 }));
        assert_eq!(late.status, 404);
    }
}

/// Even a stream without events can be resumed by its client.
#[test]
fn slow_call_is_a_resumable_stream() {
    let serving = Serving::of(server());
    let session = Wire::to(&serving.url()).open(&[]);
    let mut raw = Raw::to(serving.address());
    raw.post(&in_session(&session), &call("steps", &json!({ "count": 0, "rest": 500 })));
    let head = raw.head().expect("an answer");
    assert_eq!(head.header("content-type").map(str::trim), Some("text/event-stream"), "{head:?}");
    assert_eq!(raw.chunk(), "id: 1-0\nretry: 3000\ndata: \n\n");
    drop(raw);
    let mut again = Raw::to(serving.address());
    again.get(&[&in_session(&session)[..], &[("last-event-id", "1-0")]].concat());
    again.head().expect("an answer");
    let rest = again.chunks();
    assert!(rest.starts_with("id: 1-1\n") && rest.contains("through"), "{rest}");
}
