//! Tools, tool choice and output format.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};

use super::tool_search::{SEARCH_TYPE, ToolSearch};
use crate::wire::request::output_format::OutputFormat;
use crate::wire::schema::tool_schema;
use crate::wire::servers::Deviations;
use genkit_core::internal::names::Names;
use genkit_core::{ModelRequest, ToolChoice, ToolDefinition};

/// The schema of a tool without arguments.
static NO_ARGUMENTS: LazyLock<Value> = LazyLock::new(
    || json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
);

/// An encoded tool: a tool of the request, or a server tool from the settings.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ResponsesTool<'a> {
    Function(FunctionParam<'a>),
    Namespace(NamespaceParam<'a>),
    /// The search of deferred tools.
    Search {
        r#type: &'static str,
    },
    Server(&'a Value),
}

/// Deferred tools. The model sees only the name and the description of the namespace.
#[derive(Serialize)]
pub(super) struct NamespaceParam<'a> {
    r#type: &'static str,
    name: String,
    description: String,
    tools: Vec<FunctionParam<'a>>,
}

#[derive(Serialize)]
pub(super) struct FunctionParam<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: &'a Value,
    /// Always sent, because the API's default is true and it then rejects schemas that are not
    /// strict.
    strict: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defer_loading: bool,
}

/// Encodes the tools of `request`: those that are loaded, the deferred ones with their search, and the server tools.
pub(super) fn encode_tools<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    search: &ToolSearch<'a>,
    deviations: &Deviations,
) -> Vec<ResponsesTool<'a>> {
    let is_deferred = |tool: &ToolDefinition| search.deferred.contains(tool.name.as_str());
    let function = |tool: &'a ToolDefinition| {
        let (parameters, is_strict) = match tool.shared_input() {
            None => (&*NO_ARGUMENTS, deviations.strict_tools),
            Some(schema) => tool_schema(schema, &tool.name, deviations.strict_tools),
        };
        FunctionParam {
            r#type: "function",
            name: names.sent_name(&tool.name),
            description: &tool.description,
            parameters,
            strict: is_strict,
            defer_loading: is_deferred(tool),
        }
    };
    let loaded = request.tools.iter().filter(|tool| !is_deferred(tool));
    let mut tools: Vec<ResponsesTool<'a>> =
        loaded.map(|tool| ResponsesTool::Function(function(tool))).collect();
    if !search.deferred.is_empty() {
        for namespace in search.namespaces(&request.tools, names) {
            tools.push(ResponsesTool::Namespace(NamespaceParam {
                r#type: "namespace",
                name: namespace.name,
                description: namespace.description,
                tools: namespace.tools.into_iter().map(function).collect(),
            }));
        }
        if !search.is_given {
            tools.push(ResponsesTool::Search { r#type: SEARCH_TYPE });
        }
    }
    let of_server = request.config.get("tools").and_then(Value::as_array).into_iter().flatten();
    tools.extend(of_server.map(ResponsesTool::Server));
    tools
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ResponsesToolChoice<'a> {
    Mode(&'static str),
    Function { r#type: &'static str, name: Cow<'a, str> },
}

/// Encodes the tool choice, unless the request has no tools.
pub(super) fn tool_choice<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
) -> Option<ResponsesToolChoice<'a>> {
    let choice = request.tool_choice.as_ref().filter(|_| !request.tools.is_empty())?;
    Some(match choice {
        ToolChoice::Required => ResponsesToolChoice::Mode("required"),
        ToolChoice::None => ResponsesToolChoice::Mode("none"),
        ToolChoice::Tool(name) => {
            ResponsesToolChoice::Function { r#type: "function", name: names.sent_name(name) }
        }
        _ => ResponsesToolChoice::Mode("auto"),
    })
}

/// Returns the value of `text.format`.
pub(super) fn text_format(request: &ModelRequest, deviations: &Deviations) -> Option<Value> {
    let format = OutputFormat::for_output(&request.output, deviations, !request.tools.is_empty())?;
    Some(match format {
        OutputFormat::JsonObject => json!({ "type": "json_object" }),
        OutputFormat::JsonSchema { name, schema, strict } => {
            json!({ "type": "json_schema", "name": name, "schema": schema, "strict": strict })
        }
    })
}
