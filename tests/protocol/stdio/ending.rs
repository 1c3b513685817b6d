//! The end of a session.

#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::pipe::Pipe;
use crate::server;

/// "At once", for a program in a debug build on a machine under load.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn end_of_input_ends_the_server_well() {
    let mut pipe = Pipe::open();
    let before = Instant::now();
    pipe.hang_up();
    assert_eq!(pipe.exit_code(SOON), Some(0), "{}", pipe.stderr());
    assert!(before.elapsed() < Duration::from_secs(2), "it took {:?}", before.elapsed());
}

#[test]
fn end_of_input_before_the_handshake_ends_it_well_too() {
    let mut pipe = Pipe::start("quickstart", &[]);
    pipe.hang_up();
    assert_eq!(pipe.exit_code(SOON), Some(0), "{}", pipe.stderr());
}

#[test]
fn streams_that_wait_for_changes_do_not_hold_it_up() {
    let mut pipe = Pipe::start("quickstart", &[]);
    let params = json!({
        "notifications": { "toolsListChanged": true },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    });
    for _ in 0..3 {
        pipe.ask("subscriptions/listen", &params);
        assert_eq!(pipe.next()["method"], "notifications/subscriptions/acknowledged");
    }
    let before = Instant::now();
    pipe.hang_up();
    assert_eq!(pipe.exit_code(SOON), Some(0), "{}", pipe.stderr());
    assert!(before.elapsed() < Duration::from_secs(2), "it took {:?}", before.elapsed());
}

#[test]
fn requests_before_the_end_of_input_are_answered() {
    let mut pipe = Pipe::open();
    let ids: Vec<u64> = (0..20)
        .map(|n| pipe.ask("tools/call", &json!({ "name": "add", "arguments": { "a": n, "b": 1 } })))
        .collect();
    pipe.hang_up();
    let rest = pipe.rest();
    for (n, id) in ids.iter().enumerate() {
        let answer = rest.iter().find(|message| message["id"] == *id);
        let answer = answer.unwrap_or_else(|| panic!("no answer to {id}: {rest:?}"));
        assert_eq!(answer["result"]["content"][0]["text"], (n + 1).to_string());
    }
    assert_eq!(pipe.exit_code(SOON), Some(0), "{}", pipe.stderr());
}

#[test]
fn call_that_takes_a_moment_is_answered_after_the_end_of_input() {
    let mut pipe = Pipe::start("conformance", &[]);
    pipe.hello();
    let params = json!({ "name": "test_reconnection", "arguments": {} });
    let id = pipe.ask("tools/call", &params);
    pipe.hang_up();
    let rest = pipe.rest();
    let answer = rest.iter().find(|message| message["id"] == id);
    let answer = answer.unwrap_or_else(|| panic!("no answer: {rest:?}\n{}", pipe.stderr()));
    assert_eq!(answer["result"]["content"][0]["text"], "Still here.");
    assert_eq!(pipe.exit_code(SOON), Some(0), "{}", pipe.stderr());
}

#[test]
fn last_line_without_an_end_is_read() {
    let mut pipe = Pipe::open();
    pipe.send_raw(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    pipe.hang_up();
    assert!(pipe.rest().iter().any(|message| message["id"] == "last"));
}

#[cfg(unix)]
#[test]
fn polite_signal_ends_it() {
    for spoken_to in [false, true] {
        let mut pipe = Pipe::start("notes", &[&server::database("stdio-signal")]);
        if spoken_to {
            pipe.hello();
        } else {
            wait_for_handler(&pipe);
        }
        terminate(&pipe);
        assert_eq!(pipe.exit_code(SOON), Some(0), "spoken to: {spoken_to}\n{}", pipe.stderr());
    }
}

#[cfg(unix)]
#[test]
fn running_calls_finish_after_sigterm() {
    let mut pipe = Pipe::start("conformance", &[]);
    pipe.hello();
    // It takes 150 ms and reports progress, which shows that it is running.
    let params = json!({
        "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": "p" }
    });
    let id = pipe.ask("tools/call", &params);
    assert_eq!(pipe.next()["method"], "notifications/progress");
    terminate(&pipe);
    let rest = pipe.rest();
    let answer = rest.iter().find(|message| message["id"] == id);
    let answer = answer.unwrap_or_else(|| panic!("no answer: {rest:?}\n{}", pipe.stderr()));
    assert_eq!(answer["result"]["content"][0]["text"], "Done.", "{answer}");
    assert_eq!(pipe.exit_code(SOON), Some(0), "{}", pipe.stderr());
}

/// Waits until the server handles the signal, which would otherwise end it without an exit code.
#[cfg(target_os = "linux")]
fn wait_for_handler(pipe: &Pipe) {
    const TERMINATE: u64 = 1 << 14;
    let path = format!("/proc/{}/status", pipe.id());
    for _ in 0..6_000 {
        let status = std::fs::read_to_string(&path).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & TERMINATE != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the server does not handle the signal");
}

/// Other systems do not show which signals a process handles.
#[cfg(all(unix, not(target_os = "linux")))]
fn wait_for_handler(_: &Pipe) {
    std::thread::sleep(Duration::from_secs(5));
}

#[cfg(unix)]
fn terminate(pipe: &Pipe) {
    let killed = Command::new("kill").args(["-TERM", &pipe.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
}
