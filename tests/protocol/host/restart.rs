//! A server over HTTP that is restarted while a host uses it.

use genkit::mcp::host::{McpHost, ServerConfig, ServerState};
use serde_json::json;

use super::web::Web;
use super::{Told, until};

// With several threads, as programs have: restarting blocks one, and connections end meanwhile.
fn open(web: &Web) -> (McpHost, Told) {
    let told = Told::default();
    let host = McpHost::builder()
        .server("e", ServerConfig::http(web.url()))
        .on_event(told.listener())
        .build()
        .unwrap();
    (host, told)
}

async fn echo(host: &McpHost, message: &str) -> genkit::Result<String> {
    let said = host.call_tool("e/echo", json!({"message": message})).await?;
    Ok(said.as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn next_call_has_a_new_session() {
    let mut web = Web::start();
    let (host, _told) = open(&web);
    for round in 1..=2 {
        assert_eq!(echo(&host, "before").await.unwrap(), "Echo: before");
        web.restart();
        assert_eq!(echo(&host, "after").await.unwrap(), "Echo: after", "round {round}");
    }
    assert!(host.tools().await.unwrap().len() > 10);
    assert_eq!(host.status()[0].state, ServerState::Connected);
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_are_made_again() {
    let mut web = Web::start();
    let (host, told) = open(&web);
    let client = host.client("e").unwrap();
    let uri = "demo://resource/dynamic/text/7";
    client.subscribe(uri).await.unwrap();
    client.call_tool("toggle-subscriber-updates", json!({})).await.unwrap();
    told.wait("an update", super::is_update_of(uri)).await;
    web.restart();
    assert_eq!(echo(&host, "after").await.unwrap(), "Echo: after");
    told.clear();
    client.call_tool("toggle-subscriber-updates", json!({})).await.unwrap();
    told.wait("an update of the new session", super::is_update_of(uri)).await;
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_fail_until_the_server_has_restarted() {
    let mut web = Web::start();
    let (host, _told) = open(&web);
    assert_eq!(echo(&host, "before").await.unwrap(), "Echo: before");
    web.kill();
    let error = echo(&host, "meanwhile").await.unwrap_err();
    assert!(error.to_string().contains("`e`"), "{error}");
    assert_eq!(error.kind(), genkit::ErrorKind::Unavailable, "{error}");
    web.restart();
    // The host reconnects automatically, and immediately if there is a call.
    until("the server", async || echo(&host, "again").await.is_ok()).await;
    host.close().await;
}
