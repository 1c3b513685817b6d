//! Tests of the handshake, of requests without one, and of both on one connection.

use std::sync::Arc;

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use crate::session::Session;

use super::{Machine, Step, call, initialize, modern, notification, request, text};

/// Sends messages that can arrive at any time, and that neither receive a response nor end the
/// connection.
fn early(machine: &Machine) {
    for message in [
        notification("notifications/initialized", json!({})),
        notification("notifications/cancelled", json!({"requestId": 1})),
        notification("textDocument/didOpen", json!({})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "stray"}}),
    ] {
        machine.nothing(&message);
    }
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn ping_or_a_rejected_request_opens_nothing() {
    let machine = Machine::new();
    early(&machine);
    let pong = machine.answer(&request(1, "ping", json!({})));
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    for method in ["tools/list", "tools/call", "server/discover", "no/such"] {
        assert_eq!(code(&machine.answer(&request(2, method, json!({})))), -32602, "{method}");
    }
    assert_eq!(code(&machine.answer(&modern(call(1, "add"), "2099-01-01", json!({})))), -32022);
    early(&machine);
    let found =
        machine.answer(&modern(request(3, "server/discover", json!({})), "2026-07-28", json!({})));
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    assert_eq!(machine.session.connection.handshake(), Default::default());
    machine.answer(&initialize(json!({})));
    assert_eq!(text(&machine.answer(&call(4, "add"))), "42");
}

/// A client can open a session with a later handshake.
#[tokio::test]
async fn handshake_may_follow_requests_that_described_themselves() {
    let machine = Machine::new();
    let described = || modern(call(1, "add"), "2026-07-28", json!({}));
    assert_eq!(text(&machine.answer(&described())), "42");
    assert_eq!(code(&machine.answer(&call(2, "add"))), -32602);
    assert_eq!(code(&machine.answer(&request(2, "ping", json!({})))), -32602);
    machine.answer(&initialize(json!({})));
    assert_eq!(text(&machine.answer(&call(3, "add"))), "42");
    assert!(machine.answer(&request(4, "ping", json!({})))["result"].is_object());
    assert_eq!(text(&machine.answer(&described())), "42");
    assert_eq!(text(&machine.answer(&call(5, "add"))), "42");
}

#[tokio::test]
async fn version_is_agreed_on() {
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let machine = Machine::new();
        let mut hello = initialize(json!({}));
        hello["params"]["protocolVersion"] = asked.into();
        assert_eq!(machine.answer(&hello)["result"]["protocolVersion"], agreed);
    }
}

#[tokio::test]
async fn method_of_another_era_is_not_found() {
    let machine = Machine::initialized();
    let level = request(1, "logging/setLevel", json!({"level": "debug"}));
    let subscribe = request(1, "resources/subscribe", json!({"uri": "x://y"}));
    let listen = request(1, "subscriptions/listen", json!({"notifications": {}}));
    for session in [&level, &subscribe, &request(1, "ping", json!({}))] {
        assert!(machine.answer(session)["result"].is_object());
        assert_eq!(
            code(&machine.answer(&modern(session.clone(), "2026-07-28", json!({})))),
            -32601
        );
    }
    assert_eq!(code(&machine.answer(&listen)), -32601);
    let missing = modern(call(1, "add"), "2026-07-28", Value::Null);
    assert_eq!(code(&machine.answer(&missing)), -32602);
}

/// The extension requires this error. A client that declares the extension must poll, as the
/// acknowledgement indicates.
#[tokio::test]
async fn task_notifications_require_the_extension() {
    let machine = Machine::new();
    let listen = |capabilities: Value| {
        let filter =
            json!({"notifications": {"taskIds": ["mcp-task-1"], "toolsListChanged": true}});
        modern(request(1, "subscriptions/listen", filter), "2026-07-28", capabilities)
    };
    let refused = machine.answer(&listen(json!({})));
    assert_eq!(code(&refused), -32021, "{refused}");
    let needed = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
    assert!(needed.get("io.modelcontextprotocol/tasks").is_some(), "{refused}");
    let declared = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut stream = machine.listens(&listen(declared));
    let first: Value = serde_json::from_slice(&stream.next().await.unwrap()).unwrap();
    assert_eq!(first["params"]["notifications"], json!({"toolsListChanged": true}));
}

/// This is the case of an HTTP request whose header declares the era without a handshake.
#[tokio::test]
async fn initialize_is_rejected_without_a_handshake() {
    let mut machine = Machine::new();
    let quota = Arc::clone(machine.session.quota());
    let session = Session::new(quota, None).without_handshake(ProtocolVersion::V_2026_07_28);
    machine.session = Arc::new(session);
    for hello in [initialize(json!({})), request(1, "initialize", json!({}))] {
        assert_eq!(code(&machine.answer(&hello)), -32601);
    }
    assert_eq!(text(&machine.answer(&call(1, "add"))), "42");
}

#[tokio::test]
async fn client_is_ready_once() {
    let machine = Machine::initialized();
    let ready = notification("notifications/initialized", json!({})).to_string();
    let mut subscribed = 0;
    for _ in 0..20 {
        assert!(matches!(machine.step(&ready), Step::Nothing));
        subscribed += usize::from(!machine.session.set_initialized());
    }
    assert_eq!(subscribed, 20);
}
