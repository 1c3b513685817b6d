//! Clients that send invalid requests, or those of other clients.

use std::time::Duration;

use serde_json::{Value, json};

use crate::raw::{Client, Connection, Era};

/// A session that does not exist.
const NOBODY: &str = "11111111-1111-4111-8111-111111111111";

/// Sends invalid requests repeatedly.
pub(super) async fn hostile(client: Client) {
    for number in 0_usize.. {
        let bytes = wrong(&client, number);
        if let Ok(mut connection) = client.connect().await {
            let _ = connection.send(&bytes).await;
            let _ = tokio::time::timeout(Duration::from_millis(100), finish(connection)).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Reads the response, and closes the connection.
async fn finish(mut connection: Connection) {
    while let Ok(Some(_)) = connection.byte().await {}
}

/// Returns one of many invalid requests.
fn wrong(client: &Client, number: usize) -> Vec<u8> {
    let post = |body: &str| {
        let length = body.len();
        let head = client.head("POST");
        format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
            .into_bytes()
    };
    let message = |value: Value| post(&value.to_string());
    let call = json!({ "name": "test_simple_text", "arguments": {} });
    match number % 20 {
        0 => (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect(),
        1 => b"POST /mcp HTTP/1.1\r\nhost: x\r\n".to_vec(),
        2 => format!("POST /mcp HTTP/1.1\r\nx-long: {}\r\n", "x".repeat(1 << 20)).into_bytes(),
        3 => ("POST /mcp HTTP/1.1\r\n".to_owned() + &"x-a: b\r\n".repeat(2000)).into_bytes(),
        4 => post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"),
        5 => post(&("[".repeat(10_000) + &"]".repeat(10_000))),
        6 => post("\u{feff}{}"),
        7 => post(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\",\"method\":\"tools/list\"}",
        ),
        8 => post(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\u0069nitialize\",\"params\":{\
             \"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
             \"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}",
        ),
        // Answers to questions that it was not asked.
        9 => message(json!({
            "jsonrpc": "2.0", "id": number % 50, "result": { "action": "accept", "content": {
                "username": "stolen", "email": "stolen"
            }}
        })),
        10 => message(json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": number % 500 }
        })),
        11 => {
            let head = format!("POST /mcp HTTP/1.1\r\nhost: {}\r\n", client.to);
            let rest = "accept: application/json, text/event-stream\r\ncontent-type: \
                        application/json\r\nmcp-protocol-version: 2025-11-25\r\n";
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
            let (body, length) = (body.to_string(), body.to_string().len());
            format!(
                "{head}{rest}mcp-session-id: {NOBODY}\r\ncontent-length: {length}\r\n\r\n{body}"
            )
            .into_bytes()
        }
        12 => {
            let head = client.head("POST");
            let chunks = "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n";
            format!("{head}content-type: application/json\r\n{chunks}").into_bytes()
        }
        13 => {
            let head = client.head("POST");
            format!(
                "{head}content-type: application/json\r\ncontent-length: 99999999999\r\n\r\n{{}}"
            )
            .into_bytes()
        }
        14 => {
            let one =
                message(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
            // The same id, many times in one write.
            one.repeat(10)
        }
        15 => (client.head("DELETE").replace(client.session.as_deref().unwrap_or("\0"), NOBODY)
            + "\r\n")
            .into_bytes(),
        16 => (client.head("GET") + "last-event-id: 18446744073709551616\r\n\r\n").into_bytes(),
        17 => message(json!({ "jsonrpc": "2.0", "id": "i".repeat(100_000), "method": "ping" })),
        18 => message(json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "n".repeat(100_000), "requestState": "x".repeat(100_000),
                "inputResponses": { "approve": { "action": "accept" } } }
        })),
        _ if client.era == Era::Sessions => {
            (client.head("GET").replace("HTTP/1.1", "HTTP/1.0") + "\r\n").into_bytes()
        }
        _ => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
    }
}
