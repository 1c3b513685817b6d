//! Changes while a host runs.

use std::sync::{Arc, Mutex};

use genkit::mcp::host::{McpEvent, McpHost};
use genkit::message::ToolRequest;
use genkit::model::{ModelRequest, ModelResponse};
use genkit::testing::ScriptedModel;
use genkit::{Registry, resource, resources, tool, tools};
use serde_json::json;

use super::{ERAS, host, registry, server, until};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Multiplies.
#[tool]
async fn multiply(a: i64, b: i64) -> i64 {
    a * b
}

/// The time.
#[resource("clock://now")]
async fn now() -> String {
    "noon".into()
}

fn offered(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn change_is_seen_by_the_next_turn() {
    for era in ERAS {
        let registry: Registry = registry(tools![add]);
        let host = host(server(&registry).protocol(era));
        assert_eq!(host.tools().await.unwrap().len(), 1);
        let (changing, watched) = (registry.clone(), host.clone());
        // The tools of the server change between the two calls to the model.
        let change = genkit::Tool::builder("change", "Changes the server.").handler(
            move |_, _: serde_json::Value| {
                let (registry, host) = (changing.clone(), watched.clone());
                async move {
                    registry.insert(tools![multiply].remove(0))?;
                    registry.remove_tool("add");
                    while host.tools().await?[0].name() != "s/multiply" {
                        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                    }
                    Ok("changed")
                }
            },
        );
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("change", json!({}))]),
            ModelResponse::from_tool_requests([
                ToolRequest::new("s/multiply", json!({"a": 6, "b": 7})),
                ToolRequest::new("s/add", json!({"a": 6, "b": 7})),
            ]),
            ModelResponse::from_text("42"),
        ]);
        genkit::generate("Go.")
            .model(model.clone())
            .tools([change])
            .tools(host.tools())
            .await
            .unwrap();
        let requests = model.requests();
        assert_eq!(offered(&requests[0]), ["change", "s/add"]);
        assert_eq!(offered(&requests[1]), ["change", "s/multiply"]);
        assert_eq!(model.tool_outputs("s/multiply"), [42]);
        let gone = model.tool_outputs("s/add")[0]["error"].to_string();
        assert!(gone.contains("Unknown tool: s/add"), "{gone}");
        host.close().await;
    }
}

#[tokio::test]
async fn host_events_report_changes() {
    for era in ERAS {
        let events: Arc<Mutex<Vec<McpEvent>>> = Arc::default();
        let heard = Arc::clone(&events);
        let registry = Registry::new().add(tools![add]).add(resources![now]);
        let host = McpHost::builder()
            .server("s", server(&registry).protocol(era))
            .on_event(move |event| heard.lock().unwrap().push(event.clone()))
            .build()
            .unwrap();
        let client = host.client("s").unwrap();
        client.ready().await.unwrap();
        client.subscribe("clock://now").await.unwrap();
        // Opening the stream of changes takes a moment.
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        registry.insert(tools![multiply].remove(0)).unwrap();
        registry.resource_updated("clock://now");
        let has = |is: fn(&McpEvent) -> bool| events.lock().unwrap().iter().any(is);
        let changed = |event: &McpEvent| matches!(event, McpEvent::ToolsChanged { server, .. } if server == "s");
        until("tools", async || has(changed)).await;
        let updated = |event: &McpEvent| {
            matches!(event, McpEvent::ResourceUpdated { server, uri, .. }
                if server == "s" && uri == "clock://now")
        };
        until("the resource", async || has(updated)).await;
        client.unsubscribe("clock://now").await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        events.lock().unwrap().clear();
        registry.resource_updated("clock://now");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        assert!(!has(updated), "{era:?}");
        host.close().await;
    }
}
