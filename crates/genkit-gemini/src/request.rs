//! Encoding of requests as Gemini's JSON, borrowing from the request.

mod thinking;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

use self::thinking::ThinkingConfig;
use super::NAME;
use super::contents::{self, Content};
use super::error::Error as E;
use super::models;
use super::schema::{JsonSchemaDialect, OpenApiDialect};
use super::tools::{self, BUILT_IN, ToolConfig, ToolEntry};
use genkit_core::ModelRequest;
use genkit_core::internal::model::MessageList;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_core::{Error, Result};
use genkit_model::internal::wire::HttpCall;

/// Settings at the top level of the request.
const TOP: [&str; 4] = ["safetySettings", "cachedContent", "serviceTier", "labels"];

/// Settings that are sent elsewhere or in another form.
const ELSEWHERE: [&str; 9] = [
    "version",
    "apiVersion",
    "apiKey",
    "baseUrl",
    "tools",
    "toolConfig",
    "functionCallingConfig",
    "retrievalConfig",
    REASONING_EFFORT,
];

/// The name of the output schema in log messages.
const OUTPUT: &str = "the output";

/// The characters that are percent-encoded in a path, so that a name cannot change the path.
const NOT_IN_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b'@');

/// The name that identifies this client in Google's statistics.
const CLIENT: &str = concat!("genkit-rust/", env!("CARGO_PKG_VERSION"));

/// Added to the client name if a request has tools from MCP servers.
const MCP_USED: &str = " mcp_used/unknown";

/// Settings shared by all models of one [`Gemini`].
pub(super) struct GeminiSettings {
    pub(super) key: Option<String>,
    pub(super) version: String,
    /// Whether to send schemas in the older OpenAPI subset.
    pub(super) openapi: bool,
}

/// A method of the API.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Generate,
    Stream,
    Count,
    Embed,
}

impl Method {
    /// Returns the method as written in a path.
    fn spelled(self) -> &'static str {
        match self {
            Self::Generate => "generateContent",
            Self::Stream => "streamGenerateContent?alt=sse",
            Self::Count => "countTokens",
            Self::Embed => "batchEmbedContents",
        }
    }
}

/// A request without its `contents`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerateContentRequest<'a> {
    /// Set if the request is nested in another one, because the path does not name the model then.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_settings: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_content: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a Value>,
    #[serde(skip_serializing_if = "GenerationConfig::is_empty")]
    generation_config: GenerationConfig<'a>,
}

/// The settings without another destination, and the format of the output.
struct GenerationConfig<'a> {
    request: &'a ModelRequest,
    json: bool,
    schema: Option<(&'static str, &'a RawValue)>,
    thinking: Option<ThinkingConfig<'a>>,
}

impl<'a> GenerationConfig<'a> {
    fn new(
        request: &'a ModelRequest,
        settings: &GeminiSettings,
        model: &str,
        has_tools: bool,
    ) -> Self {
        let output = &request.output;
        let takes = output.is_json() || output.schema.is_some();
        let takes = takes && models::takes_json(model);
        let bound = output.schema.as_ref().filter(|_| takes && output.constrained == Some(true));
        // Older models respond with status 400 to JSON output with tools, so JSON is requested
        // there only if a schema requires it.
        let beside_tools = || !has_tools || models::takes_json_with_tools(model);
        let hint = output.is_json() && takes && beside_tools();
        let schema = bound.and_then(|schema| match settings.openapi {
            true => Some(("responseSchema", schema.dialect_text::<OpenApiDialect>(OUTPUT)?)),
            false => {
                Some(("responseJsonSchema", schema.dialect_text::<JsonSchemaDialect>(OUTPUT)?))
            }
        });
        let thinking = ThinkingConfig::of(model, &request.config);
        Self { request, json: hint || bound.is_some(), schema, thinking }
    }

    fn given(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.request.config.iter().filter(|(key, value)| {
            let key = key.as_str();
            let elsewhere =
                TOP.contains(&key) || ELSEWHERE.contains(&key) || BUILT_IN.contains(&key);
            let is_merged = self.thinking.is_some() && key == "thinkingConfig";
            !elsewhere && !is_merged && !value.is_null()
        })
    }

    fn is_empty(&self) -> bool {
        let is_free = !self.json && self.schema.is_none() && self.thinking.is_none();
        is_free && self.given().next().is_none()
    }
}

impl Serialize for GenerationConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let config = &self.request.config;
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.given() {
            map.serialize_entry(key, value)?;
        }
        if let Some(thinking) = &self.thinking {
            map.serialize_entry("thinkingConfig", thinking)?;
        }
        // Settings of the caller take precedence.
        if self.json && !config.contains_key("responseMimeType") {
            map.serialize_entry("responseMimeType", "application/json")?;
        }
        let own_schema = ["responseSchema", "responseJsonSchema"];
        if let Some((key, schema)) = self.schema
            && !own_schema.iter().any(|own| config.contains_key(*own))
        {
            map.serialize_entry(key, schema)?;
        }
        map.end()
    }
}

/// Encodes the HTTP request for `request`.
pub(super) fn encode(
    settings: &GeminiSettings,
    model: &str,
    request: &ModelRequest,
    method: Method,
) -> Result<HttpCall> {
    let config = |key| request.config.get(key).filter(|value: &&Value| !value.is_null());
    let text = |key| config(key).and_then(Value::as_str);
    let model = text("version").map_or(model, models::bare);
    let names = request.names();
    let list = MessageList::of(request, (NAME, model));
    let (system_instruction, contents) = contents::contents(request, &names, model, list.from)?;
    let rest = || {
        let tools = tools::entries(request, &names, settings.openapi);
        Ok::<_, Error>(GenerateContentRequest {
            model: (method == Method::Count).then(|| format!("{}{model}", folder(model))),
            system_instruction,
            generation_config: GenerationConfig::new(request, settings, model, !tools.is_empty()),
            tools,
            tool_config: ToolConfig::of(request, &names),
            safety_settings: config("safetySettings"),
            cached_content: config("cachedContent"),
            service_tier: config("serviceTier"),
            labels: config("labels"),
        })
    };
    let shape = (settings.openapi, method == Method::Count);
    let mut body = list.into_body_with(request, "contents", &contents, shape, rest)?;
    if method == Method::Count {
        body = [b"{\"generateContentRequest\":", body.as_slice(), b"}"].concat();
    }
    let version = text("apiVersion").unwrap_or(&settings.version);
    let is_mcp = request.tools.iter().any(|tool| tool.metadata.contains_key("mcp"));
    Ok(HttpCall {
        path: path(version, model, method)?,
        headers: headers(settings, text("apiKey"), is_mcp),
        body,
    })
}

/// Returns the headers of a call; the key in the request's settings, `own`, takes precedence.
pub(super) fn headers(
    settings: &GeminiSettings,
    own: Option<&str>,
    is_mcp: bool,
) -> Vec<(&'static str, Cow<'static, str>)> {
    let client = if is_mcp { format!("{CLIENT}{MCP_USED}").into() } else { CLIENT.into() };
    let mut headers = Vec::with_capacity(3);
    headers.extend([("content-type", "application/json".into()), ("x-goog-api-client", client)]);
    if let Some(key) = own.or(settings.key.as_deref()) {
        headers.push(("x-goog-api-key", key.to_owned().into()));
    }
    headers
}

/// Returns the path prefix of a model with this name.
pub(super) fn folder(model: &str) -> &'static str {
    if model.contains('/') { "" } else { "models/" }
}

pub(super) fn path(version: &str, model: &str, method: Method) -> Result<String> {
    if model.is_empty() {
        return Err(E::NoModelName.into());
    }
    let mut path = String::with_capacity(2 * model.len() + 64);
    path.push('/');
    path.extend(utf8_percent_encode(version.trim_matches('/'), NOT_IN_PATH));
    path.push('/');
    path.push_str(folder(model));
    path.extend(utf8_percent_encode(model, NOT_IN_PATH));
    path.push(':');
    path.push_str(method.spelled());
    Ok(path)
}

#[cfg(test)]
mod tests;
