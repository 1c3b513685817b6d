//! Encoding of tools.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use crate::schema::ToolDialect;
use genkit_core::ToolDefinition;
use genkit_core::internal::names::Names;
use genkit_schema::internal::ToolInput;

/// An encoded tool.
#[derive(Serialize)]
pub(super) struct OllamaTool<'a> {
    r#type: &'static str,
    function: OllamaFunction<'a>,
}

#[derive(Serialize)]
struct OllamaFunction<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Cow<'a, Value>,
}

impl<'a> OllamaTool<'a> {
    pub(super) fn from_definition(tool: &'a ToolDefinition, names: &'a Names<'a>) -> Self {
        let schema =
            tool.shared_input().and_then(|it| it.dialect::<ToolInput<ToolDialect>>(&tool.name));
        let nothing = || Cow::Owned(json!({ "type": "object", "properties": {} }));
        let function = OllamaFunction {
            name: names.sent_name(&tool.name),
            description: &tool.description,
            parameters: schema.map_or_else(nothing, Cow::Borrowed),
        };
        Self { r#type: "function", function }
    }
}
