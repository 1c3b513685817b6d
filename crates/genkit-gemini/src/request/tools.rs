//! Tools and tool configuration for Gemini.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::schema::{JsonSchemaDialect, OpenApiDialect, is_empty_object};
use genkit_core::internal::names::Names;
use genkit_core::{ModelRequest, ToolChoice, ToolDefinition};
use genkit_schema::internal::ToolInput;

/// Tools that Google runs, set to `true` or an object in the settings.
pub(super) const BUILT_IN: [&str; 8] = [
    "googleSearch",
    "googleSearchRetrieval",
    "codeExecution",
    "urlContext",
    "fileSearch",
    "googleMaps",
    "enterpriseWebSearch",
    "computerUse",
];

/// One entry of `tools`.
pub(super) enum ToolEntry<'a> {
    Functions(Vec<FunctionDeclaration<'a>>),
    BuiltIn(&'static str, Option<&'a Value>),
    /// An entry of the settings, sent unchanged.
    Given(&'a Value),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionDeclaration<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a RawValue>,
}

impl Serialize for ToolEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::Functions(all) => map.serialize_entry("functionDeclarations", all)?,
            Self::BuiltIn(name, Some(settings)) => map.serialize_entry(name, settings)?,
            Self::BuiltIn(name, None) => map.serialize_entry(name, &Map::new())?,
            Self::Given(Value::Object(fields)) => {
                for (key, value) in fields {
                    map.serialize_entry(key, value)?;
                }
            }
            Self::Given(_) => {}
        }
        map.end()
    }
}

/// Returns the entries of `tools`: one for the functions of the request, and one for each of Google's tools.
pub(super) fn tool_entries<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    openapi: bool,
) -> Vec<ToolEntry<'a>> {
    let mut entries = Vec::new();
    if !request.tools.is_empty() {
        let declarations = request.tools.iter().map(|tool| declare_function(tool, names, openapi));
        entries.push(ToolEntry::Functions(declarations.collect()));
    }
    for name in BUILT_IN {
        match request.config.get(name) {
            None | Some(Value::Null | Value::Bool(false)) => {}
            Some(Value::Bool(true)) => entries.push(ToolEntry::BuiltIn(name, None)),
            settings => entries.push(ToolEntry::BuiltIn(name, settings)),
        }
    }
    let given = request.config.get("tools").and_then(Value::as_array).into_iter().flatten();
    entries.extend(given.filter(|tool| tool.is_object()).map(ToolEntry::Given));
    entries
}

fn declare_function<'a>(
    tool: &'a ToolDefinition,
    names: &'a Names<'a>,
    openapi: bool,
) -> FunctionDeclaration<'a> {
    let schema = tool.shared_input();
    let (json_schema, open_api) = (schema.filter(|_| !openapi), schema.filter(|_| openapi));
    FunctionDeclaration {
        name: names.sent_name(&tool.name),
        description: &tool.description,
        parameters_json_schema: json_schema
            .and_then(|schema| schema.dialect_text::<ToolInput<JsonSchemaDialect>>(&tool.name)),
        // Old models reject an object without properties; omitting the schema means the same.
        parameters: open_api
            .filter(|it| {
                !it.dialect::<ToolInput<OpenApiDialect>>(&tool.name).is_some_and(is_empty_object)
            })
            .and_then(|schema| schema.dialect_text::<ToolInput<OpenApiDialect>>(&tool.name)),
    }
}

/// `toolConfig`: whether the model may, must or must not call functions.
pub(super) struct ToolConfig<'a> {
    request: &'a ModelRequest,
    names: &'a Names<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCallingConfig<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_function_names: Option<[Cow<'a, str>; 1]>,
}

impl<'a> ToolConfig<'a> {
    pub(super) fn for_request(request: &'a ModelRequest, names: &'a Names<'a>) -> Option<Self> {
        let given = |key| request.config.get(key).is_some_and(|value: &Value| !value.is_null());
        let chosen = request.tool_choice.is_some() && !request.tools.is_empty();
        let any = chosen
            || given("functionCallingConfig")
            || given("retrievalConfig")
            || given("toolConfig");
        any.then_some(Self { request, names })
    }

    fn calling_mode(&self) -> Option<FunctionCallingConfig<'_>> {
        let choice =
            self.request.tool_choice.as_ref().filter(|_| !self.request.tools.is_empty())?;
        let (mode, only) = match choice {
            ToolChoice::Required => ("ANY", None),
            ToolChoice::None => ("NONE", None),
            ToolChoice::Tool(name) => ("ANY", Some([self.names.sent_name(name)])),
            _ => ("AUTO", None),
        };
        Some(FunctionCallingConfig { mode, allowed_function_names: only })
    }

    /// Replaces the tool names in the caller's own setting with the names that were sent.
    fn replace_names(&self, given: &Value) -> Value {
        let mut given = given.clone();
        let allowed = given.get_mut("allowedFunctionNames").and_then(Value::as_array_mut);
        for name in allowed.into_iter().flatten() {
            if let Some(sent) = name.as_str().map(|name| self.names.sent_name(name).into_owned()) {
                *name = sent.into();
            }
        }
        given
    }
}

impl Serialize for ToolConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let config = |key| self.request.config.get(key).filter(|value: &&Value| !value.is_null());
        let given = config("toolConfig").and_then(Value::as_object);
        let has = |key| given.is_some_and(|given| given.contains_key(key));
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in given.into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        if !has("functionCallingConfig") {
            match (config("functionCallingConfig"), self.calling_mode()) {
                (Some(own), _) => {
                    map.serialize_entry("functionCallingConfig", &self.replace_names(own))?
                }
                (None, Some(mode)) => map.serialize_entry("functionCallingConfig", &mode)?,
                (None, None) => {}
            }
        }
        if let Some(retrieval) = config("retrievalConfig").filter(|_| !has("retrievalConfig")) {
            map.serialize_entry("retrievalConfig", retrieval)?;
        }
        map.end()
    }
}
