//! Uses the tools of a connection that the program made with its own rmcp.

use genkit::mcp::rmcp::{FromMcp as _, peer_tools, tool_definitions};
use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Genkit, Registry, tool, tools};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use serde_json::json;

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(genkit.serve_mcp().serve(read, write));
    let client = ().serve(ours).await?;

    let definitions = tool_definitions(&client.list_all_tools().await?);
    assert_eq!(definitions[0].name, "add");

    let tools = peer_tools([client.peer().clone()]).await?;
    let request = ToolRequest::new("add", json!({"a": 2, "b": 3}));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([request.clone()]),
        ModelResponse::from_text("It is 5."),
    ]);
    genkit::generate("What is 2 + 3?").model(model.clone()).tools(tools).await?;
    assert_eq!(model.tool_outputs("add"), [5]);

    let mut params = CallToolRequestParams::new("add");
    params.arguments = json!({"a": 2, "b": 40}).as_object().cloned();
    let result = client.call_tool(params).await?;
    assert_eq!(ToolResponse::from_mcp(&request, result).output, 42);
    client.cancel().await?;
    Ok(())
}
