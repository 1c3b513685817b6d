//! The requests that a server's actions become.

use rmcp::model::{
    ArgumentInfo, CallToolRequest, CallToolRequestParams, ClientRequest, CompleteRequest,
    CompleteRequestParams, CompletionContext, GetPromptRequest, GetPromptRequestParams,
    PromptReference, ReadResourceRequest, ReadResourceRequestParams, Reference,
    ResourceTemplateReference,
};
use serde_json::{Map, Value};

use super::fingerprint::fingerprint;
use super::results;
use crate::action::{Completion, Contents, PromptReply, ToolOutput};
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::lifecycle::server::Server;

/// Arguments as MCP has them: an object, which `null` stands for an empty one of.
pub(crate) fn object(what: &str, name: &str, arguments: Value) -> Result<Map<String, Value>> {
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Map::new()),
        other => {
            let kind = match other {
                Value::Array(_) => "a list",
                Value::String(_) => "text",
                Value::Number(_) => "a number",
                _ => "a boolean",
            };
            Err(Error::invalid_argument(format!(
                "the arguments of the {what} `{name}` must be an object, and {kind} was given"
            )))
        }
    }
}

pub(crate) async fn call_tool(
    server: &Server,
    context: &Context,
    name: &str,
    arguments: Value,
) -> Result<ToolOutput> {
    if !server.config.controls.wants(name) {
        let key = &server.key;
        let said = format!("the configuration of `{key}` leaves the tool `{name}` out");
        return Err(Error::new(ErrorKind::PermissionDenied, said));
    }
    let arguments = object("tool", name, arguments)?;
    let print = fingerprint(&["tools/call", name, &Value::Object(arguments.clone()).to_string()]);
    let result = server.ask(context, name, &print, |responses, state| {
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = Some(arguments.clone());
        params.input_responses = responses;
        params.request_state = state;
        ClientRequest::CallToolRequest(CallToolRequest::new(params))
    });
    results::tool_output(&server.key, result.await?, server.is_raw())
}

pub(crate) async fn get_prompt(
    server: &Server,
    context: &Context,
    name: &str,
    arguments: Value,
) -> Result<PromptReply> {
    let mut arguments = object("prompt", name, arguments)?;
    for value in arguments.values_mut() {
        // MCP knows only texts here.
        if !value.is_string() {
            *value = Value::String(value.to_string());
        }
    }
    let print = fingerprint(&["prompts/get", name, &Value::Object(arguments.clone()).to_string()]);
    let result = server.ask(context, name, &print, |responses, state| {
        let mut params = GetPromptRequestParams::new(name.to_owned());
        params.arguments = Some(arguments.clone());
        params.input_responses = responses;
        params.request_state = state;
        ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
    });
    results::prompt_reply(&server.key, result.await?)
}

pub(crate) async fn read_resource(
    server: &Server,
    context: &Context,
    uri: &str,
) -> Result<Vec<Contents>> {
    let print = fingerprint(&["resources/read", uri]);
    let result = server.ask(context, uri, &print, |responses, state| {
        let mut params = ReadResourceRequestParams::new(uri);
        params.input_responses = responses;
        params.request_state = state;
        ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
    });
    results::contents(&server.key, result.await?)
}

pub(crate) async fn complete_prompt(
    server: &Server,
    name: &str,
    typed: Completion,
) -> Result<Vec<String>> {
    complete(server, Reference::Prompt(PromptReference::new(name)), typed).await
}

pub(crate) async fn complete_resource(
    server: &Server,
    template: &str,
    typed: Completion,
) -> Result<Vec<String>> {
    complete(server, Reference::Resource(ResourceTemplateReference::new(template)), typed).await
}

async fn complete(server: &Server, of: Reference, typed: Completion) -> Result<Vec<String>> {
    if server.connection().await?.info.capabilities.completions.is_none() {
        return Ok(Vec::new());
    }
    let Completion { argument, value, others, context } = typed;
    let others: std::collections::HashMap<_, _> = others.into_iter().collect();
    let result = server.ask(&context, &argument, "", |_, _| {
        let asked = ArgumentInfo::new(argument.clone(), value.clone());
        let mut params = CompleteRequestParams::new(of.clone(), asked);
        if !others.is_empty() {
            params.context = Some(CompletionContext::with_arguments(others.clone()));
        }
        ClientRequest::CompleteRequest(CompleteRequest::new(params))
    });
    let mut result = result.await?;
    let values = result["completion"]["values"].take();
    Ok(serde_json::from_value(values).unwrap_or_default())
}
