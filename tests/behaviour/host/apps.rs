//! MCP Apps: which tools a model may use.

use genkit::testing::Client;
use genkit::{Genkit, Registry};
use serde_json::{Value, json};

use super::host;
use super::hostile::{answer, by_hand, text};
use genkit::mcp::rmcp::{self, peer_tools};

/// A server whose tools are visible to the model, to the app, or to both.
fn shop() -> genkit::mcp::host::CustomTransport {
    by_hand(json!({"tools": {}}), |message, say| {
        let tool = |name: &str, ui: Value| json!({"name": name, "inputSchema": {"type": "object"}, "_meta": {"ui": ui}});
        let result = match message["method"].as_str() {
            Some("tools/list") => json!({"tools": [
                tool("plain", json!({})),
                tool("both", json!({"visibility": ["model", "app"]})),
                tool("app-only", json!({"visibility": ["app"]})),
                tool("nobody", json!({"visibility": []})),
                tool("odd", json!({"visibility": {"model": true}})),
            ]}),
            Some("tools/call") => text(message["params"]["name"].as_str().unwrap_or_default()),
            _ => return,
        };
        let _ = say.send(answer(message, result));
    })
}

#[tokio::test]
async fn model_is_not_offered_the_tools_of_an_app() {
    let host = host(shop());
    let names = |tools: Vec<genkit::Tool>| -> Vec<String> {
        tools.iter().map(|tool| tool.name().to_owned()).collect()
    };
    assert_eq!(names(host.tools().await.unwrap()), ["s/plain", "s/both"]);
    // A filter cannot bring them back.
    let chosen = host.tools().only(["s/app-only", "s/both"]).await.unwrap();
    assert_eq!(names(chosen), ["s/both"]);
    let client = host.client("s").unwrap();
    assert_eq!(names(client.tools().await.unwrap()), ["plain", "both"]);
    assert_eq!(names(client.namespaced_tools().await.unwrap()), ["s/plain", "s/both"]);
    let peer = rmcp::peer(&client).await.unwrap();
    assert_eq!(names(peer_tools([peer.clone()]).await.unwrap()), ["plain", "both"]);
    let listed = peer.list_all_tools().await.unwrap();
    let definitions = rmcp::tool_definitions(&listed);
    assert_eq!(definitions.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["plain", "both"]);
    host.close().await;
}

#[tokio::test]
async fn proxy_passes_the_tools_of_an_app_on_to_the_host_of_its_client() {
    let host = host(shop());
    let front = Genkit::builder().registry(Registry::new()).build().unwrap();
    host.register_in(front.registry()).await;
    let client = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.len(), 5);
    let app = tools.iter().find(|tool| tool.name().ends_with("app-only")).unwrap();
    assert_eq!(app.metadata().unwrap()["ui"]["visibility"], json!(["app"]));
    host.close().await;
}
