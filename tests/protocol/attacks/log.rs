//! Text from clients is escaped in the log, and completions are logged.

use std::process::Command;

use serde_json::{Value, json};

use super::target::{SUGGESTING, Target, server};
use super::until;
use crate::pipe::Pipe;
use crate::raw::{self, Client, Era, host};
use crate::server::{self, Server};

/// Text that looks like a new line of the log, moves the cursor, and reverses text.
const FORGED: &str = "x\n2026-01-01T00:00:00Z  INFO genkit::audit: served method=\"tools/call\" \
                      name=pay\r\n\u{1b}[2J\u{9b}31m\u{202e}\u{2028}FORGED\u{7}";

/// Checks that [`FORGED`] did not reach the log unescaped.
fn assert_harmless(log: &str) {
    // Only this program's own colors, and none if the log is not a terminal.
    for character in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{2028}', '\u{7}', '\r'] {
        assert!(!log.contains(character), "{character:?} in the log:\n{log:?}");
    }
    let forged = log.lines().find(|line| line.starts_with("2026-01-01"));
    assert!(forged.is_none(), "a forged line:\n{log}");
}

/// Returns requests with `FORGED` wherever a client controls the text.
fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("tools/call", raw::call_params(FORGED, &json!({ "id": FORGED }))),
        ("tools/call", raw::call_params("search_notes", &json!({ FORGED: 1 }))),
        ("prompts/get", json!({ "name": FORGED, "arguments": { FORGED: FORGED } })),
        ("resources/read", json!({ "uri": FORGED })),
        ("resources/read", json!({ "uri": "note://1\n2026-01-01" })),
        (
            "completion/complete",
            json!({
                "ref": { "type": "ref/prompt", "name": FORGED },
                "argument": { "name": FORGED, "value": FORGED }
            }),
        ),
        ("resources/subscribe", json!({ "uri": FORGED })),
    ]
}

#[tokio::test]
async fn nothing_that_a_client_sends_forges_the_log_over_http() {
    let mut command = Command::new(server::example("notes"));
    command.arg(server::database("attack-forged")).args(["--http", "127.0.0.1:0"]);
    let server = Server::spawn(command.env("RUST_LOG", "info"));
    let to = raw::address(&server);
    for era in Era::BOTH {
        let mut client = Client::new(to, host(1), era);
        if era == Era::Sessions {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": FORGED, "version": FORGED, "title": FORGED }
            });
            let (_, message) = client.request("initialize", params);
            let answer = client.post(&message).await.unwrap();
            client.session = answer.header("mcp-session-id").map(str::to_owned);
        }
        for (method, mut params) in requests() {
            let info = json!({ "name": FORGED, "version": FORGED });
            params["_meta"] = json!({ "io.modelcontextprotocol/clientInfo": info });
            let (_, mut message) = client.request(method, params);
            // Headers cannot contain these characters, and the endpoint refuses a name that differs from its header.
            let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str());
            if era == Era::Modern && name.is_some_and(|name| name.contains('\n')) {
                message["params"]["name"] = json!("search_notes");
            }
            let _ = client.post(&message).await;
        }
        let (_, unknown) = client.request(FORGED, json!({}));
        if era == Era::Sessions {
            let _ = client.post(&unknown).await;
        }
    }
    let log = || server.stderr();
    until("an audit line", || log().contains("search_notes")).await;
    assert_harmless(&log());
}

#[test]
fn nothing_that_a_client_sends_forges_the_log_on_a_pipe() {
    let mut command = Command::new(server::example("notes"));
    command.arg(server::database("attack-forged-pipe")).env("RUST_LOG", "info");
    let mut pipe = Pipe::spawn(&mut command);
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": FORGED, "version": FORGED, "title": FORGED }
    });
    pipe.request("initialize", &params);
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for (method, params) in requests() {
        pipe.request(method, &params);
    }
    pipe.request(FORGED, &json!({}));
    pipe.send(&json!({ "jsonrpc": "2.0", "method": FORGED, "params": { "x": FORGED } }));
    pipe.send_raw(format!("{}\u{1b}[2J no JSON\n", "no").as_bytes());
    pipe.hang_up();
    pipe.rest();
    assert_harmless(&pipe.stderr());
}

/// Every request is logged: what was returned, read, completed or refused.
#[tokio::test]
async fn every_kind_of_request_leaves_an_audit_line() {
    let mut command = Command::new(server::example("notes"));
    command.arg(server::database("attack-audit")).args(["--http", "127.0.0.1:0"]);
    let server = Server::spawn(command.env("RUST_LOG", "info"));
    let to = raw::address(&server);
    for era in Era::BOTH {
        let mut client = Client::open(to, host(1), era).await;
        let name = |text: &str| format!("{text}_{era:?}");
        let refused = [
            ("tools/call", raw::call_params(&name("no_tool"), &json!({}))),
            ("prompts/get", json!({ "name": name("no_prompt") })),
            ("resources/read", json!({ "uri": name("no://resource") })),
        ];
        for (method, params) in refused {
            let wanted = params["name"].as_str().or(params["uri"].as_str()).unwrap().to_owned();
            let _ = client.ask(method, params).await;
            let log = || server.stderr();
            let told = || {
                let log = log();
                log.lines().any(|line| line.contains("genkit::audit") && line.contains(&wanted))
            };
            until(&format!("a line of {wanted}"), told).await;
        }
        let complete = json!({
            "ref": { "type": "ref/prompt", "name": "summarize" },
            "argument": { "name": "topic", "value": "" }
        });
        let before = server.stderr().matches("completion/complete").count();
        client.ask("completion/complete", complete).await.unwrap();
        let now = || server.stderr().matches("completion/complete").count();
        until("a line of the completion", || now() > before).await;
    }
}

fn completion() -> Value {
    json!({
        "ref": { "type": "ref/prompt", "name": "slow_prompt" },
        "argument": { "name": "word", "value": "" }
    })
}

/// completions are counted like calls.
#[tokio::test]
async fn completions_are_bounded_as_calls_are() {
    let target = Target::serve(server().max_per_second(5));
    for era in Era::BOTH {
        let mut client = Client::open(target.address, host(1), era).await;
        let mut refused = 0;
        for _ in 0..40 {
            let complete = json!({
                "ref": { "type": "ref/prompt", "name": "slow_prompt" },
                "argument": { "name": "none", "value": "" }
            });
            let answer = client.ask("completion/complete", complete).await.unwrap();
            refused += usize::from(answer["error"]["code"] == -32000);
        }
        assert!(refused > 10, "{era:?}: {refused} of 40 are refused");
    }
}

/// completions end with the connection in the newer era, and when they are cancelled.
#[tokio::test]
async fn completions_stop_when_cancelled() {
    let target = Target::serve(server());
    let mut client = Client::open(target.address, host(1), Era::Modern).await;
    let (_, gone) = client.begin("completion/complete", completion()).await.unwrap();
    let running = || SUGGESTING.load(std::sync::atomic::Ordering::SeqCst);
    until("a suggestion", || running() == 1).await;
    drop(gone);
    until("its end", || running() == 0).await;
    let mut client = Client::open(target.address, host(1), Era::Sessions).await;
    let (id, _kept) = client.begin("completion/complete", completion()).await.unwrap();
    until("a suggestion", || running() == 1).await;
    client.tell("notifications/cancelled", json!({ "requestId": id })).await.unwrap();
    until("its end", || running() == 0).await;
}
