//! Tests of a proxy: servers behind it, and clients in front of it, do not affect each other.

use serde_json::{Value, json};

use crate::raw::{self, Client, Era, host};
use crate::server::{self, Server};
use crate::{packages, pipe::Pipe};

fn config(test: &str) -> String {
    let scratch = packages::scratch(test);
    let notes = json!({
        "command": server::example("notes"), "args": [scratch.join("notes.db")]
    });
    let conformance = json!({ "command": server::example("conformance") });
    let servers = json!({ "notes": notes, "conformance": conformance });
    let config = scratch.join("mcp.json");
    std::fs::write(&config, json!({ "mcpServers": servers }).to_string()).unwrap();
    config.to_string_lossy().into_owned()
}

/// F-9: text in addition to structured content is part of the result.
#[tokio::test]
async fn text_next_to_structured_content_is_forwarded() {
    let proxy = Server::start("proxy", &[&config("attack-proxied-text")]);
    let to = raw::address(&proxy);
    for era in Era::BOTH {
        let mut client = Client::open(to, host(1), era).await;
        client.call("notes__add_note", json!({ "text": "buy milk" })).await.unwrap();
        let found = client.call("notes__search_notes", json!({ "query": "milk" })).await.unwrap();
        let text = found["content"][0]["text"].as_str().unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(": buy milk"), "{era:?}: {found}");
        assert!(!found["structuredContent"].is_null(), "{era:?}: {found}");
        // Content of several kinds keeps its order.
        let name = "conformance__test_multiple_content_types";
        let mixed = client.call(name, json!({})).await.unwrap();
        let kinds: Vec<&Value> =
            mixed["content"].as_array().unwrap().iter().map(|part| &part["type"]).collect();
        assert_eq!(
            (kinds.len(), &kinds[..2]),
            (3, &[&json!("text"), &json!("image")][..]),
            "{mixed}"
        );
    }
}

/// B-01: a question goes to the client whose call it belongs to, or is declined.
#[tokio::test]
async fn question_of_one_client_is_never_sent_to_another() {
    let proxy = Server::start("proxy", &[&config("attack-proxied-questions")]);
    let to = raw::address(&proxy);
    let mut first = Client::open(to, host(1), Era::Sessions).await;
    let mut second = Client::open(to, host(2), Era::Sessions).await;
    let elicit = |message: &str| {
        let arguments = json!({ "message": message });
        raw::call_params("conformance__test_elicitation", &arguments)
    };
    for round in 0..5 {
        let (a, b) = (format!("first {round}"), format!("second {round}"));
        let (id, mut gone) = first.begin("tools/call", elicit(&a)).await.unwrap();
        let (_, mut stays) = second.begin("tools/call", elicit(&b)).await.unwrap();
        // The first client gives up, with its question on its way or open.
        tokio::time::sleep(std::time::Duration::from_millis(30 * round)).await;
        first.tell("notifications/cancelled", json!({ "requestId": id })).await.unwrap();
        let _ = tokio::time::timeout(std::time::Duration::from_millis(10), gone.byte()).await;
        drop(gone);
        let asked = async {
            let head = stays.head().await.expect("a head");
            assert!(head.is_stream(), "{head:?}");
            stays.event().await.expect("an event").expect("an event")
        };
        // A question that cannot be assigned is declined, after which the call gets its response.
        let event = raw::within("a question or an answer", asked).await;
        let text = event.to_string();
        assert!(!text.contains(&a), "the question of the first reaches the second: {text}");
        if event["method"] == "elicitation/create" {
            let result = json!({ "action": "decline" });
            second
                .post(&json!({ "jsonrpc": "2.0", "id": event["id"], "result": result }))
                .await
                .unwrap();
            raw::within("an answer", stays.event()).await.unwrap();
        }
    }
}

/// B-04: a server that hangs uses up only its own capacity. Each of these calls waits for an answer.
#[test]
fn calls_that_hang_behind_a_proxy_leave_the_others_room() {
    let mut pipe = Pipe::start("proxy", &[&config("attack-proxied-hang")]);
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "asked", "version": "1" }
    });
    pipe.request("initialize", &params);
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let arguments = json!({ "message": "Who?" });
    let hanging = raw::call_params("conformance__test_elicitation", &arguments);
    for _ in 0..1_100 {
        pipe.ask("tools/call", &hanging);
    }
    let found = pipe.call("notes__search_notes", &json!({ "query": "nothing" }));
    assert!(found.to_string().contains("no notes found"), "{found}");
}
