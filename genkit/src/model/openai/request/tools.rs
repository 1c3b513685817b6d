//! Tools and output schemas, strict where the schema allows it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::model::openai::error::Error as E;
use crate::model::openai::schema::StrictDialect;
use crate::model::openai::servers::Deviations;
use crate::model::openai::target::Target;
use crate::model::{ModelRequest, Names, OutputConfig, ToolChoice, ToolDefinition};
use crate::schema::Schema;

/// A tool on the wire.
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

/// The tools of `request`.
pub(super) fn tools<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    deviations: &Deviations,
) -> Vec<ToolParam<'a>> {
    let tool = |tool: &'a ToolDefinition| {
        let name = names.sent(&tool.name);
        let mut function = FunctionDefinition {
            name,
            description: &tool.description,
            parameters: None,
            strict: None,
        };
        if let Some(schema) = tool.shared_input() {
            let strict = if deviations.strict_tools { strict(schema, &tool.name) } else { None };
            function.parameters = Some(strict.unwrap_or(schema));
            function.strict = strict.map(|_| true);
        }
        ToolParam { r#type: "function", function }
    };
    request.tools.iter().map(tool).collect()
}

/// A choice of tools on the wire.
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

/// The choice of tools, which only means something where there are some.
pub(super) fn tool_choice<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    target: &Target<'_>,
) -> Result<Option<ToolChoiceParam<'a>>, E> {
    let Some(choice) = request.tool_choice.as_ref().filter(|_| !request.tools.is_empty()) else {
        return Ok(None);
    };
    Ok(Some(match choice {
        ToolChoice::Auto => ToolChoiceParam::Mode("auto"),
        ToolChoice::Required => ToolChoiceParam::Mode("required"),
        ToolChoice::None => ToolChoiceParam::Mode("none"),
        // Where there is one tool it is the same.
        ToolChoice::Tool(name) if !target.deviations.named_tool_choice => {
            if request.tools.len() > 1 {
                let (provider, tool) = (target.provider.to_owned(), name.clone());
                return Err(E::NoNamedToolChoice { provider, tool });
            }
            ToolChoiceParam::Mode("required")
        }
        ToolChoice::Tool(name) => ToolChoiceParam::Function {
            r#type: "function",
            function: FunctionName { name: names.sent(name) },
        },
    }))
}

/// The schema in the dialect of strict mode, if that can express it.
fn strict<'a>(schema: &'a Schema, owner: &str) -> Option<&'a Value> {
    schema.dialect::<StrictDialect>(owner)
}

/// What an answer must look like, on the wire.
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

/// The format of `output`, as far as the server can be bound to it.
pub(super) fn response_format<'a>(
    output: &'a OutputConfig,
    deviations: &Deviations,
    has_tools: bool,
) -> Option<ResponseFormat<'a>> {
    let free = output.constrained == Some(false);
    let schema = output.schema.as_ref().filter(|_| !free && deviations.json_schema);
    if has_tools && !deviations.json_with_tools {
        return None;
    }
    if let Some(schema) = schema
        && (is_object(schema) || !deviations.object_root)
    {
        return Some(json_schema(schema, deviations));
    }
    // The mode without a schema knows objects alone.
    let lists = output.format.as_deref() == Some("array");
    if !output.is_json() || lists || output.schema.as_deref().is_some_and(|it| !is_object(it)) {
        return None;
    }
    if deviations.json_object {
        return Some(ResponseFormat::JsonObject);
    }
    let any = Cow::Owned(serde_json::json!({ "type": "object" }));
    let json_schema = ResponseSchema { name: Cow::Borrowed("output"), schema: any, strict: None };
    Some(ResponseFormat::JsonSchema { json_schema })
}

fn json_schema<'a>(schema: &'a Schema, deviations: &Deviations) -> ResponseFormat<'a> {
    let name = name(schema.get("title").and_then(Value::as_str).unwrap_or_default());
    let strict = if deviations.strict_output { strict(schema, &name) } else { None };
    let body = Cow::Borrowed(strict.unwrap_or(schema));
    ResponseFormat::JsonSchema {
        json_schema: ResponseSchema { name, schema: body, strict: strict.map(|_| true) },
    }
}

/// Whether a schema describes an object and nothing else.
fn is_object(schema: &Value) -> bool {
    let mut schema_at = schema;
    for _ in 0..8 {
        if schema_at.get("type").and_then(Value::as_str) == Some("object") {
            return true;
        }
        let reference = schema_at.get("$ref").and_then(Value::as_str);
        match reference.and_then(|it| schema.pointer(it.strip_prefix('#')?)) {
            Some(target) => schema_at = target,
            None => return false,
        }
    }
    false
}

/// `[A-Za-z0-9_-]{1,64}`, which is what a schema may be called.
fn name(title: &str) -> Cow<'_, str> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if title.is_empty() {
        Cow::Borrowed("output")
    } else if title.len() <= 64 && title.chars().all(is_fine) {
        Cow::Borrowed(title)
    } else {
        Cow::Owned(title.chars().take(64).map(|c| if is_fine(c) { c } else { '_' }).collect())
    }
}
