//! What a run's end, or a request that cannot run, is called for the client.

use rmcp::model::{CallToolResult, CompletionInfo, ContentBlock};
use serde_json::{Map, Value, json};

use super::content;
use super::session::Era;
use crate::action::{Prompt, Tool, ToolOutput};
use crate::error::{Error, ErrorKind, Result};
use crate::size::json_size;

/// A tool's end as the client sees it.
pub(crate) fn tool_result(
    tool: &Tool,
    ran: Result<ToolOutput>,
    era: Era,
    max_output: usize,
) -> CallToolResult {
    let output = match ran {
        Ok(output) => output,
        Err(error) => {
            let schema = tool.schemas().portable_input();
            return content::tool_error(&error, tool.name(), schema);
        }
    };
    let result = content::tool_result(output, tool.schemas().shape(), era);
    let limit = tool.max_output().unwrap_or(max_output);
    match oversize(&result, limit) {
        None => result,
        Some(size) => {
            tracing::warn!(tool = tool.name(), size, limit, "an answer was too large to send");
            CallToolResult::error(vec![ContentBlock::text(format!(
                "The answer of `{}` has {size} bytes, more than the limit of {limit}: ask for \
                 less, for example with a filter or a smaller page",
                tool.name()
            ))])
        }
    }
}

/// The size of an answer, if it is over the limit.
fn oversize(result: &CallToolResult, limit: usize) -> Option<usize> {
    let size = json_size(result);
    (size > limit).then_some(size)
}

/// The required arguments that a client left out, all at once.
pub(crate) fn missing_arguments(prompt: &Prompt, given: &Map<String, Value>) -> Option<String> {
    let missing: Vec<String> = prompt
        .arguments()
        .into_iter()
        .filter(|argument| argument.required && !given.contains_key(&argument.name))
        .map(|argument| format!("`{}`", argument.name))
        .collect();
    (!missing.is_empty()).then(|| {
        format!("prompt `{}` lacks required arguments: {}", prompt.name(), missing.join(", "))
    })
}

pub(crate) fn prompt_error(prompt: &Prompt, error: Error) -> Error {
    if !error.is_invalid_arguments() {
        return error;
    }
    Error::invalid_argument(format!("prompt `{}`: {}", prompt.name(), error.chain()))
}

/// A resource that says "not found", or whose variables do not fit, is an address that nobody
/// answers for.
pub(crate) fn resource_error(uri: &str, error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound && !error.is_invalid_arguments() {
        return error;
    }
    Error::not_found(format!("Resource not found: {uri}: {}", error.chain()))
        .with_details(json!({ "uri": uri }))
}

/// MCP takes 100 suggestions and wants to know how many there are.
pub(crate) fn completion(mut found: Vec<String>) -> CompletionInfo {
    let total = found.len();
    found.truncate(CompletionInfo::MAX_VALUES);
    let more = total > found.len();
    let mut info = CompletionInfo::default();
    info.values = found;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(more);
    info
}
