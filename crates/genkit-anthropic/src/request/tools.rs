//! Tools and tool choice of the Messages API.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema::ToolInputDialect;
use genkit_core::internal::message::cache_mark;
use genkit_core::internal::names::Names;
use genkit_core::{ModelRequest, ToolChoice, ToolDefinition};

/// An entry of `tools`.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ClaudeTool<'a> {
    Own(OwnTool<'a>),
    /// A server tool, unchanged from the settings.
    Given(&'a Value),
}

#[derive(Serialize)]
pub(super) struct OwnTool<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: ToolInputSchema<'a>,
    #[serde(rename = "cache_control", skip_serializing_if = "Option::is_none")]
    pub(super) cache: Option<&'a Value>,
}

/// The schema of the arguments, which is required.
#[derive(Serialize)]
#[serde(untagged)]
enum ToolInputSchema<'a> {
    Given(&'a RawValue),
    Object { r#type: &'static str },
}

/// Returns the tools of `request`, followed by the server tools in its settings.
pub(super) fn encode_tools<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
) -> Vec<ClaudeTool<'a>> {
    let own = request.tools.iter().map(|tool| ClaudeTool::Own(own_tool(tool, names)));
    let given = request.config.get("tools").and_then(Value::as_array).into_iter().flatten();
    own.chain(given.map(ClaudeTool::Given)).collect()
}

fn own_tool<'a>(tool: &'a ToolDefinition, names: &'a Names<'a>) -> OwnTool<'a> {
    let schema = tool.shared_input();
    let schema = schema.and_then(|schema| schema.dialect_text::<ToolInputDialect>(&tool.name));
    OwnTool {
        name: names.sent_name(&tool.name),
        description: &tool.description,
        input_schema: schema
            .map_or(ToolInputSchema::Object { r#type: "object" }, ToolInputSchema::Given),
        cache: cache_mark(&tool.metadata),
    }
}

#[derive(Serialize)]
pub(super) struct ClaudeToolChoice<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disable_parallel_tool_use: Option<bool>,
}

/// Returns the tool choice, unless the request has no tools.
pub(super) fn tool_choice<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
) -> Option<ClaudeToolChoice<'a>> {
    let config = &request.config;
    let one_by_one = ["disable_parallel_tool_use", "disableParallelToolUse"];
    let one_by_one = one_by_one.iter().find_map(|key| config.get(*key)?.as_bool());
    let choice = request.tool_choice.as_ref().filter(|_| !request.tools.is_empty());
    let (r#type, name) = match choice {
        None if one_by_one.is_none() => return None,
        Some(ToolChoice::Required) => ("any", None),
        Some(ToolChoice::None) => ("none", None),
        Some(ToolChoice::Tool(name)) => ("tool", Some(names.sent_name(name))),
        _ => ("auto", None),
    };
    let disable_parallel_tool_use = one_by_one.filter(|_| r#type != "none");
    Some(ClaudeToolChoice { r#type, name, disable_parallel_tool_use })
}

/// Whether a tool call is forced.
pub(super) fn is_forced(request: &ModelRequest) -> bool {
    let given = request.config.get("tool_choice").and_then(|choice| choice.get("type"));
    match given.and_then(Value::as_str) {
        Some(word) => matches!(word, "any" | "tool"),
        None => {
            !request.tools.is_empty()
                && request.tool_choice.as_ref().is_some_and(ToolChoice::is_forced)
        }
    }
}
