//! Tools and output schemas, in strict mode if the schema allows it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::chat::error::Error as E;
use crate::wire::models::Target;
use crate::wire::request::output_format::OutputFormat;
use crate::wire::schema::tool_schema;
use crate::wire::servers::Deviations;
use genkit_core::internal::names::Names;
use genkit_core::{ModelRequest, ToolChoice, ToolDefinition};

/// An encoded tool.
#[derive(Serialize)]
pub(super) struct ToolParam<'a> {
    r#type: &'static str,
    function: FunctionDefinition<'a>,
}

#[derive(Serialize)]
struct FunctionDefinition<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// Encodes the tools of `request`.
pub(super) fn encode_tools<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    deviations: &Deviations,
) -> Vec<ToolParam<'a>> {
    let tool = |tool: &'a ToolDefinition| {
        let name = names.sent_name(&tool.name);
        let mut function = FunctionDefinition {
            name,
            description: &tool.description,
            parameters: None,
            strict: None,
        };
        if let Some(schema) = tool.shared_input() {
            let (parameters, is_strict) = tool_schema(schema, &tool.name, deviations.strict_tools);
            function.parameters = Some(parameters);
            function.strict = is_strict.then_some(true);
        }
        ToolParam { r#type: "function", function }
    };
    request.tools.iter().map(tool).collect()
}

/// An encoded tool choice.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ToolChoiceParam<'a> {
    Mode(&'static str),
    Function { r#type: &'static str, function: FunctionName<'a> },
}

#[derive(Serialize)]
pub(super) struct FunctionName<'a> {
    name: Cow<'a, str>,
}

/// Encodes the tool choice, unless the request has no tools.
pub(super) fn tool_choice<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    target: &Target<'_>,
) -> Result<Option<ToolChoiceParam<'a>>, E> {
    let Some(choice) = request.tool_choice.as_ref().filter(|_| !request.tools.is_empty()) else {
        return Ok(None);
    };
    Ok(Some(match choice {
        ToolChoice::Required => ToolChoiceParam::Mode("required"),
        ToolChoice::None => ToolChoiceParam::Mode("none"),
        // With a single tool, `required` has the same effect.
        ToolChoice::Tool(name) if !target.deviations.named_tool_choice => {
            if request.tools.len() > 1 {
                let (provider, tool) = (target.provider.to_owned(), name.clone());
                return Err(E::NamedToolChoiceUnsupported { provider, tool });
            }
            ToolChoiceParam::Mode("required")
        }
        ToolChoice::Tool(name) => ToolChoiceParam::Function {
            r#type: "function",
            function: FunctionName { name: names.sent_name(name) },
        },
        _ => ToolChoiceParam::Mode("auto"),
    }))
}

/// The encoded format of a response.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ResponseFormat<'a> {
    JsonObject,
    JsonSchema { json_schema: ResponseSchema<'a> },
}

#[derive(Serialize)]
pub(super) struct ResponseSchema<'a> {
    name: Cow<'a, str>,
    schema: Cow<'a, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

impl<'a> From<OutputFormat<'a>> for ResponseFormat<'a> {
    fn from(format: OutputFormat<'a>) -> Self {
        match format {
            OutputFormat::JsonObject => Self::JsonObject,
            OutputFormat::JsonSchema { name, schema, strict } => Self::JsonSchema {
                json_schema: ResponseSchema { name, schema, strict: strict.then_some(true) },
            },
        }
    }
}
