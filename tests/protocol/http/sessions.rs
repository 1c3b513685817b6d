//! Sessions, from opening to end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::wire::{Wire, in_session};
use crate::server::Server;

#[test]
fn ended_session_is_not_found() {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    let (first, second) = (wire.open(&[]), wire.open(&[]));
    assert_ne!(first, second);
    let ended = wire.send("DELETE", &in_session(&first), b"").expect("an answer");
    assert!(matches!(ended.status, 200 | 204), "{ended:?}");
    let call = wire.call(&first, "add", &json!({ "a": 1, "b": 1 }));
    assert_eq!(call.status, 404, "{call:?}");
    let again = wire.send("DELETE", &in_session(&first), b"").expect("an answer");
    assert_eq!(again.status, 404, "{again:?}");
    let call = wire.call(&second, "add", &json!({ "a": 1, "b": 1 }));
    assert_eq!(call.status, 200, "{call:?}");
}

#[test]
fn session_that_never_was_is_not_found() {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    let nobody = "11111111-1111-4111-8111-111111111111";
    let ended = wire.send("DELETE", &in_session(nobody), b"").expect("an answer");
    assert_eq!(ended.status, 404, "{ended:?}");
    let call = wire.call(nobody, "add", &json!({ "a": 1, "b": 1 }));
    assert_eq!(call.status, 404, "{call:?}");
    let accept = ("accept", "text/event-stream");
    let listening = wire.send("GET", &[&in_session(nobody)[..], &[accept]].concat(), b"");
    assert_eq!(listening.expect("an answer").status, 404);
}

/// Without `TCP_NODELAY` each of these waits about 40 ms for an acknowledgement. Printed rather than asserted, since
/// machines differ.
#[test]
fn calls_of_a_session_one_after_the_other() {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    let session = wire.open(&[]);
    let mut times: Vec<Duration> = (0..50)
        .map(|n| {
            let start = Instant::now();
            let answer = wire.call(&session, "add", &json!({ "a": n, "b": 1 }));
            assert_eq!(answer.message()["result"]["content"][0]["text"], (n + 1).to_string());
            start.elapsed()
        })
        .collect();
    times.sort();
    eprintln!("50 calls of a session: p50 {:?}, p95 {:?}", times[25], times[47]);
}
