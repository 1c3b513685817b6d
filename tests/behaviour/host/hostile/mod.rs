//! Servers that exceed their role: they ask questions about other calls, offer resources of other servers, or use up
//! the resources of the host.

mod asking;
mod displayed;
mod resources;

use std::sync::{Arc, Mutex};

use genkit::ErrorKind;
use genkit::mcp::host::{CustomTransport, McpHost, Sampling};
use genkit::testing::ScriptedModel;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use super::until;

/// Sends a message to the host.
pub(crate) type Say = mpsc::UnboundedSender<Value>;

/// A handwritten server of the older protocol. `heard` receives every message that does not belong to the handshake.
pub(crate) fn by_hand(
    capabilities: Value,
    heard: impl Fn(&Value, &Say) + Send + Sync + 'static,
) -> CustomTransport {
    let heard = Arc::new(heard);
    genkit::mcp::rmcp::custom_transport(move || {
        let (heard, capabilities) = (Arc::clone(&heard), capabilities.clone());
        let (here, there) = tokio::io::duplex(1 << 20);
        let (reader, mut writer) = tokio::io::split(here);
        let (say, mut said) = mpsc::unbounded_channel::<Value>();
        tokio::spawn(async move {
            while let Some(message) = said.recv().await {
                if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message: Value = serde_json::from_str(&line).unwrap();
                let result = match message["method"].as_str() {
                    Some("initialize") => json!({
                        "protocolVersion": "2025-11-25", "capabilities": capabilities,
                        "serverInfo": {"name": "evil\u{202e}", "version": "1"},
                    }),
                    Some("server/discover") => {
                        let error = json!({"code": -32601, "message": "no"});
                        let _ = say
                            .send(json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
                        continue;
                    }
                    Some("ping") => json!({}),
                    _ => {
                        heard(&message, &say);
                        continue;
                    }
                };
                let _ = say.send(answer(&message, result));
            }
        });
        async move { Ok(tokio::io::split(there)) }
    })
}

pub(super) fn answer(request: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

pub(super) fn text(words: &str) -> Value {
    json!({"content": [{"type": "text", "text": words}]})
}

pub(super) fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

fn question(id: u64, message: &str) -> Value {
    let form = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}});
    json!({
        "jsonrpc": "2.0", "id": format!("question-{id}"), "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": form},
    })
}

#[tokio::test]
async fn server_that_hangs_takes_no_more_than_its_places() {
    let hangs = by_hand(json!({"tools": {}}), |message, say| {
        if message["method"] == "tools/list" {
            let _ = say.send(answer(message, json!({"tools": [tool("hang", "Hangs.")]})));
        }
    });
    let host = McpHost::builder().server("slow", hangs).build().unwrap();
    let open: Vec<_> = (0..400)
        .map(|_| {
            let host = host.clone();
            tokio::spawn(async move { host.call_tool("slow/hang", json!({})).await })
        })
        .collect();
    until("the refusals", async || open.iter().filter(|call| call.is_finished()).count() >= 144)
        .await;
    let mut refused = 0;
    for call in open {
        if call.is_finished() {
            let error = call.await.unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
            assert!(
                error.to_string().contains("the MCP server `slow` has 256 requests"),
                "{error}"
            );
            refused += 1;
        } else {
            call.abort();
        }
    }
    assert_eq!(refused, 144);
}

#[tokio::test]
async fn sampling_requires_permission_and_is_limited() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&said);
    let make = move || {
        let seen = Arc::clone(&seen);
        by_hand(json!({"tools": {}}), move |message, say| match message["method"].as_str() {
            Some("tools/list") => {
                let _ = say.send(answer(message, json!({"tools": [tool("think", "Thinks.")]})));
            }
            Some("tools/call") => {
                let content = json!({"type": "text", "text": "Think."});
                let _ = say.send(json!({
                    "jsonrpc": "2.0", "id": "sample", "method": "sampling/createMessage",
                    "params": {"messages": [{"role": "user", "content": content}], "maxTokens": 400},
                }));
                let _ = say.send(answer(message, text("asked")));
            }
            None => seen.lock().unwrap().push(message.clone()),
            _ => {}
        })
    };
    let model = ScriptedModel::new((0..5).map(|_| genkit::model::ModelResponse::from_text("x")));
    for (sampling, answered) in [
        (Sampling::with(model.clone()), 0),
        (Sampling::with(model.clone()).allow(|_| true).max_total_tokens(1000), 2),
    ] {
        said.lock().unwrap().clear();
        let host = McpHost::builder().server("s", make()).sampling(sampling).build().unwrap();
        for round in 1..=4 {
            host.call_tool("s/think", json!({})).await.unwrap();
            until("an answer", async || said.lock().unwrap().len() == round).await;
            // A restarted server gets no new tokens.
            host.reconnect("s").await.unwrap();
        }
        let results = said.lock().unwrap().iter().filter(|said| said["result"].is_object()).count();
        assert_eq!(results, answered, "{:?}", said.lock().unwrap());
    }
}
