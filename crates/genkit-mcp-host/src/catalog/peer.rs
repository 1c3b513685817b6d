//! Tools of connections that the program opened with rmcp.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult, Tool as McpTool,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleClient};
use serde_json::Value;

use super::error::Error;
use crate::apps;
use crate::error::{ServerErrorExt as _, attribute_to_server};
use crate::limits::{MAX_PAGES, TIMEOUT};
use crate::request::tool_result::ToolResult;
use crate::request::{methods, results};
use crate::session::connection::CancelOnDrop;
use crate::session::error::Error as SessionError;
use genkit_core::internal::visible;
use genkit_core::{Error as PublicError, ErrorKind, Result};
use genkit_core::{Tool, ToolDefinition};
use genkit_mcp::internal::wrapped_result;
use genkit_schema::internal::Patterns;

/// Returns the tools of MCP connections that the program opened with rmcp.
///
/// The lists are read once, and the tools have the servers' own names. Consider [`McpHost`](crate::McpHost), which also
/// reconnects, follows changes, and answers questions of servers.
///
/// ```no_run
/// use genkit::mcp::rmcp::ServiceExt as _;
/// use genkit::mcp::rmcp::peer_tools;
///
/// # async fn run(stream: tokio::net::TcpStream) -> Result<(), Box<dyn std::error::Error>> {
/// let running = ().serve(stream).await?; // a client of rmcp
/// let tools = peer_tools([running.peer().clone()]).await?;
/// genkit::generate("Use them.").model("gemini/gemini-2.5-flash").tools(tools).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if a server does not list its tools, or if two tools have the same name; the error names both.
pub async fn peer_tools(peers: impl IntoIterator<Item = Peer<RoleClient>>) -> Result<Vec<Tool>> {
    let mut tools: Vec<Tool> = Vec::new();
    for (at, peer) in peers.into_iter().enumerate() {
        let server = peer_name(&peer, at);
        for listed in list_tools(&peer, &server).await?.into_iter().filter(is_for_models) {
            if let Some(other) = tools.iter().find(|tool| tool.name() == listed.name) {
                let one = other.metadata()["mcp"]["server"].as_str().unwrap_or_default();
                let (tool, one) = (listed.name.to_string(), one.to_owned());
                return Err(Error::DuplicateToolName { tool, one, other: server }.into());
            }
            tools.push(make_tool(&peer, &server, &listed));
        }
    }
    Ok(tools)
}

/// Returns the name that the server reports, or `peer` with a number.
fn peer_name(peer: &Peer<RoleClient>, at: usize) -> String {
    let info = peer.peer_info();
    let named = info.as_ref().and_then(|info| info.server_info.as_ref());
    named.map_or_else(|| format!("peer {}", at + 1), |server| server.name.clone())
}

async fn list_tools(peer: &Peer<RoleClient>, server: &str) -> Result<Vec<McpTool>> {
    let (mut tools, mut cursors) = (Vec::new(), BTreeSet::new());
    let mut next = None;
    for _ in 0..MAX_PAGES {
        let params = rmcp::model::PaginatedRequestParams::default().with_cursor(next.take());
        let page = run_within(server, "tools/list", peer.list_tools(Some(params))).await?;
        tools.extend(page.tools);
        match page.next_cursor {
            Some(cursor) if cursors.insert(cursor.clone()) => next = Some(cursor),
            _ => break,
        }
    }
    Ok(tools)
}

/// Returns the schema of a tool's output, and whether its results are in a wrapper object.
fn output_schema(listed: &McpTool) -> (Option<Value>, bool) {
    let output = listed.output_schema.as_ref().map(|output| Value::Object((**output).clone()));
    let inner = output.as_ref().and_then(wrapped_result::unwrap_schema);
    let is_wrapped = inner.is_some();
    (inner.or(output), is_wrapped)
}

/// Returns whether a model may use the tool. All other tools are only for the pages of their
/// server.
pub(crate) fn is_for_models(listed: &McpTool) -> bool {
    let ui = listed.meta.as_ref().and_then(|meta| meta.0.get("ui"));
    ui.is_none_or(apps::is_ui_for_models)
}

fn tool_description(listed: &McpTool) -> String {
    visible::escape_prose(listed.description.as_deref().unwrap_or_default()).into_owned()
}

/// Converts a listed tool into a definition for a model request.
pub(crate) fn tool_definition(listed: &McpTool) -> ToolDefinition {
    let schema = Value::Object((*listed.input_schema).clone());
    let schema = genkit_schema::internal::repair_arguments(schema, Patterns::Supported).schema;
    let mut definition = ToolDefinition::new(listed.name.to_string(), tool_description(listed))
        .with_input_schema(schema);
    if let (Some(output), _) = output_schema(listed) {
        definition = definition.with_output_schema(output);
    }
    // Marks the tool as an MCP tool, which requests to Gemini report.
    let origin = serde_json::json!({ "name": listed.name });
    definition.metadata.insert("mcp".to_owned(), origin);
    definition
}

fn make_tool(peer: &Peer<RoleClient>, server: &str, listed: &McpTool) -> Tool {
    let (peer, server): (_, Arc<str>) = (peer.clone(), server.into());
    let name = listed.name.to_string();
    let origin = serde_json::json!({ "server": &*server, "name": name });
    let mut tool = Tool::from_server(name.clone(), tool_description(listed))
        .metadata("mcp", origin)
        .input_schema(Value::Object((*listed.input_schema).clone()));
    let (output, is_wrapped) = output_schema(listed);
    if let Some(output) = output {
        tool = tool.output_schema(output);
    }
    tool.forwards(move |_, arguments| {
        let (peer, server, name) = (peer.clone(), Arc::clone(&server), name.clone());
        Box::pin(async move {
            let result = call(&peer, &server, name, arguments).await?;
            Ok(result.mark_wrapped(is_wrapped).into_output())
        })
    })
}

async fn call(
    peer: &Peer<RoleClient>,
    server: &str,
    name: String,
    arguments: Value,
) -> Result<ToolResult> {
    let mut params = CallToolRequestParams::new(name.clone());
    params.arguments = Some(methods::arguments_object("tool", &name, arguments)?);
    // Do not use `call_tool_once`: before rmcp 3.11, it rejects results without `content`.
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let sending = async {
        let handle =
            peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let mut cancel = CancelOnDrop { peer, id: Some(handle.id.clone()) };
        let result = handle.await_response().await;
        cancel.id = None;
        result
    };
    match run_within(server, &name, sending).await? {
        ServerResult::InputRequiredResult(_) | ServerResult::CreateTaskResult(_) => {
            Err(Error::AsksQuestions { tool: name, server: server.to_owned() }.into())
        }
        result => ToolResult::read(server, results::into_json(result)?, false),
    }
}

async fn run_within<T>(
    server: &str,
    target: &str,
    work: impl Future<Output = std::result::Result<T, ServiceError>>,
) -> Result<T> {
    let done = tokio::time::timeout(TIMEOUT, work).await.map_err(|_| {
        Error::ResponseTimeout { target: target.to_owned(), limit: TIMEOUT }.for_server(server)
    })?;
    done.map_err(|error| match error {
        ServiceError::McpError(error) => SessionError::Refused(error).for_server(server),
        other => {
            attribute_to_server(server, PublicError::new(ErrorKind::Unavailable, other.to_string()))
        }
    })
}
