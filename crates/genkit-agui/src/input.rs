//! The input of a run, `RunAgentInput`: untrusted data from the client, within limits.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use genkit_core::internal::bounded_json::{ValueBudget, parse_within};
use genkit_core::{Part, Tool};
use genkit_flows::internal::is_readable;

use crate::error::Error as E;
use crate::outcome::RunIds;
use crate::ui_stream::{UiStream, is_chat_request, read_request};

/// The maximum number of messages. Default is 2,000.
const MAX_MESSAGES: usize = 2_000;

/// The maximum number of tools that a request declares. Default is 64.
const MAX_TOOLS: usize = 64;

/// The maximum number of context entries. Default is 64.
const MAX_CONTEXT: usize = 64;

/// The maximum number of answers to interrupts. Default is 64.
const MAX_ANSWERS: usize = 64;

/// The maximum length of an id, in bytes. Default is 256.
const MAX_ID: usize = 256;

/// The maximum length of the description of a tool, in bytes. Default is 4 KiB.
const MAX_DESCRIPTION: usize = 4 * 1024;

/// The maximum size of the parameters of a tool as JSON, in bytes. Default is 32 KiB.
const MAX_PARAMETERS: usize = 32 * 1024;

/// The maximum nesting of the parameters of a tool. Default is 32.
const MAX_DEPTH: usize = 32;

/// The maximum length of the name of a tool, in bytes. Default is 64.
const MAX_NAME: usize = 64;

/// A request to run the agent. Unknown fields are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunInput {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    pub(crate) parent_run_id: Option<String>,
    /// The version that the client implements; `None` before 1.0.
    pub(crate) protocol_version: Option<String>,
    #[serde(default)]
    pub(crate) state: Value,
    pub(crate) messages: Vec<InputMessage>,
    pub(crate) tools: Option<Vec<ClientTool>>,
    pub(crate) context: Option<Vec<ContextEntry>>,
    #[serde(default)]
    pub(crate) forwarded_props: Value,
    pub(crate) resume: Option<Vec<ResumeEntry>>,
    /// The number of values that nested JSON can still contain, in sealed turns and in JSON text.
    #[serde(skip)]
    pub(crate) budget: ValueBudget,
    /// Set for a request of Vercel's AI SDK.
    #[serde(skip)]
    pub(crate) ui_stream: Option<UiStream>,
}

/// A message from the client's copy of the conversation. Its tool calls are ignored, because the sealed value contains
/// them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputMessage {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) role: String,
    #[serde(default)]
    pub(crate) content: Value,
    pub(crate) encrypted_value: Option<String>,
    pub(crate) tool_call_id: Option<String>,
    pub(crate) error: Option<String>,
}

/// A tool that the page executes.
#[derive(Deserialize)]
pub(crate) struct ClientTool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

/// A context entry from the client.
#[derive(Clone, Deserialize)]
pub(crate) struct ContextEntry {
    pub(crate) description: String,
    pub(crate) value: String,
}

/// The answer to an interrupt.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeEntry {
    pub(crate) interrupt_id: String,
    pub(crate) status: ResumeStatus,
    #[serde(default)]
    pub(crate) payload: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResumeStatus {
    Resolved,
    Cancelled,
}

impl RunInput {
    /// Parses the body of a request and checks its limits.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, E> {
        let budget = ValueBudget::default();
        let not_input = |error: serde_json::Error| E::InvalidInput(error.to_string());
        let body: Value = parse_within(body, &budget).map_err(not_input)?;
        let input = if is_chat_request(&body) {
            read_request(body, budget).map_err(not_input)?
        } else {
            Self { budget, ..serde_json::from_value(body).map_err(not_input)? }
        };
        limit("threadId", input.thread_id.len(), "bytes", MAX_ID)?;
        limit("runId", input.run_id.len(), "bytes", MAX_ID)?;
        let parent = input.parent_run_id.as_ref().map_or(0, String::len);
        limit("parentRunId", parent, "bytes", MAX_ID)?;
        for message in &input.messages {
            limit("messages[].id", message.id.len(), "bytes", MAX_ID)?;
        }
        limit("messages", input.messages.len(), "entries", MAX_MESSAGES)?;
        limit("tools", input.tools.as_ref().map_or(0, Vec::len), "entries", MAX_TOOLS)?;
        limit("context", input.context.as_ref().map_or(0, Vec::len), "entries", MAX_CONTEXT)?;
        limit("resume", input.resume.as_ref().map_or(0, Vec::len), "entries", MAX_ANSWERS)?;
        if input.thread_id.is_empty() || input.run_id.is_empty() {
            return Err(E::InvalidInput("`threadId` and `runId` must not be empty".to_owned()));
        }
        Ok(input)
    }

    pub(crate) fn into_ids(self) -> RunIds {
        RunIds {
            thread: self.thread_id,
            run: self.run_id,
            parent: self.parent_run_id,
            names_pending_calls: self.protocol_version.is_some(),
        }
    }

    /// Creates the tools that the request declares. A call to one of them interrupts the run.
    pub(crate) fn client_tools(&mut self) -> Result<Vec<Tool>, E> {
        let mut names = HashSet::new();
        let tools = self.tools.take().unwrap_or_default();
        tools
            .into_iter()
            .map(|tool| {
                let tool = tool.into_tool()?;
                match names.insert(tool.name().to_owned()) {
                    true => Ok(tool),
                    false => Err(E::DuplicateTool(tool.name().to_owned())),
                }
            })
            .collect()
    }

    /// Takes the forwarded properties with these names.
    pub(crate) fn allowed_props(&mut self, names: &[String]) -> Map<String, Value> {
        let Value::Object(props) = self.forwarded_props.take() else { return Map::new() };
        props.into_iter().filter(|(name, _)| names.contains(name)).collect()
    }
}

impl ClientTool {
    fn into_tool(self) -> Result<Tool, E> {
        let Self { name, description, parameters } = self;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_name) {
            return Err(E::ToolName(name.chars().take(MAX_NAME).collect()));
        }
        limit("tools[].description", description.len(), "bytes", MAX_DESCRIPTION)?;
        let parameters = match parameters {
            Value::Null => serde_json::json!({ "type": "object", "properties": {} }),
            Value::Object(schema) => Value::Object(schema),
            _ => return Err(E::ToolSchema(name)),
        };
        limit("tools[].parameters", parameters.to_string().len(), "bytes", MAX_PARAMETERS)?;
        if !is_within_depth(&parameters, MAX_DEPTH) {
            return Err(E::ToolSchema(name));
        }
        Ok(Tool::builder(name, description).input_schema(parameters).interrupts())
    }
}

impl InputMessage {
    /// Returns the parts of a user message.
    pub(crate) fn user_parts(&self) -> Result<Vec<Part>, E> {
        match &self.content {
            Value::String(text) => Ok(vec![Part::text(text.as_str())]),
            Value::Array(parts) => parts.iter().map(user_part).collect(),
            _ => Err(E::Content("neither text nor a list of parts".to_owned())),
        }
    }

    /// Returns the result of a call that the page executed. Text that is JSON becomes that JSON.
    pub(crate) fn tool_output(&self, budget: &ValueBudget) -> Result<Value, E> {
        if let Some(error) = self.error.as_ref().filter(|error| !error.is_empty()) {
            return Ok(serde_json::json!({ "error": error }));
        }
        let text = match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            other => return Ok(other.clone()),
        };
        match parse_within(text.as_bytes(), budget) {
            Ok(json) => Ok(json),
            Err(error) if budget.is_spent() => Err(E::InvalidInput(error.to_string())),
            Err(_) => Ok(Value::String(text)),
        }
    }
}

/// Reads a content part of a user message. A reference to a file at a provider is rejected, since the client may not be
/// allowed to read the file.
fn user_part(part: &Value) -> Result<Part, E> {
    let kind = part["type"].as_str().unwrap_or_default();
    if kind == "text" {
        let text =
            part["text"].as_str().ok_or_else(|| E::Content("a text part without `text`".into()))?;
        return Ok(Part::text(text));
    }
    if !["image", "audio", "video", "document"].contains(&kind) {
        return Err(E::Content(kind.chars().take(MAX_NAME).collect()));
    }
    let source = &part["source"];
    let value = source["value"].as_str().unwrap_or_default();
    let mime = source["mimeType"].as_str().unwrap_or_default();
    match source["type"].as_str() {
        Some("data") if is_mime(mime) => {
            Ok(Part::media(format!("data:{mime};base64,{value}"), mime))
        }
        Some("url") if is_readable(value) && (mime.is_empty() || is_mime(mime)) => {
            Ok(Part::media(value, if mime.is_empty() { "application/octet-stream" } else { mime }))
        }
        _ => Err(E::Content(format!("the source of a part of type `{kind}`"))),
    }
}

fn is_mime(text: &str) -> bool {
    let is_char = |c: char| c.is_ascii_alphanumeric() || "/+-._".contains(c);
    text.len() <= MAX_ID && text.contains('/') && text.chars().all(is_char)
}

fn limit(field: &'static str, found: usize, unit: &'static str, limit: usize) -> Result<(), E> {
    match found <= limit {
        true => Ok(()),
        false => Err(E::TooMuch { field, found, unit, limit }),
    }
}

fn is_within_depth(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|item| is_within_depth(item, depth)),
        Value::Object(fields) => fields.values().all(|field| is_within_depth(field, depth)),
        _ => true,
    }
}
