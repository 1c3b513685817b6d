//! Clients that use as much as they can: calls, sessions, subscriptions, streams, questions, changes.

use serde_json::json;

use crate::raw::{Client, Connection, Era, call_params};

/// The number of each that a client opens at once.
const MANY: usize = 30;

/// Uses everything it can get, repeatedly.
pub(super) async fn greedy(mut client: Client) {
    let mut kept: Vec<Connection> = Vec::new();
    loop {
        let slow = call_params("test_reconnection", &json!({}));
        let mut calls = Vec::new();
        for _ in 0..MANY {
            calls.extend(client.begin("tools/call", slow.clone()).await.map(|(_, it)| it));
        }
        for call in &mut calls {
            let _ = call.answer().await;
        }
        let elicit = call_params("test_elicitation", &json!({ "message": "greedy?" }));
        for _ in 0..MANY {
            kept.extend(client.begin("tools/call", elicit.clone()).await.map(|(_, it)| it));
        }
        for number in 0..MANY {
            let uri = format!("test://{number}/{}", "x".repeat(1_000));
            let _ = client.ask("resources/subscribe", json!({ "uri": uri })).await;
            let _ = client.call("test_trigger_tool_change", json!({})).await;
        }
        for _ in 0..MANY {
            let wanted = json!({ "notifications": { "toolsListChanged": true } });
            let (_, message) = client.request("subscriptions/listen", wanted);
            let bytes = match client.era {
                Era::Modern => client.bytes(&message),
                Era::Sessions => (client.head("GET") + "\r\n").into_bytes(),
            };
            let Ok(mut connection) = client.connect().await else { continue };
            let _ = connection.send(&bytes).await;
            kept.push(connection);
        }
        if client.era == Era::Sessions {
            for _ in 0..MANY {
                let fresh = Client::new(client.to, client.from, Era::Sessions).opened().await;
                if let Ok(fresh) = fresh {
                    client = fresh;
                }
            }
        }
        // Bounded by the number of connections that the test may open.
        kept.drain(..kept.len().saturating_sub(4 * MANY));
    }
}
