//! Tools and tool choice of the Messages API.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::tool_search::{SEARCH_NAME, SEARCH_TYPE, ToolSearch};
use crate::schema::ToolInputDialect;
use genkit_core::internal::message::cache_breakpoint;
use genkit_core::internal::names::Names;
use genkit_core::{ModelRequest, ToolChoice, ToolDefinition};

/// An entry of `tools`.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ClaudeTool<'a> {
    /// The search of deferred tools.
    Search(SearchTool<'a>),
    Own(OwnTool<'a>),
    /// A server tool, unchanged from the settings.
    Given(&'a Value),
}

#[derive(Serialize)]
pub(super) struct SearchTool<'a> {
    r#type: &'static str,
    name: &'static str,
    #[serde(rename = "cache_control", skip_serializing_if = "Option::is_none")]
    pub(super) cache: Option<&'a Value>,
}

#[derive(Serialize)]
pub(super) struct OwnTool<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: ToolInputSchema<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defer_loading: bool,
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

impl<'a> ClaudeTool<'a> {
    /// Returns the cache breakpoint, unless the tool cannot have one.
    pub(super) fn cache_mut(&mut self) -> Option<&mut Option<&'a Value>> {
        match self {
            Self::Search(search) => Some(&mut search.cache),
            Self::Own(own) if !own.defer_loading => Some(&mut own.cache),
            Self::Own(_) | Self::Given(_) => None,
        }
    }
}

/// Encodes the tools of `request` and the server tools in its settings. If any tool is deferred, the search tool comes
/// first.
pub(super) fn encode_tools<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    search: &ToolSearch<'_>,
) -> Vec<ClaudeTool<'a>> {
    let mut tools = Vec::with_capacity(request.tools.len() + 1);
    if !search.deferred.is_empty() && !search.is_given {
        let (r#type, name) = (SEARCH_TYPE, SEARCH_NAME);
        tools.push(ClaudeTool::Search(SearchTool { r#type, name, cache: None }));
    }
    for tool in &request.tools {
        let is_deferred = search.deferred.contains(tool.name.as_str());
        tools.push(ClaudeTool::Own(own_tool(tool, names, is_deferred)));
        // The API rejects a breakpoint on a deferred tool, because deferred tools are not part of
        // the cached prompt.
        let mark = cache_breakpoint(&tool.metadata).filter(|_| is_deferred);
        if let (Some(mark), Some(last)) =
            (mark, tools.iter_mut().rev().find_map(ClaudeTool::cache_mut))
        {
            *last = Some(mark);
        }
    }
    let given = request.config.get("tools").and_then(Value::as_array).into_iter().flatten();
    tools.extend(given.map(ClaudeTool::Given));
    tools
}

fn own_tool<'a>(
    tool: &'a ToolDefinition,
    names: &'a Names<'a>,
    defer_loading: bool,
) -> OwnTool<'a> {
    let schema = tool.shared_input();
    let schema = schema.and_then(|schema| schema.dialect_text::<ToolInputDialect>(&tool.name));
    OwnTool {
        name: names.sent_name(&tool.name),
        description: &tool.description,
        input_schema: schema
            .map_or(ToolInputSchema::Object { r#type: "object" }, ToolInputSchema::Given),
        defer_loading,
        cache: cache_breakpoint(&tool.metadata).filter(|_| !defer_loading),
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

/// Returns whether a tool call is forced.
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
