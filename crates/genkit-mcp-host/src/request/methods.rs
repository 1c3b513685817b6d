//! The MCP methods behind the actions of a server: `tools/call`, `prompts/get`, `resources/read`,
//! `completion/complete`.

use std::sync::Arc;

use rmcp::model::{
    ArgumentInfo, CallToolRequest, CallToolRequestParams, ClientRequest,
    CompleteRequest as McpCompleteRequest, CompleteRequestParams, CompletionContext,
    GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    Reference,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error;
use super::results;
use super::send::send_until_complete;
use super::tool_result::ToolResult;
use crate::lifecycle::server::ManagedServer;
use genkit_core::Context;
use genkit_core::Result;
use genkit_core::{CompleteRequest, PromptReply, ResourceContents};

/// Converts a program's arguments to JSON.
pub(crate) fn to_json(what: &'static str, name: &str, arguments: impl Serialize) -> Result<Value> {
    let unreadable = |source| Error::Unserializable { what, name: name.to_owned(), source };
    Ok(serde_json::to_value(arguments).map_err(unreadable)?)
}

/// Converts arguments to the object that MCP requires; `null` becomes an empty object.
pub(crate) fn arguments_object(
    what: &'static str,
    name: &str,
    arguments: Value,
) -> Result<Map<String, Value>> {
    let given = match arguments {
        Value::Object(arguments) => return Ok(arguments),
        Value::Null => return Ok(Map::new()),
        Value::Array(_) => "an array",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a boolean",
    };
    Err(Error::Arguments { what, name: name.to_owned(), given }.into())
}

/// Sends a request, and removes the credentials of the connection from the result, because a server may echo them.
async fn send_request(
    server: &Arc<ManagedServer>,
    context: &Context,
    target: &str,
    request: ClientRequest,
) -> Result<Value> {
    let result = send_until_complete(server, context, target, request).await?;
    Ok(server.redactor.redact_result(result))
}

pub(crate) async fn call_tool(
    server: &Arc<ManagedServer>,
    context: &Context,
    name: &str,
    given: Value,
) -> Result<ToolResult> {
    let result = call_tool_raw(server, context, name, given).await?;
    let read = ToolResult::read(&server.key, result, server.is_raw());
    read.map_err(|error| server.redact_error(error))
}

/// Calls a tool, and returns the result in MCP's JSON.
pub(crate) async fn call_tool_raw(
    server: &Arc<ManagedServer>,
    context: &Context,
    name: &str,
    given: Value,
) -> Result<Value> {
    if !server.config.controls.is_offered(name) {
        let (server, tool) = (server.key.to_string(), name.to_owned());
        return Err(Error::NotOffered { server, tool }.into());
    }
    if server.pins.is_held(name) {
        let (server, tool) = (server.key.to_string(), name.to_owned());
        return Err(Error::HeldBack { server, tool }.into());
    }
    let mut params = CallToolRequestParams::new(name.to_owned());
    params.arguments = Some(arguments_object("tool", name, given)?);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    send_request(server, context, name, request).await
}

pub(crate) async fn get_prompt(
    server: &Arc<ManagedServer>,
    context: &Context,
    name: &str,
    given: Value,
) -> Result<PromptReply> {
    let mut arguments = arguments_object("prompt", name, given)?;
    for value in arguments.values_mut() {
        // Arguments of prompts must be strings in MCP.
        if !value.is_string() {
            *value = Value::String(value.to_string());
        }
    }
    let mut params = GetPromptRequestParams::new(name.to_owned());
    params.arguments = Some(arguments);
    let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
    let result = send_request(server, context, name, request).await?;
    results::prompt_reply(&server.key, result)
}

pub(crate) async fn read_resource(
    server: &Arc<ManagedServer>,
    context: &Context,
    uri: &str,
) -> Result<Vec<ResourceContents>> {
    let params = ReadResourceRequestParams::new(uri);
    let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
    let result = send_request(server, context, uri, request).await?;
    results::read_contents(&server.key, result)
}

pub(crate) async fn complete_argument(
    server: &Arc<ManagedServer>,
    of: Reference,
    typed: CompleteRequest,
) -> Result<Vec<String>> {
    if server.wait_connected().await?.info.capabilities.completions.is_none() {
        return Ok(Vec::new());
    }
    let CompleteRequest { argument, value, others, context } = typed;
    let mut params = CompleteRequestParams::new(of, ArgumentInfo::new(argument.clone(), value));
    if !others.is_empty() {
        let others = others.into_iter().collect();
        params.context = Some(CompletionContext::with_arguments(others));
    }
    let request = ClientRequest::CompleteRequest(McpCompleteRequest::new(params));
    let mut result = send_request(server, &context, &argument, request).await?;
    let values = result["completion"]["values"].take();
    Ok(serde_json::from_value(values).unwrap_or_default())
}
