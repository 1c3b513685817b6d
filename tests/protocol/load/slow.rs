//! Clients that block: slow ones, silent ones, and ones that disconnect.

use std::time::Duration;

use serde_json::json;

use crate::raw::{Client, Connection, Era, call_params};

/// Reads one byte per second, of responses and of streams, and writes as slowly.
pub(super) async fn slow(mut client: Client) {
    let Ok(mut reads) = Connection::open_small(client.to, client.from).await else { return };
    let Ok(mut listens) = Connection::open_small(client.to, client.from).await else { return };
    let Ok(mut writes) = client.connect().await else { return };
    let (_, list) = client.request("tools/list", json!({}));
    let list = client.bytes(&list);
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let (_, listen) = client.request("subscriptions/listen", wanted);
    let listen = match client.era {
        Era::Modern => client.bytes(&listen),
        Era::Sessions => (client.head("GET") + "\r\n").into_bytes(),
    };
    let _ = listens.send(&listen).await;
    // More responses than the buffers of the connection hold.
    for _ in 0..20 {
        let _ = reads.send(&list).await;
    }
    for byte in list.iter().cycle() {
        let _ = writes.send(&[*byte]).await;
        let moment = Duration::from_millis(5);
        for connection in [&mut reads, &mut listens] {
            let _ = tokio::time::timeout(moment, connection.byte()).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Connects and sends nothing, or opens a session and sends nothing in it.
pub(super) async fn silent(client: Client) {
    let mut connections = Vec::new();
    for _ in 0..8 {
        connections.extend(client.connect().await);
    }
    std::future::pending().await
}

/// Disconnects in the middle of its request, of its response, of a question, of a stream.
pub(super) async fn gone(mut client: Client) {
    let elicit = call_params("test_elicitation", &json!({ "message": "gone?" }));
    let progress = || {
        let mut params = call_params("test_tool_with_progress", &json!({}));
        params["_meta"] = json!({ "progressToken": "gone" });
        params
    };
    loop {
        let (_, message) = client.request("tools/call", elicit.clone());
        let bytes = client.bytes(&message);
        if let Ok(mut connection) = client.connect().await {
            let _ = connection.send(&bytes[..bytes.len() / 2]).await;
        }
        if let Ok((_, mut connection)) = client.begin("tools/call", elicit.clone()).await {
            let _ = tokio::time::timeout(Duration::from_secs(1), connection.head()).await;
        }
        if let Ok((_, mut connection)) = client.begin("tools/call", progress()).await {
            let _ = tokio::time::timeout(Duration::from_secs(1), connection.byte()).await;
        }
        let _ = client.begin("tools/call", progress()).await;
        let moment = Duration::from_millis(200);
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        let listening = client.begin("subscriptions/listen", wanted);
        if let Ok(Ok((_, mut connection))) = tokio::time::timeout(moment, listening).await {
            let _ = tokio::time::timeout(moment, connection.byte()).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
