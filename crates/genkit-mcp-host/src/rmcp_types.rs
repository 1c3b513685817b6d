//! Functions with types of rmcp in their signatures. `genkit::mcp::rmcp` re-exports them, so that these types appear
//! nowhere else in the public API.

use std::future::Future;

use rmcp::model::{CallToolResult, Tool as McpTool};
use rmcp::transport::IntoTransport;
use rmcp::{Peer, RoleClient};
use serde_json::Value;

use crate::catalog::peer;
pub use crate::catalog::peer::peer_tools;
use crate::client::McpClient;
use crate::config::CustomTransport;
use crate::request::tool_result::ToolResult;
use genkit_core::{Result, ToolDefinition, ToolRequest, ToolResponse};

/// Returns rmcp's handle to the current connection of a client, for features that this library does not cover.
///
/// ```no_run
/// use genkit::mcp::{McpClient, rmcp};
///
/// # async fn run(client: &McpClient) -> Result<(), Box<dyn std::error::Error>> {
/// let peer = rmcp::peer(client).await?;
/// println!("{:?}", peer.list_tools(None).await?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if the server is unreachable.
pub async fn peer(client: &McpClient) -> Result<Peer<RoleClient>> {
    Ok(client.catalog.server.wait_connected().await?.peer.clone())
}

/// Creates a custom transport to a server. `connect` returns any rmcp transport and is called for each new connection.
/// For byte streams, prefer [`ServerConfig::streams`](crate::ServerConfig::streams), which validates its input more
/// strictly.
///
/// ```no_run
/// use genkit::mcp::McpHost;
/// use genkit::mcp::rmcp::custom_transport;
/// use genkit::mcp::rmcp::transport::async_rw::AsyncRwTransport;
/// use tokio::net::TcpStream;
///
/// # fn main() -> genkit::Result<()> {
/// let server = custom_transport(|| async {
///     let (read, write) = TcpStream::connect("127.0.0.1:9000").await?.into_split();
///     Ok(AsyncRwTransport::new_client(read, write))
/// });
/// let host = McpHost::builder().server("remote", server).build()?;
/// # Ok(())
/// # }
/// ```
pub fn custom_transport<T, E, A, F, Fut>(connect: F) -> CustomTransport
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T>> + Send + 'static,
    T: IntoTransport<RoleClient, E, A> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
    A: 'static,
{
    CustomTransport::over_rmcp(connect)
}

/// Converts the tools that an MCP server lists into tool definitions for a model request. Use [`peer_tools`] for tools
/// that can be called. Tools that only the app of their server may use are omitted.
///
/// ```
/// use genkit::mcp::rmcp::{model::Tool, tool_definitions};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
/// let listed = Tool::new("read", "Reads a file.", schema.as_object().cloned().unwrap_or_default());
/// let definitions = tool_definitions(&[listed]);
/// assert_eq!((definitions[0].name.as_str(), definitions.len()), ("read", 1));
/// ```
pub fn tool_definitions(tools: &[McpTool]) -> Vec<ToolDefinition> {
    tools.iter().filter(|tool| peer::is_for_models(tool)).map(peer::tool_definition).collect()
}

/// Conversion of an MCP result into a response of this library; implemented for [`ToolResponse`].
pub trait FromMcp: Sized {
    /// Converts the tool result of an MCP server into the response to a model's tool request. The result of a failed
    /// tool (`isError`) becomes `{"error": ".."}`.
    ///
    /// ```
    /// use genkit::mcp::rmcp::model::{CallToolResult, ContentBlock};
    /// use genkit::mcp::rmcp::FromMcp as _;
    /// use genkit::message::{ToolRequest, ToolResponse};
    /// use serde_json::json;
    ///
    /// let request = ToolRequest::new("add", json!({"a": 2, "b": 3}));
    /// let result = CallToolResult::success(vec![ContentBlock::text("5")]);
    /// assert_eq!(ToolResponse::from_mcp(&request, result).output, "5");
    /// ```
    fn from_mcp(request: &ToolRequest, result: CallToolResult) -> Self;
}

impl FromMcp for ToolResponse {
    fn from_mcp(request: &ToolRequest, result: CallToolResult) -> Self {
        let read = serde_json::to_value(result)
            .map_err(Into::into)
            .and_then(|result| ToolResult::read(&request.name, result, false));
        match read {
            Ok(result) => {
                let output = result.into_output();
                let mut response = request.respond(output.value.unwrap_or(Value::Null));
                response.content = output.content;
                response
            }
            Err(error) => request.respond(serde_json::json!({ "error": error.to_string() })),
        }
    }
}
