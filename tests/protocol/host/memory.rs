//! `server-memory`: its data outlives its process.

use genkit::ErrorKind;
use genkit::mcp::host::{McpEvent, McpHost, ServerState};
use serde_json::{Value, json};

use super::mark::Mark;
use super::{Told, node, until};
use crate::packages;

fn open(test: &str) -> (McpHost, Mark, Told) {
    let file = packages::scratch(&format!("memory-{test}")).join("memory.jsonl");
    let mark = Mark::new(&format!("memory-{test}"));
    let told = Told::default();
    let server = node("server-memory", &mark).env("MEMORY_FILE_PATH", file);
    let host = McpHost::builder().server("memory", server).on_event(told.listener());
    (host.build().unwrap(), mark, told)
}

fn ada() -> Value {
    json!({"name": "Ada", "entityType": "person", "observations": ["wrote notes"]})
}

async fn remember(host: &McpHost) {
    let input = json!({"entities": [ada()]});
    let made = host.call_tool("memory/create_entities", input).await.unwrap();
    assert_eq!(made["entities"][0], ada());
}

async fn entities(host: &McpHost) -> Value {
    host.call_tool("memory/read_graph", json!({})).await.unwrap()["entities"].clone()
}

/// Returns the states, in order.
fn states(told: &Told) -> Vec<ServerState> {
    let state = |event| match event {
        McpEvent::State { state, .. } => Some(state),
        _ => None,
    };
    told.all().into_iter().filter_map(state).collect()
}

#[tokio::test]
async fn killed_server_restarts_and_keeps_its_state() {
    let (host, mark, told) = open("killed");
    remember(&host).await;
    let before = mark.processes();
    mark.kill();
    // A call that is sent before the host notices the end of the connection must not be repeated, and fails.
    until("the end of the connection", async || {
        states(&told).last() != Some(&ServerState::Connected) || states(&told).len() > 1
    })
    .await;
    assert_eq!(entities(&host).await, json!([ada()]));
    let after = mark.processes();
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_ne!(before, after);
    let tools = host.tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name() == "memory/search_nodes"));
    let states = states(&told);
    let connected = states.iter().filter(|state| **state == ServerState::Connected).count();
    assert_eq!(connected, 2, "{states:?}");
    mark.close(host).await;
}

#[tokio::test]
async fn killed_server_is_restarted_without_a_call() {
    let (host, mark, _told) = open("idle");
    remember(&host).await;
    let before = mark.processes();
    mark.kill();
    until("another process", async || {
        let now = mark.processes();
        now.len() == 1 && now != before
    })
    .await;
    assert_eq!(entities(&host).await, json!([ada()]));
    mark.close(host).await;
}

#[tokio::test]
async fn call_in_flight_fails_immediately_with_a_reason() {
    let (host, mark, _told) = open("flight");
    remember(&host).await;
    // A stopped process accepts the call and does not respond.
    mark.signal("-STOP");
    let calling = host.clone();
    let call = tokio::spawn(async move { calling.call_tool("memory/read_graph", json!({})).await });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!call.is_finished());
    mark.kill();
    // Much less than the time limit of a call, which is a minute.
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), call).await;
    let error = ended.expect("the call to end with the server").unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let said = error.to_string();
    assert!(said.contains("`memory`") && said.contains("stopped during the request"), "{said}");
    // A call that may have had an effect is not repeated; the next one succeeds.
    assert_eq!(entities(&host).await, json!([ada()]));
    mark.close(host).await;
}

/// A host that is dropped also ends its servers.
#[tokio::test]
async fn dropped_host_ends_its_servers() {
    let (host, mark, _told) = open("dropped");
    remember(&host).await;
    drop(host);
    until("the end of the process", async || mark.processes().is_empty()).await;
}
