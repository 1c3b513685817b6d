//! Tests of the server in memory, without a process or a port.

use genkit::context::Progress;
use genkit::serde_json::json;
use genkit::testing::{Client, Notification};

use crate::store::Store;

fn server() -> genkit::mcp::McpServer {
    genkit::serve_mcp().state(Store::open(":memory:".as_ref()).unwrap())
}

#[tokio::test]
async fn notes_are_added_found_and_read() {
    let client = Client::connect(server()).await.unwrap();
    let note =
        client.call_tool("add_note", json!({"text": "buy milk", "topic": "shop"})).await.unwrap();
    assert_eq!(note.structured().unwrap()["id"], 1);
    let found = client.call_tool("search_notes", json!({"query": "milk"})).await.unwrap();
    assert_eq!(found.text(), "1: buy milk");
    let read = client.read_resource("note://1").await.unwrap();
    assert_eq!(read[0].as_text(), Some("buy milk"));
    assert_eq!(client.complete("summarize", "topic", "s").await.unwrap(), ["shop"]);
    assert!(client.read_resource("note://2").await.is_err());
}

#[tokio::test]
async fn nothing_is_deleted_without_a_yes() {
    for (allowed, left) in [(false, "1: keep me"), (true, "no notes found")] {
        let answer = move |_: &str, _: &_| allowed.then(|| json!({}));
        let client = Client::builder().on_elicit(answer).connect(server()).await.unwrap();
        client.call_tool("add_note", json!({"text": "keep me"})).await.unwrap();
        let deleted = client.call_tool("delete_note", json!({"id": 1})).await.unwrap();
        assert_eq!(deleted.is_error(), !allowed, "{}", deleted.text());
        assert_eq!(client.call_tool("search_notes", json!({})).await.unwrap().text(), left);
    }
}

#[tokio::test]
async fn import_reports_progress() {
    let client = Client::connect(server()).await.unwrap();
    client.call_tool("import_notes", json!({"texts": ["a", "b"]})).await.unwrap();
    let last = Notification::Progress(Progress::new(2.0).with_total(2.0).with_message("2 of 2"));
    assert!(client.notifications().contains(&last), "{:?}", client.notifications());
}
