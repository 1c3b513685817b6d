//! Conversion of settings to `generationConfig` and other fields of the request.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::thinking::ThinkingConfig;
use super::tools::BUILT_IN;
use crate::models;
use crate::schema::{JsonSchemaDialect, OpenApiDialect};
use genkit_core::ModelRequest;
use genkit_core::internal::run_options::REASONING_EFFORT;

/// Settings shared by all models of one [`Gemini`].
pub(crate) struct GeminiSettings {
    pub(crate) key: Option<String>,
    pub(crate) version: String,
    /// Whether to send schemas in the older OpenAPI subset.
    pub(crate) openapi: bool,
}

/// Settings at the top level of the request.
const TOP: [&str; 4] = ["safetySettings", "cachedContent", "serviceTier", "labels"];

/// Settings that are sent in other fields or in another form.
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

/// The settings without another destination, and the format of the output.
pub(super) struct GenerationConfig<'a> {
    request: &'a ModelRequest,
    json: bool,
    schema: Option<(&'static str, &'a RawValue)>,
    thinking: Option<ThinkingConfig<'a>>,
}

impl<'a> GenerationConfig<'a> {
    pub(super) fn new(
        request: &'a ModelRequest,
        settings: &GeminiSettings,
        model: &str,
        has_tools: bool,
    ) -> Self {
        let output = &request.output;
        let takes = output.is_json() || output.schema.is_some();
        let takes = takes && models::supports_json(model);
        let bound = output.schema.as_ref().filter(|_| takes && output.constrained == Some(true));
        // Older models respond with status 400 to JSON output with tools, so they are asked for JSON
        // only if a schema requires it.
        let beside_tools = || !has_tools || models::supports_json_with_tools(model);
        let hint = output.is_json() && takes && beside_tools();
        let schema = bound.and_then(|schema| match settings.openapi {
            true => Some(("responseSchema", schema.dialect_text::<OpenApiDialect>(OUTPUT)?)),
            false => {
                Some(("responseJsonSchema", schema.dialect_text::<JsonSchemaDialect>(OUTPUT)?))
            }
        });
        let thinking = ThinkingConfig::for_model(model, &request.config);
        Self { request, json: hint || bound.is_some(), schema, thinking }
    }

    fn sent_settings(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.request.config.iter().filter(|(key, value)| {
            let key = key.as_str();
            let elsewhere =
                TOP.contains(&key) || ELSEWHERE.contains(&key) || BUILT_IN.contains(&key);
            let is_merged = self.thinking.is_some() && key == "thinkingConfig";
            !elsewhere && !is_merged && !value.is_null()
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        let is_free = !self.json && self.schema.is_none() && self.thinking.is_none();
        is_free && self.sent_settings().next().is_none()
    }
}

impl Serialize for GenerationConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let config = &self.request.config;
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.sent_settings() {
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
