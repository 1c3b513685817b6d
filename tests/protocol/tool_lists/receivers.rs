//! The receivers of tool lists. A local server records the requests to providers; MCP clients list the tools in memory.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use genkit::Tool;
use genkit::mcp::McpServer;
use genkit::mcp::rmcp::RawItem as _;
use genkit::model::{Anthropic, Gemini, Model, Ollama, OpenAi, OpenAiResponses};
use genkit::testing::Client;
use serde_json::Value;

use super::SentTool;

type Bodies = Arc<Mutex<Vec<Value>>>;

pub(super) struct Receivers {
    models: Vec<(&'static str, Arc<dyn Model>)>,
    bodies: Bodies,
}

impl Receivers {
    pub(super) async fn start() -> Self {
        let bodies = Bodies::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(record).with_state(Arc::clone(&bodies));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let v1 = format!("{url}/v1");
        let anthropic = Anthropic::builder().api_key("k").base_url(&url).build().unwrap();
        let gemini = || Gemini::builder().api_key("k").base_url(&url);
        let ollama = Ollama::builder().base_url(&url).build().unwrap();
        let chat = || OpenAi::builder().api_key("k").base_url(&v1);
        let responses = || OpenAiResponses::builder().api_key("k").base_url(&v1);
        let models: Vec<(&str, Arc<dyn Model>)> = vec![
            ("anthropic", Arc::new(anthropic.model("claude-sonnet-4-6"))),
            ("gemini", Arc::new(gemini().build().unwrap().model("gemini-2.5-flash"))),
            (
                "gemini, OpenAPI",
                Arc::new(gemini().openapi_schemas(true).build().unwrap().model("gemini-2.5-flash")),
            ),
            ("ollama", Arc::new(ollama.model("llama3.2"))),
            ("openai", Arc::new(chat().build().unwrap().model("gpt-4o"))),
            (
                "openai, not strict",
                Arc::new(chat().strict_tools(false).build().unwrap().model("gpt-4o")),
            ),
            ("openai-responses", Arc::new(responses().build().unwrap().model("gpt-5-mini"))),
            (
                "openai-responses, not strict",
                Arc::new(responses().strict_tools(false).build().unwrap().model("gpt-5-mini")),
            ),
        ];
        Self { models, bodies }
    }

    /// Sends the tools to each receiver, and returns what it got.
    pub(super) async fn send(&self, tools: &[Tool]) -> Vec<SentTool> {
        let mut sent = Vec::new();
        for (receiver, model) in &self.models {
            let run = genkit::generate("hi").model(Arc::clone(model)).tools(tools.to_vec());
            let error = run.await.unwrap_err();
            let mut bodies = std::mem::take(&mut *self.bodies.lock().unwrap());
            assert_eq!(bodies.len(), 1, "requests to {receiver}: {error}");
            let body = bodies.remove(0);
            let list = listed_tools(&body);
            assert_eq!(list.len(), tools.len(), "{receiver}: {body}");
            sent.extend(list.into_iter().map(|(name, schema)| SentTool {
                receiver: (*receiver).to_owned(),
                name,
                schema,
            }));
        }
        sent
    }
}

/// Returns the tools that clients of both eras list at a server.
pub(super) async fn served_tools(receiver: &str, server: impl Fn() -> McpServer) -> Vec<SentTool> {
    let mut sent = Vec::new();
    for is_modern in [false, true] {
        let client = Client::builder().modern(is_modern).connect(server()).await.unwrap();
        sent.extend(client.tools().await.unwrap().iter().map(|tool| SentTool {
            receiver: format!(
                "{receiver}, {}",
                if is_modern { "2026-07-28" } else { "2025-11-25" }
            ),
            name: tool.name().to_owned(),
            schema: Value::Object((*tool.raw().input_schema).clone()),
        }));
    }
    sent
}

async fn record(State(bodies): State<Bodies>, body: Bytes) -> (StatusCode, &'static str) {
    bodies.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
    (
        StatusCode::BAD_REQUEST,
        r#"{"error": {"message": "recorded", "type": "invalid_request_error"}}"#,
    )
}

/// Returns the names and schemas of the tools in the body of a request to any provider.
fn listed_tools(body: &Value) -> Vec<(String, Value)> {
    let tools = body["tools"].as_array().unwrap();
    let declared =
        tools.iter().filter_map(|tool| tool["functionDeclarations"].as_array()).flatten();
    let plain = tools.iter().filter(|tool| tool.get("functionDeclarations").is_none());
    let all = declared.chain(plain).map(|tool| tool.get("function").unwrap_or(tool));
    all.map(|tool| {
        let keys = ["input_schema", "parametersJsonSchema", "parameters"];
        // A declaration without a schema has no parameters.
        let schema = keys.iter().find_map(|key| tool.get(*key)).cloned();
        let empty = serde_json::json!({"type": "object", "properties": {}});
        (tool["name"].as_str().unwrap().to_owned(), schema.unwrap_or(empty))
    })
    .collect()
}
