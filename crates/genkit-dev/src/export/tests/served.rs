//! Tests that each call over MCP is a root.

use serde_json::{Value, json};

use super::server::{Trace, on, posts};
use genkit::testing::Client;
use genkit::{Genkit, generate};
use genkit_core::internal::trace;
use genkit_core::{Context, Prompt, Registry, Resource, Tool};
use genkit_model::ScriptedModel;

#[tokio::test]
async fn call_over_mcp_is_a_root() {
    on();
    let tool = Tool::builder("served_tool", "Asks.")
        .input_schema(json!({"type": "object"}))
        .handler(|_: Context, _: Value| async {
            Ok(generate("in").model(ScriptedModel::text("x")).await?.text())
        });
    let prompt = Prompt::builder("served_prompt", "Asks.")
        .handler(|_: Context, _: Value| async { Ok("a poem".to_owned()) });
    let resource = Resource::builder("note://served", "served_note", "A note.")
        .handler(|_: Context, _: Value| async { Ok("hello".to_owned()) });
    let registry = Registry::new().add(tool).add(prompt).add(resource);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    client.call_tool("served_tool", json!({"n": 1})).await.unwrap();
    client.get_prompt("served_prompt", json!({})).await.unwrap();
    client.read_resource("note://served").await.unwrap();
    trace::flush().await;
    for (name, tree) in [
        ("served_tool", "served_tool (tool)\n  generate (util)\n    scripted (model)\n"),
        ("served_prompt", "served_prompt (prompt)\n"),
        ("served_note", "served_note (resource)\n"),
    ] {
        let root = posts(|post| post["displayName"] == name);
        let id = root.first().unwrap_or_else(|| panic!("no {name}"))["traceId"].clone();
        let trace = Trace { posts: posts(|post| post["traceId"] == id) };
        assert_eq!(trace.tree(), tree);
    }
}
