//! The body of a request.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::messages::encode_messages;
use super::settings::{OllamaSettings, WireSettings};
use super::tools::OllamaTool;
use crate::NAME;
use crate::schema::GrammarDialect;
use genkit_core::Result;
use genkit_core::internal::model::MessageList;
use genkit_core::{ModelRequest, OutputConfig};

/// Encodes the body of a call. Logs a warning if the body does not fit the context window of the model.
pub(crate) fn encode_body(
    defaults: &OllamaSettings,
    model: &str,
    request: &ModelRequest,
    stream: bool,
) -> Result<Vec<u8>> {
    let model = request.config.get("version").and_then(Value::as_str).unwrap_or(model);
    let names = request.tool_names();
    let settings = WireSettings::for_request(request, model, defaults);
    let list = MessageList::from_request(request, NAME);
    let messages = encode_messages(request, &names, list.from)?;
    let images: usize = messages.iter().flat_map(|it| &it.images).map(|it| it.len()).sum();
    // With tools, a grammar would prevent the model from calling them.
    let is_free = settings.has_format() || !request.tools.is_empty();
    let rest = ChatParams {
        model,
        tools: request.tools.iter().map(|tool| OllamaTool::from_definition(tool, &names)).collect(),
        format: if is_free { None } else { output_grammar(&request.output) },
        settings: &settings,
        stream,
    };
    // Image bytes do not count as text. With images, the size is computed from scratch for each request.
    let bytes = list.without_caching_if_open(images > 0).into_body("messages", &messages, &rest)?;
    let window = settings.num_ctx().map(Ok).or(defaults.default_window.map(Err));
    if let Some(window) = window {
        let text = bytes.len().saturating_sub(images);
        defaults.window.check_size(model, text, request.tools.len(), window);
    }
    Ok(bytes)
}

/// The body without its `messages`.
struct ChatParams<'a> {
    model: &'a str,
    tools: Vec<OllamaTool<'a>>,
    format: Option<Cow<'a, Value>>,
    settings: &'a WireSettings<'a>,
    stream: bool,
}

impl Serialize for ChatParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        // The server's own default is true.
        map.serialize_entry("stream", &self.stream)?;
        if !self.tools.is_empty() {
            map.serialize_entry("tools", &self.tools)?;
        }
        if let Some(format) = &self.format {
            map.serialize_entry("format", format)?;
        }
        for (name, value) in &self.settings.top {
            map.serialize_entry(name, value)?;
        }
        if !self.settings.options.is_empty() {
            map.serialize_entry("options", &OptionsParam(&self.settings.options))?;
        }
        map.end()
    }
}

struct OptionsParam<'a>(&'a [(&'a str, Cow<'a, Value>)]);

impl Serialize for OptionsParam<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Returns the grammar that constrains a response, if Ollama supports it.
fn output_grammar(output: &OutputConfig) -> Option<Cow<'_, Value>> {
    let schema = output.schema.as_ref();
    if let Some(schema) = schema.filter(|_| output.constrained != Some(false)) {
        return schema.dialect::<GrammarDialect>("output").map(Cow::Borrowed);
    }
    // Without a schema, Ollama supports only objects.
    let lists = output.format.as_deref() == Some("array");
    let is_object = schema.is_none_or(|schema| schema.get("type").is_some_and(|it| it == "object"));
    (output.is_json() && !lists && is_object).then(|| Cow::Owned("json".into()))
}
