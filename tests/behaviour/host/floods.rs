//! Servers that violate the protocol: the host still answers its callers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::mcp::host::McpHost;
use serde_json::{Value, json};

use super::hostile::{Say, answer, by_hand, text, tool};
use super::until;

/// Returns a server with the tool `work`, which does `first` before it responds.
fn working(first: impl Fn(&Value, &Say) + Send + Sync + 'static) -> McpHost {
    let server = by_hand(
        json!({"tools": {"listChanged": true}}),
        move |message, say| match message["method"].as_str() {
            Some("tools/list") => {
                let _ = say.send(answer(message, json!({"tools": [tool("work", "Works.")]})));
            }
            Some("tools/call") => {
                first(message, say);
                let _ = say.send(answer(message, text("done")));
            }
            _ => {}
        },
    );
    McpHost::builder().server("s", server).build().unwrap()
}

/// Checks that a call still gets its own response.
async fn works(host: &McpHost) {
    let called = tokio::time::timeout(Duration::from_secs(60), host.call_tool("s/work", json!({})));
    assert_eq!(called.await.unwrap().unwrap(), "done");
}

#[tokio::test]
async fn responses_with_unknown_ids_are_ignored() {
    let host = working(|message, say| {
        let id = message["id"].as_u64().unwrap();
        let huge = "9".repeat(100_000);
        for wrong in
            [json!(id + 1), json!(id + 1000), json!(-1), json!("x"), json!(huge), json!(u64::MAX)]
        {
            let _ = say.send(json!({"jsonrpc": "2.0", "id": wrong, "result": text("forged")}));
            let error = json!({"code": -32000, "message": "forged"});
            let _ = say.send(json!({"jsonrpc": "2.0", "id": wrong, "error": error}));
        }
    });
    for _ in 0..5 {
        works(&host).await;
    }
}

#[tokio::test]
async fn second_response_to_a_call_is_ignored() {
    let host = working(|message, say| {
        // The response to the previous call, again.
        let before = message["id"].as_u64().unwrap().saturating_sub(1);
        let _ = say.send(json!({"jsonrpc": "2.0", "id": before, "result": text("again")}));
    });
    for _ in 0..5 {
        works(&host).await;
    }
}

#[tokio::test]
async fn storm_of_changes_lists_no_more_than_it_must() {
    let lists = Arc::new(Mutex::new(0_usize));
    let counted = Arc::clone(&lists);
    let server = by_hand(
        json!({"tools": {"listChanged": true}}),
        move |message, say| match message["method"].as_str() {
            Some("tools/list") => {
                *counted.lock().unwrap() += 1;
                let _ = say.send(answer(message, json!({"tools": [tool("work", "Works.")]})));
            }
            Some("tools/call") => {
                for _ in 0..5000 {
                    let method = "notifications/tools/list_changed";
                    let _ = say.send(json!({"jsonrpc": "2.0", "method": method}));
                }
                let _ = say.send(answer(message, text("done")));
            }
            _ => {}
        },
    );
    let host = McpHost::builder().server("s", server).build().unwrap();
    works(&host).await;
    until("the list", async || host.tools().await.unwrap().len() == 1).await;
    let lists = *lists.lock().unwrap();
    assert!(lists < 500, "{lists}");
}

#[tokio::test]
async fn requests_with_ids_that_are_strange_or_used_twice_are_answered_or_rejected() {
    let answers = Arc::new(Mutex::new(0_usize));
    let seen = Arc::clone(&answers);
    let server =
        by_hand(json!({"tools": {}}), move |message, say| match message["method"].as_str() {
            Some("tools/list") => {
                let _ = say.send(answer(message, json!({"tools": [tool("work", "Works.")]})));
            }
            Some("tools/call") => {
                for id in [json!("x"), json!("x"), json!(1), json!(1), json!("y".repeat(100_000))] {
                    let _ = say.send(json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"}));
                }
                let _ = say.send(answer(message, text("done")));
            }
            None => *seen.lock().unwrap() += 1,
            _ => {}
        });
    let host = McpHost::builder().server("s", server).build().unwrap();
    for _ in 0..3 {
        works(&host).await;
    }
    until("an answer", async || *answers.lock().unwrap() > 0).await;
}
