//! Nothing that comes early ends the server.

use rmcp::ServiceExt;
use serde_json::{Value, json};

use super::{Adder, Client, connect};
use crate::mcp::server::stdio::StdioLimits;

const EARLY: [&str; 5] = [
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"stray"}}"#,
];

fn serve() -> Client {
    let (transport, client) = connect(1 << 16, StdioLimits::default());
    tokio::spawn(async move {
        if let Ok(service) = Adder.serve(transport).await {
            let _ = service.waiting().await;
        }
    });
    client
}

async fn early(client: &mut Client) {
    for line in EARLY {
        client.line(line).await;
    }
}

fn modern(id: u32, method: &str, version: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"_meta": meta, "name": "add", "arguments": {"a": 40, "b": 2}});
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

#[tokio::test]
async fn notifications_may_come_before_the_handshake() {
    let mut client = serve();
    early(&mut client).await;
    client.initialize().await;
    client.check("after").await;
}

#[tokio::test]
async fn a_ping_or_a_refused_request_opens_nothing() {
    let mut client = serve();
    client.line(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    assert_eq!(client.receive().await.unwrap(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    early(&mut client).await;
    client.line(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#).await;
    assert_eq!(client.receive().await.unwrap()["error"]["code"], -32602);
    early(&mut client).await;
    client.initialize().await;
    client.check("after").await;
}

#[tokio::test]
async fn a_refused_version_opens_nothing() {
    let mut client = serve();
    client.line(modern(1, "tools/call", "2099-01-01")).await;
    assert_eq!(client.receive().await.unwrap()["error"]["code"], -32022);
    early(&mut client).await;
    client.line(modern(2, "server/discover", "2026-07-28")).await;
    assert_eq!(client.receive().await.unwrap()["id"], 2);
    early(&mut client).await;
    client.line(modern(3, "tools/call", "2026-07-28")).await;
    let answer = client.receive().await.unwrap();
    assert_eq!(super::sum(&answer), "42");
    early(&mut client).await;
    client.line(modern(4, "tools/call", "2026-07-28")).await;
    assert_eq!(client.receive().await.unwrap()["id"], 4);
}

#[tokio::test]
async fn broken_lines_may_come_before_the_handshake() {
    let mut client = serve();
    client.line("hello?").await;
    assert_eq!(client.receive().await.unwrap()["id"], Value::Null);
    client.initialize().await;
}
