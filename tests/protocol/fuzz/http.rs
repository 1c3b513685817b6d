//! Heads and bodies over HTTP.

use std::time::Duration;

use genkit_tests::fuzz::{Rng, fuzz};
use serde_json::{Value, json};

use super::{messages, mutate, runtime};
use crate::raw::{self, Client, Connection, Era, host, within};
use crate::server::Server;

/// Seeds that found errors.
const SEEDS: &[u64] = &[];

/// Headers that a server interprets, with unusual values.
const HEADERS: [(&str, &str); 20] = [
    ("content-length", "5"),
    ("content-length", "-1"),
    ("content-length", "18446744073709551616"),
    ("transfer-encoding", "chunked"),
    ("transfer-encoding", "gzip, chunked"),
    ("content-type", "text/plain"),
    ("content-type", "application/json; charset=latin1"),
    ("content-encoding", "gzip"),
    ("accept", "text/html"),
    ("mcp-session-id", "nobody"),
    ("mcp-session-id", ""),
    ("mcp-protocol-version", "1999-01-01"),
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "tools/list"),
    ("mcp-name", "=?base64?%%%?="),
    ("origin", "http://evil.example"),
    ("host", "evil.example"),
    ("expect", "100-continue"),
    ("connection", "upgrade"),
    ("last-event-id", "-1"),
];

/// Returns the bytes of a request, modified.
fn request(rng: &mut Rng, client: &mut Client, id: &Value) -> Vec<u8> {
    let modern = client.era == Era::Modern;
    let body = messages::changed(rng, id, modern);
    let method = *rng.pick(&["POST", "POST", "POST", "POST", "GET", "DELETE", "PUT", "OPTIONS"]);
    let mut head = client.head(method);
    if method == "DELETE" {
        // Its own session must survive.
        head = head.replace("mcp-session-id", "x-session");
    }
    if modern {
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        for (name, value) in [
            ("mcp-method", &message["method"]),
            ("mcp-name", &message["params"]["name"]),
            ("mcp-name", &message["params"]["uri"]),
        ] {
            let value = value.as_str().filter(|text| text.chars().all(|c| (' '..'~').contains(&c)));
            if let Some(value) = value {
                head += &format!("{name}: {value}\r\n");
            }
        }
    }
    head += "content-type: application/json\r\n";
    for _ in 0..rng.below(3) {
        let (name, value) = rng.pick(&HEADERS);
        head += &format!("{name}: {value}\r\n");
    }
    let mut bytes = if rng.chance(25) {
        let mut bytes = (head + "transfer-encoding: chunked\r\n\r\n").into_bytes();
        for piece in body.chunks(1 + rng.below(40)) {
            bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            bytes.extend(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    } else {
        let length = body.len();
        [format!("{head}content-length: {length}\r\n\r\n").as_bytes(), &body].concat()
    };
    if rng.chance(30) {
        mutate::bytes(rng, &mut bytes);
    }
    bytes
}

/// Sends the bytes in pieces, and checks the response.
async fn exchange(rng: &mut Rng, client: &Client, bytes: &[u8], id: &Value) {
    let mut connection = client.connect().await.expect("a connection");
    for piece in bytes.chunks(1 + rng.below(bytes.len().max(2))) {
        if connection.send(piece).await.is_err() {
            break;
        }
        if rng.chance(20) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    // The server waits for the rest of an incomplete request, so it does not matter which side hangs up first.
    let answer = tokio::time::timeout(Duration::from_millis(150), read(&mut connection)).await;
    let Ok(Some((status, messages))) = answer else { return };
    assert!(status < 500 || status == 503, "{status}: {:?}", String::from_utf8_lossy(bytes));
    let mut answers = 0;
    for message in messages.iter().filter(|message| message.get("method").is_none()) {
        answers += 1;
        let is_own = message["id"] == *id
            || message["id"].is_null()
            || messages::may_be_of(bytes, &message["id"]);
        assert!(is_own, "a response without a request: {message}");
    }
    assert!(answers <= 1, "{messages:?}");
}

/// Reads a complete response. A stream without an end counts as none.
async fn read(connection: &mut Connection) -> Option<(u16, Vec<Value>)> {
    let answer = connection.answer().await.ok()?;
    Some((answer.status, answer.messages()))
}

#[test]
fn honest_requests_are_served_after_any_request() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let runtime = runtime();
    let mut clients = Era::BOTH.map(|era| runtime.block_on(Client::open(to, host(1), era)));
    let mut honest = Era::BOTH.map(|era| runtime.block_on(Client::open(to, host(2), era)));
    let mut count = 0_u64;
    fuzz("requests over HTTP", SEEDS, |rng| {
        runtime.block_on(async {
            for client in &mut clients {
                for _ in 0..3 {
                    count += 1;
                    let id = json!(format!("id-{count}"));
                    let bytes = request(rng, client, &id);
                    exchange(rng, client, &bytes, &id).await;
                }
            }
            for client in &mut honest {
                let uri = format!("test://template/mark-{count}/data");
                let read = client.ask("resources/read", json!({ "uri": uri }));
                let read = within("an honest request", read).await.unwrap();
                assert!(read["result"].to_string().contains(&format!("mark-{count}")), "{read}");
            }
        });
    });
}
