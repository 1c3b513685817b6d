//! The body of a request.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::messages::{MessageContext, encode_messages, has_thoughts};
use super::settings::ChatSettings;
use super::tools::{ResponseFormat, ToolChoiceParam, ToolParam, encode_tools, tool_choice};
use crate::wire::models::{ModelTraits, Target};
use crate::wire::request::output_format::OutputFormat;
use genkit_core::ModelRequest;
use genkit_core::internal::model::MessageList;
use genkit_core::{Error, Result};

/// Encodes the body of a call.
pub(in crate::chat) fn encode_body(
    target: &Target<'_>,
    request: &ModelRequest,
    stream: bool,
) -> Result<Vec<u8>> {
    let config = &request.config;
    let model = config.get("version").and_then(Value::as_str).unwrap_or(target.model);
    let names = request.tool_names();
    let (traits, deviations) = (ModelTraits::for_model(model), target.deviations);
    let context = MessageContext {
        names: &names,
        deviations,
        traits,
        detail: config.get("visualDetailLevel").and_then(Value::as_str),
    };
    let list = MessageList::from_request(
        request,
        ("chat", model, context.cache_shape(), has_thoughts(request)),
    );
    let (messages, is_open) = encode_messages(request, &context, list.from)?;
    let rest = || {
        Ok::<_, Error>(ChatRequest {
            model,
            settings: ChatSettings { config, provider: target.provider, model, traits, deviations },
            tools: encode_tools(request, &names, deviations),
            choice: tool_choice(request, &names, target)?,
            format: OutputFormat::for_output(
                &request.output,
                deviations,
                !request.tools.is_empty(),
            )
            .map(Into::into),
            stream,
        })
    };
    let list = list.without_caching_if_open(is_open);
    list.into_body_with(request, "messages", &messages, (target.provider, stream), rest)
}

/// The body without its `messages`.
struct ChatRequest<'a> {
    model: &'a str,
    settings: ChatSettings<'a>,
    tools: Vec<ToolParam<'a>>,
    choice: Option<ToolChoiceParam<'a>>,
    format: Option<ResponseFormat<'a>>,
    stream: bool,
}

impl Serialize for ChatRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (key, value) in self.settings.sent_settings() {
            map.serialize_entry(key, &*value)?;
        }
        if !self.tools.is_empty() && !self.settings.is_set("tools") {
            map.serialize_entry("tools", &self.tools)?;
        }
        if let Some(choice) = &self.choice
            && !self.settings.is_set("tool_choice")
        {
            map.serialize_entry("tool_choice", choice)?;
        }
        if let Some(format) = &self.format
            && !self.settings.is_set("response_format")
        {
            map.serialize_entry("response_format", format)?;
        }
        if self.stream {
            map.serialize_entry("stream", &true)?;
            if self.settings.deviations.stream_options && !self.settings.is_set("stream_options") {
                map.serialize_entry("stream_options", &IncludeUsage { include_usage: true })?;
            }
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct IncludeUsage {
    include_usage: bool,
}
