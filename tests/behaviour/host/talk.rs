//! Messages that accompany requests: progress, logs, `_meta`, and a peer of rmcp as tools.

use std::sync::{Arc, Mutex};

use genkit::context::LogLevel;
use genkit::mcp::host::{McpEvent, McpHost, RequestMeta};
use genkit::mcp::rmcp::{self, peer_tools};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, tool, tools};
use serde_json::{Map, Value, json};

use super::{ERAS, host, registry, server};

/// Works, and tells how far it is.
#[tool]
async fn work(ctx: &Context) -> String {
    for step in 1..=3 {
        ctx.progress((f64::from(step), 3.0)).await;
    }
    ctx.warn("hot").await;
    ctx.debug("cold").await;
    "done".into()
}

/// The request's `_meta`.
#[tool]
async fn meta(ctx: &Context) -> Map<String, Value> {
    ctx.meta().clone()
}

#[tokio::test]
async fn progress_and_logs_arrive_in_order() {
    for era in ERAS {
        let events: Arc<Mutex<Vec<McpEvent>>> = Arc::default();
        let heard = Arc::clone(&events);
        let host = McpHost::builder()
            .server("s", server(&registry(tools![work])).protocol(era))
            .log_level(LogLevel::Info)
            .on_event(move |event| heard.lock().unwrap().push(event.clone()))
            .build()
            .unwrap();
        host.ready().await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await; // the level is set
        events.lock().unwrap().clear();
        host.call_tool("s/work", json!({})).await.unwrap();
        let seen = events.lock().unwrap().clone();
        let progress: Vec<f64> = seen
            .iter()
            .filter_map(|event| match event {
                McpEvent::Progress { of, progress, .. } => {
                    assert_eq!(of, "work");
                    Some(progress.done())
                }
                _ => None,
            })
            .collect();
        assert_eq!(progress, [1.0, 2.0, 3.0], "{era:?}");
        let logs: Vec<(LogLevel, &Value)> = seen
            .iter()
            .filter_map(|event| match event {
                McpEvent::Log { level, data, .. } => Some((*level, data)),
                _ => None,
            })
            .collect();
        assert_eq!(logs, [(LogLevel::Warning, &json!("hot"))], "{era:?}");
    }
}

#[tokio::test]
async fn progress_goes_into_the_stream_of_a_run() {
    for era in ERAS {
        let host = host(server(&registry(tools![work])).protocol(era));
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("s/work", json!({}))]),
            ModelResponse::from_text("Done."),
        ]);
        let mut stream = genkit::generate("Go.").model(model).tools(host.tools()).stream();
        let mut told = Vec::new();
        while let Some(chunk) = stream.next().await {
            told.extend(chunk.unwrap().tool_progress().map(|progress| progress.progress));
        }
        assert_eq!(told, [1.0, 2.0, 3.0], "{era:?}");
    }
}

#[tokio::test]
async fn meta_of_the_run_and_of_the_host_goes_with_each_request() {
    struct Tenant(&'static str);
    for era in ERAS {
        let host = McpHost::builder()
            .server("s", server(&registry(tools![meta])).protocol(era))
            .meta_from(|ctx| {
                let tenant = ctx.extension::<Tenant>().map_or("nobody", |tenant| tenant.0);
                Map::from_iter([("example.com/tenant".to_owned(), tenant.into())])
            })
            .build()
            .unwrap();
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("s/meta", json!({}))]),
            ModelResponse::from_text("Done."),
        ]);
        genkit::generate("Go.")
            .model(model.clone())
            .tools(host.tools())
            .extension(Tenant("acme"))
            .extension(RequestMeta::new([("example.com/run", 7)]))
            .await
            .unwrap();
        let seen = &model.tool_outputs("s/meta")[0];
        assert_eq!(seen["example.com/tenant"], "acme");
        assert_eq!(seen["example.com/run"], 7);
    }
}

#[tokio::test]
async fn tools_of_an_rmcp_peer_can_be_used() {
    let host = host(server(&registry(tools![work])));
    let peer = rmcp::peer(&host.client("s").unwrap()).await.unwrap();
    let tools = peer_tools([peer.clone()]).await.unwrap();
    assert_eq!(tools[0].name(), "work");
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("work", json!({}))]),
        ModelResponse::from_text("Done."),
    ]);
    genkit::generate("Go.").model(model.clone()).tools(tools).await.unwrap();
    assert_eq!(model.tool_outputs("work"), ["done"]);
    let error = peer_tools([peer.clone(), peer]).await.unwrap_err();
    let said = error.to_string();
    assert!(said.contains("both have a tool named `work`"), "{said}");
}
