//! Results: what a function returned, or failed with, as the client gets it.

use base64::Engine as _;
use rmcp::model::{
    CallToolResult, CompletionInfo, ContentBlock, GetPromptResult, PromptMessage,
    ReadResourceResult, ResourceContents as McpResourceContents,
};
use serde_json::{Map, Value, json};

use super::content::{block, meta, own_meta, role_of};
use super::error::Error as E;
use super::session::Era;
use crate::action::{
    ContentsBody, Prompt, PromptReply, Resource, ResourceContents, Tool, ToolOutput,
    failure_for_model,
};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::ResultShape;
use crate::size::json_size;

/// The member of an object that holds a result which is none, in the eras that only know objects.
pub(super) const WRAP: &str = "result";

/// The result of a tool call: a failure is one that the model reads and can act on.
pub(super) fn tool_result(
    tool: &Tool,
    returned: Result<ToolOutput>,
    era: Era,
    max_output: usize,
) -> CallToolResult {
    let result = match returned {
        Ok(output) => success(output, tool.schemas().shape(), era),
        Err(error) => {
            let schema = tool.schemas().portable_input();
            return failure(failure_for_model(&error, tool.name(), Some(schema)));
        }
    };
    let limit = tool.max_output().unwrap_or(max_output);
    // Written twice, here into nothing: rmcp takes no text that is JSON already, and how long a
    // string is as JSON is known only once it is escaped.
    let size = json_size(&result);
    if size <= limit {
        return result;
    }
    tracing::warn!(tool = tool.name(), size, limit, "an answer was too large to send");
    failure(E::OutputTooLarge { tool: tool.name().to_owned(), size, limit }.to_string())
}

fn success(output: ToolOutput, shape: ResultShape, era: Era) -> CallToolResult {
    let ToolOutput { value, content, metadata } = output;
    let mut blocks: Vec<ContentBlock> = content.into_iter().map(block).collect();
    if let Some(value) = value.as_ref().filter(|_| blocks.is_empty()) {
        match value {
            Value::Null => {}
            Value::String(text) => blocks.push(ContentBlock::text(text.clone())),
            other => blocks.push(ContentBlock::text(other.to_string())),
        }
    }
    let mut result = CallToolResult::success(blocks);
    result.structured_content = value.and_then(|value| structured(value, shape, era));
    result.meta = meta(own_meta(&metadata));
    result
}

/// Structured content: what another server returns may not be what its schema says.
fn structured(value: Value, shape: ResultShape, era: Era) -> Option<Value> {
    match (shape, era) {
        (ResultShape::Nothing | ResultShape::Text, _) => None,
        (ResultShape::Object | ResultShape::Unknown, _) => value.is_object().then_some(value),
        (ResultShape::Other, Era::Modern) => Some(value),
        (ResultShape::Other, Era::Legacy) => Some(json!({ WRAP: value })),
    }
}

fn failure(message: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// The result of a prompt: a message for each part, since MCP's messages have one block.
pub(super) fn prompt_result(reply: PromptReply) -> GetPromptResult {
    let messages = reply.messages.into_iter().flat_map(|message| {
        let role = role_of(message.role);
        message.content.into_iter().map(move |part| PromptMessage::new(role.clone(), block(part)))
    });
    let mut result = GetPromptResult::new(messages.collect());
    result.description = reply.description;
    result
}

/// The required arguments that a client left out, all at once.
pub(super) fn check_arguments(
    prompt: &Prompt,
    given: &Map<String, Value>,
) -> std::result::Result<(), E> {
    let missing: Vec<String> = prompt
        .arguments()
        .into_iter()
        .filter(|argument| argument.required && !given.contains_key(&argument.name))
        .map(|argument| format!("`{}`", argument.name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(E::MissingArguments { prompt: prompt.name().to_owned(), missing: missing.join(", ") })
}

pub(super) fn prompt_error(prompt: &Prompt, error: Error) -> Error {
    if !error.is_invalid_arguments() {
        return error;
    }
    E::PromptArguments { prompt: prompt.name().to_owned(), fault: error.chain() }.into()
}

/// The contents of a resource that was read at `uri`.
pub(super) fn resource_result(
    resource: &Resource,
    uri: &str,
    contents: Vec<ResourceContents>,
) -> ReadResourceResult {
    let contents = contents.into_iter().map(|piece| {
        let uri = piece.uri.unwrap_or_else(|| uri.to_owned());
        let given = piece.mime_type.or_else(|| resource.mime_type().map(str::to_owned));
        let (contents, usual) = match piece.body {
            ContentsBody::Text(text) => (McpResourceContents::text(text, uri), "text/plain"),
            ContentsBody::Bytes(bytes) => {
                let data = base64::engine::general_purpose::STANDARD.encode(bytes);
                (McpResourceContents::blob(data, uri), "application/octet-stream")
            }
        };
        contents.with_mime_type(given.unwrap_or_else(|| usual.to_owned()))
    });
    ReadResourceResult::new(contents.collect())
}

/// A resource that is "not found", or whose variables do not fit, is a URI without a resource.
pub(super) fn resource_error(uri: &str, error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound && !error.is_invalid_arguments() {
        return error;
    }
    E::ResourceNotFound { uri: uri.to_owned(), fault: error.chain() }.into()
}

/// Completion: MCP takes 100 suggestions and wants to know how many there are.
pub(super) fn completion(mut found: Vec<String>) -> CompletionInfo {
    let total = found.len();
    found.truncate(CompletionInfo::MAX_VALUES);
    let more = total > found.len();
    let mut info = CompletionInfo::default();
    info.values = found;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(more);
    info
}
