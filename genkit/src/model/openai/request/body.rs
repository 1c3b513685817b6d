//! The body of a request.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::message_param::MessageParam;
use super::messages::{MessageContext, messages};
use super::tools::{ResponseFormat, ToolChoiceParam, ToolParam, tool_choice, tools};
use crate::error::Result;
use crate::model::openai_wire::output_format::OutputFormat;
use crate::model::openai_wire::servers::Deviations;
use crate::model::openai_wire::target::{ModelTraits, Target};
use crate::model::{ModelRequest, Names};

/// Settings that are for the client, not for the server.
const CLIENT: [&str; 4] = ["apiKey", "baseUrl", "apiVersion", "version"];

/// Written by this module from other places than the settings.
const OURS: [&str; 4] = ["model", "messages", "stream", "visualDetailLevel"];

/// The body of a call.
pub(in crate::model::openai) fn body(
    target: &Target<'_>,
    request: &ModelRequest,
    stream: bool,
) -> Result<Vec<u8>> {
    let config = &request.config;
    let model = config.get("version").and_then(Value::as_str).unwrap_or(target.model);
    let names = Names::of(request);
    let context = MessageContext {
        names: &names,
        deviations: target.deviations,
        traits: ModelTraits::of(model),
        detail: config.get("visualDetailLevel").and_then(Value::as_str),
    };
    let body = ChatRequest {
        model,
        messages: messages(request, &context)?,
        config,
        tools: tools(request, &names, target.deviations),
        choice: tool_choice(request, &names, target)?,
        format: OutputFormat::of(&request.output, target.deviations, !request.tools.is_empty())
            .map(Into::into),
        stream,
        deviations: target.deviations,
    };
    let mut bytes = Vec::with_capacity(1024);
    serde_json::to_writer(&mut bytes, &body)?;
    Ok(bytes)
}

struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<MessageParam<'a>>,
    config: &'a Map<String, Value>,
    tools: Vec<ToolParam<'a>>,
    choice: Option<ToolChoiceParam<'a>>,
    format: Option<ResponseFormat<'a>>,
    stream: bool,
    deviations: &'a Deviations,
}

impl Serialize for ChatRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("messages", &self.messages)?;
        for (key, value) in self.config {
            if let Some(key) = self.setting(key, value) {
                map.serialize_entry(key, value)?;
            }
        }
        if !self.tools.is_empty() && !self.config.contains_key("tools") {
            map.serialize_entry("tools", &self.tools)?;
        }
        if let Some(choice) = &self.choice
            && !self.config.contains_key("tool_choice")
        {
            map.serialize_entry("tool_choice", choice)?;
        }
        if let Some(format) = &self.format
            && !self.config.contains_key("response_format")
        {
            map.serialize_entry("response_format", format)?;
        }
        if self.stream {
            map.serialize_entry("stream", &true)?;
            if self.deviations.stream_options && !self.config.contains_key("stream_options") {
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

impl ChatRequest<'_> {
    /// What a setting is called on the wire; `None` if it is not sent.
    fn setting<'a>(&'a self, key: &'a str, value: &Value) -> Option<&'a str> {
        let wire = match key {
            "maxTokens" if self.config.contains_key("maxOutputTokens") => return None,
            "maxOutputTokens" | "maxTokens" => self.max_tokens(),
            "topP" => "top_p",
            "topK" if self.deviations.top_k => "top_k",
            "topK" => return None,
            "stopSequences" => "stop",
            "presencePenalty" => "presence_penalty",
            "frequencyPenalty" => "frequency_penalty",
            "logProbs" => "logprobs",
            "topLogProbs" => "top_logprobs",
            "logitBias" => "logit_bias",
            "reasoningEffort" => "reasoning_effort",
            "parallelToolCalls" => "parallel_tool_calls",
            "serviceTier" => "service_tier",
            "promptCacheKey" => "prompt_cache_key",
            "safetyIdentifier" => "safety_identifier",
            _ if CLIENT.contains(&key) || OURS.contains(&key) => return None,
            other => other,
        };
        let is_empty =
            value.is_null() || (wire == "stop" && value.as_array().is_some_and(Vec::is_empty));
        // The server's own spelling wins: a name must not stand there twice.
        let twice = wire != key && self.config.contains_key(wire);
        (!is_empty && !twice).then_some(wire)
    }

    fn max_tokens(&self) -> &str {
        // Reasoning models refuse the old name, wherever they are served.
        if self.deviations.developer && ModelTraits::of(self.model).reasons {
            "max_completion_tokens"
        } else {
            &self.deviations.max_tokens
        }
    }
}
