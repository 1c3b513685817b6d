//! Handwritten servers of the 2026-07-28 protocol, which turn every call into a task.

use std::sync::{Arc, Mutex};

use genkit::mcp::host::CustomTransport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// The requests that a handwritten server received: methods and parameters.
pub(super) type Heard = Arc<Mutex<Vec<(String, Value)>>>;

/// Returns a server whose task is in the state that `task` returns for the n-th request for it.
pub(super) fn by_hand(
    heard: &Heard,
    task: impl Fn(usize) -> Value + Send + Sync + 'static,
) -> CustomTransport {
    let (heard, task) = (Arc::clone(heard), Arc::new(task));
    genkit::mcp::rmcp::custom_transport(move || {
        let (here, there) = tokio::io::duplex(1 << 20);
        let (heard, task) = (Arc::clone(&heard), Arc::clone(&task));
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(here);
            let (mut lines, mut asked) = (BufReader::new(reader).lines(), 0);
            while let Ok(Some(line)) = lines.next_line().await {
                let message: Value = serde_json::from_str(&line).unwrap();
                let method = message["method"].as_str().unwrap_or_default().to_owned();
                heard.lock().unwrap().push((method.clone(), message["params"].clone()));
                if message["id"].is_null() {
                    continue;
                }
                let mut result = match method.as_str() {
                    "server/discover" => json!({
                        "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                        "serverInfo": {"name": "by hand", "version": "1"},
                        "ttlMs": 0, "cacheScope": "private",
                    }),
                    "tools/list" => json!({
                        "tools": [{"name": "long", "inputSchema": {"type": "object"}}],
                        "ttlMs": 60_000, "cacheScope": "private",
                    }),
                    "tools/call" => {
                        json!({"resultType": "task", "taskId": "t1", "status": "working"})
                    }
                    "tasks/get" => {
                        asked += 1;
                        task(asked)
                    }
                    _ => json!({}),
                };
                if result["resultType"].is_null() {
                    result["resultType"] = json!("complete");
                }
                if method == "tools/call" || method == "tasks/get" {
                    let time = "2026-07-28T00:00:00Z";
                    for (key, value) in [
                        ("taskId", json!("t1")),
                        ("createdAt", json!(time)),
                        ("lastUpdatedAt", json!(time)),
                        ("ttlMs", Value::Null),
                        ("pollIntervalMs", json!(0)),
                    ] {
                        if result[key].is_null() {
                            result[key] = value;
                        }
                    }
                }
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        async move { Ok(tokio::io::split(there)) }
    })
}

/// Returns how often a method was received.
pub(super) fn count(heard: &Heard, method: &str) -> usize {
    heard.lock().unwrap().iter().filter(|(of, _)| of == method).count()
}
