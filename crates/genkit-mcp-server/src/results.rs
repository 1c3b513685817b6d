//! Conversion of the result or error from a function to the MCP response.

use base64::Engine as _;
use rmcp::model::{
    CallToolResult, CompletionInfo, ContentBlock, ErrorData, GetPromptResult, PromptMessage,
    ReadResourceResult, ResourceContents as McpResourceContents,
};
use serde_json::{Map, Value};

use super::error::Error as E;
use super::session::Era;
use genkit_core::internal::action::{ContentsBody, ToolOutput, failure_for_model};
use genkit_core::internal::redact::remove_account_settings;
use genkit_core::internal::visible::Logged;
use genkit_core::internal::warnings::WarningBudget;
use genkit_core::{
    Error, ErrorKind, Prompt, PromptOptions, PromptReply, Resource, ResourceContents, Result, Tool,
};
use genkit_mcp::internal::content::{self, client_meta, to_block, to_mcp_role};
use genkit_mcp::internal::error_status;
use genkit_mcp::internal::wrapped_result::wrap;
use genkit_schema::internal::ResultShape;

/// Builds the result of a tool call. A failure becomes an error result, to which the model can react.
pub(super) fn tool_result(tool: &Tool, returned: Result<ToolOutput>, era: Era) -> CallToolResult {
    let output = match returned {
        Ok(output) => output,
        Err(error) => {
            let schema = tool.schemas().portable_input();
            let text = failure_for_model(&error, tool.name(), Some(schema));
            return failure_result(text, error.kind());
        }
    };
    let ToolOutput { value, content, metadata, repeated } = output;
    let mut meta = client_meta(&metadata);
    let text = value.as_ref().and_then(value_text);
    let structured =
        value.and_then(|value| structured_content(value, tool.schemas().shape(), era, &mut meta));
    let mut blocks: Vec<ContentBlock> = content.into_iter().map(to_block).collect();
    // An upstream tool supplies its own text for the value.
    let text = text.filter(|_| repeated.is_empty());
    blocks.splice(0..0, repeated.into_iter().map(ContentBlock::text));
    // Some clients ignore structured content, and others drop the value if the content is an image.
    if let Some(text) = text {
        let mut texts = blocks.iter().filter_map(|block| block.as_text());
        let is_said = match structured {
            Some(_) => texts.next().is_some(),
            None => texts.any(|said| said.text == text),
        };
        if !is_said {
            blocks.insert(0, ContentBlock::text(text));
        }
    }
    let mut result = CallToolResult::success(blocks);
    result.structured_content = structured;
    result.meta = content::to_meta(meta);
    result
}

/// Builds the result that replaces a result of `size` bytes, which is too large.
pub(super) fn too_large(tool: &Tool, size: usize, limit: usize) -> CallToolResult {
    let text = output_too_large(tool.name(), size, limit).to_string();
    failure_result(text, ErrorKind::ResourceExhausted)
}

/// Builds the error that replaces a prompt, contents or suggestions of more than `limit` bytes.
pub(super) fn too_large_error(name: &str, size: usize, limit: usize) -> ErrorData {
    output_too_large(name, size, limit).into()
}

fn output_too_large(name: &str, size: usize, limit: usize) -> E {
    static WARNINGS: WarningBudget = WarningBudget::new();
    if let Some(warnings) = WARNINGS.count_warning() {
        tracing::warn!(warnings, name = %Logged::name(name), size, limit, "the response is too large to send");
    }
    E::OutputTooLarge { name: name.to_owned(), size, limit }
}

/// Returns a value as text, for clients that ignore structured content.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Returns the structured content. Checks its shape, because an upstream server can violate its own schema.
fn structured_content(
    value: Value,
    shape: ResultShape,
    era: Era,
    meta: &mut Map<String, Value>,
) -> Option<Value> {
    let is_structured = match shape {
        ResultShape::Text => false,
        ResultShape::Object => value.is_object(),
        // A string is sent as text content instead.
        ResultShape::Nothing | ResultShape::Unknown => !value.is_null() && !value.is_string(),
        ResultShape::Other => true,
    };
    match era {
        _ if !is_structured => None,
        // A tool that can return any value has no schema, so its objects are not wrapped.
        _ if value.is_object() && shape != ResultShape::Other => Some(value),
        Era::Modern => Some(value),
        Era::Legacy => Some(wrap(value, meta)),
    }
}

fn failure_result(message: String, kind: ErrorKind) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    if kind != ErrorKind::Unknown {
        let mut meta = Map::new();
        error_status::mark_meta(&mut meta, kind);
        result.meta = content::to_meta(meta);
    }
    result
}

/// The key in `_meta` for the options of a prompt's runs, since MCP has no field for them.
const OPTIONS_KEY: &str = "genkit/prompt";

/// Builds the result of a prompt. An MCP message has one content block, so each part becomes a message. Empty
/// placeholders of pending parts are skipped.
pub(super) fn prompt_result(reply: PromptReply) -> GetPromptResult {
    let messages = reply.messages.into_iter().flat_map(|message| {
        let role = to_mcp_role(message.role);
        let parts = message.content.into_iter().filter(|part| !part.is_empty_placeholder());
        parts.map(move |part| PromptMessage::new(role.clone(), to_block(part)))
    });
    let mut result = GetPromptResult::new(messages.collect());
    result.description = reply.description;
    let options = reply.options.map(|options| prompt_options(&options)).unwrap_or_default();
    if !options.is_empty() {
        let options = Map::from_iter([(OPTIONS_KEY.to_owned(), Value::Object(options))]);
        result.meta = content::to_meta(options);
    }
    result
}

/// Returns the options of a prompt that are useful to clients, in Genkit's JSON format.
fn prompt_options(options: &PromptOptions) -> Map<String, Value> {
    let mut shown = Map::new();
    if let Some(model) = options.model() {
        shown.insert("model".to_owned(), model.into());
    }
    let mut config = options.config().clone();
    remove_account_settings(&mut config);
    if !config.is_empty() {
        shown.insert("config".to_owned(), config.into());
    }
    if !options.tools().is_empty() {
        let names: Vec<Value> = options.tools().iter().map(|tool| tool.name().into()).collect();
        shown.insert("tools".to_owned(), names.into());
    }
    shown
}

/// Checks the required arguments of a prompt. The error lists all missing arguments.
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

/// Builds the result of a read of `uri`.
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
        let contents = contents.with_mime_type(given.unwrap_or_else(|| usual.to_owned()));
        let mut meta = Map::new();
        // Clients read the permissions of an app from its contents.
        meta.extend(resource.metadata().get("ui").map(|ui| ("ui".to_owned(), ui.clone())));
        meta.extend(piece.meta);
        match content::to_meta(meta) {
            Some(meta) => contents.with_meta(meta),
            None => contents,
        }
    });
    ReadResourceResult::new(contents.collect())
}

/// Converts "not found" errors and errors of mismatched variables to MCP's error for an unknown URI.
pub(super) fn resource_error(uri: &str, error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound && !error.is_invalid_arguments() {
        return error;
    }
    E::ResourceNotFound { uri: uri.to_owned(), fault: error.chain() }.into()
}

/// Builds the result of a completion: at most 100 suggestions, the limit of MCP, and the total number.
pub(super) fn completion_result(mut found: Vec<String>) -> CompletionInfo {
    let total = found.len();
    found.truncate(CompletionInfo::MAX_VALUES);
    let more = total > found.len();
    let mut info = CompletionInfo::default();
    info.values = found;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(more);
    info
}
