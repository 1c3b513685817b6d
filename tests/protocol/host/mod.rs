//! The host with third-party servers: as programs, over HTTP, and all of them at once.

mod desktop;
mod everything;
mod filesystem;
mod mark;
mod memory;
mod proxy;
mod restart;
mod skills;
mod time;
mod together;
mod web;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use genkit::context::Progress;
use genkit::mcp::host::{McpEvent, McpHost, ServerConfig, StdioTransport};
use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use serde_json::Value;

use crate::packages;
use mark::Mark;

/// Returns a server that runs on Node, as a program.
fn node(name: &str, mark: &Mark) -> StdioTransport {
    ServerConfig::stdio("node").arg(packages::node_server(name)).env(mark::VARIABLE, mark.name())
}

/// Waits until `done`, with a time limit against waiting forever.
async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done().await {
        assert!(Instant::now() < deadline, "{what} did not come");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns what a model sees that calls this tool once.
async fn as_a_model_sees(host: &McpHost, tool: &str, input: Value) -> ToolResponse {
    let model = calling(tool, input);
    let response = genkit::generate("Go.").model(model).tools(host.tools()).await.unwrap();
    let parts = response.messages().into_iter().flat_map(|message| message.content);
    let mut seen = parts.filter_map(|part| part.as_tool_response().cloned());
    seen.next().unwrap_or_else(|| panic!("`{tool}` was not called: {response:?}"))
}

/// Returns a model that calls one tool and then ends.
fn calling(tool: &str, input: Value) -> ScriptedModel {
    ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new(tool, input)]),
        ModelResponse::from_text("Done."),
    ])
}

/// The events of servers.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<McpEvent>>>);

impl Told {
    fn listener(&self) -> impl Fn(&McpEvent) + Send + Sync + 'static {
        let told = self.clone();
        move |event| told.0.lock().unwrap().push(event.clone())
    }

    fn all(&self) -> Vec<McpEvent> {
        self.0.lock().unwrap().clone()
    }

    fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// Returns the progress notifications with their requests, in order.
    fn steps(&self) -> Vec<(String, String, Progress)> {
        let step = |event| match event {
            McpEvent::Progress { server, of, progress, .. } => Some((server, of, progress)),
            _ => None,
        };
        self.all().into_iter().filter_map(step).collect()
    }

    /// Waits for a matching event.
    async fn wait(&self, what: &str, like: impl Fn(&McpEvent) -> bool) {
        until(what, async || self.all().iter().any(&like)).await;
    }
}

/// Returns whether an event reports new content of the resource at `uri` of the server `e`.
fn is_update_of(uri: &str) -> impl Fn(&McpEvent) -> bool {
    move |event| matches!(event, McpEvent::ResourceUpdated { server, uri: of, .. } if server == "e" && of == uri)
}
