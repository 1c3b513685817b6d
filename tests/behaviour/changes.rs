//! Changes while a server runs.

use std::time::Duration;

use genkit::context::LogLevel;
use genkit::mcp::rmcp::RawClient as _;
use genkit::mcp::rmcp::model::{SubscribeRequestParams, SubscriptionFilter};
use genkit::testing::{Client, Notification};
use genkit::{Context, Genkit, Registry, Tool, resource, resources, tool, tools};
use serde_json::json;

/// Stays.
#[tool]
async fn stays(ctx: &Context) -> String {
    ctx.log(LogLevel::Debug, "small").await;
    ctx.log(LogLevel::Warning, json!({"what": "large"})).await;
    ctx.progress((1.0, 2.0)).await;
    ctx.resource_updated("thing://1");
    "here".into()
}

/// A thing.
#[resource("thing://{n}")]
async fn thing(n: u32) -> String {
    n.to_string()
}

fn passing() -> Tool {
    Tool::builder("passing", "Comes and goes.").handler(|_: Context, (): ()| async { Ok("hi") })
}

fn registry() -> Registry {
    Registry::new().add(tools![stays]).add(resources![thing])
}

async fn connected(registry: &Registry) -> Client {
    let genkit = Genkit::builder().registry(registry.clone()).build().unwrap();
    Client::connect(genkit.serve_mcp()).await.unwrap()
}

/// Waits until the client has received the notification `what`.
async fn seen(client: &Client, what: &Notification) {
    for _ in 0..200 {
        if client.notifications().contains(what) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("did not receive {what:?}, only {:?}", client.notifications());
}

#[tokio::test]
async fn clients_are_notified_of_tool_changes() {
    let registry = registry();
    let client = connected(&registry).await;
    // After the first response, the session is open on the server's side as well.
    assert_eq!(client.tools().await.unwrap().len(), 1);
    registry.insert(passing()).unwrap();
    seen(&client, &Notification::ToolsChanged).await;
    assert_eq!(client.tools().await.unwrap().len(), 2);
    assert_eq!(client.call_tool("passing", json!({})).await.unwrap().text(), "hi");
    assert!(registry.remove_tool("passing"));
    assert!(client.call_tool("passing", json!({})).await.is_err());
    assert!(registry.insert(passing()).is_ok());
    assert!(registry.insert(passing()).is_err(), "the name is taken");
}

#[tokio::test]
#[allow(deprecated)]
async fn subscriber_is_notified_only_of_its_resources() {
    let registry = registry();
    let client = connected(&registry).await;
    client.peer().subscribe(SubscribeRequestParams::new("thing://1")).await.unwrap();
    registry.resource_updated("thing://2");
    registry.resource_updated("thing://1");
    seen(&client, &Notification::ResourceUpdated("thing://1".into())).await;
    assert!(!client.notifications().contains(&Notification::ResourceUpdated("thing://2".into())));
}

#[tokio::test]
async fn listen_stream_contains_only_requested_notifications() {
    let registry = registry();
    let genkit = Genkit::builder().registry(registry.clone()).build().unwrap();
    let client = Client::builder().modern(true).connect(genkit.serve_mcp()).await.unwrap();
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = Some(true);
    filter.resource_subscriptions = Some(vec!["thing://1".into()]);
    let mut stream = client.peer().listen(filter).await.unwrap();
    // The acknowledgement arrives before the server's task has registered the stream.
    tokio::time::sleep(Duration::from_millis(50)).await;
    registry.resource_updated("thing://2");
    registry.resource_updated("thing://1");
    registry.insert(passing()).unwrap();
    let mut methods = Vec::new();
    for _ in 0..2 {
        let next = tokio::time::timeout(Duration::from_secs(5), stream.next());
        let notification = next.await.expect("in time").expect("still open");
        let wire = serde_json::to_value(&notification).unwrap();
        methods.push(wire["method"].as_str().unwrap().to_owned());
    }
    assert_eq!(methods, ["notifications/resources/updated", "notifications/tools/list_changed"]);
}

#[tokio::test]
#[allow(deprecated)]
async fn logs_are_filtered_by_level_and_progress_is_sent_on_request() {
    use genkit::mcp::rmcp::model::{LoggingLevel, SetLevelRequestParams};
    let client = connected(&registry()).await;
    client.call_tool("stays", json!({})).await.unwrap();
    seen(&client, &Notification::Log(LogLevel::Warning, json!({"what": "large"}))).await;
    seen(&client, &Notification::Progress((1.0, 2.0).into())).await;
    assert!(!client.notifications().contains(&Notification::Log(LogLevel::Debug, json!("small"))));
    client.peer().set_level(SetLevelRequestParams::new(LoggingLevel::Debug)).await.unwrap();
    client.call_tool("stays", json!({})).await.unwrap();
    seen(&client, &Notification::Log(LogLevel::Debug, json!("small"))).await;
}
