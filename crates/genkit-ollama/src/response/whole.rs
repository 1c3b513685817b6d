//! Complete responses, and the lines of a stream.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error;
use crate::NAME;
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::internal::names::Names;
use genkit_core::{FinishReason, ModelRequest, ModelResponse};
use genkit_core::{Message, Part, Role, ToolRequest};
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::lenient::{deserialize_count, deserialize_text};
use genkit_schema::internal::bounded_json::{parse_bounded, parse_response};

/// A complete response, or one line of a stream.
#[derive(Deserialize)]
pub(super) struct ChatReply {
    #[serde(default)]
    message: Option<ReplyMessage>,
    #[serde(default)]
    pub(super) done: bool,
    #[serde(default, deserialize_with = "deserialize_text")]
    done_reason: Option<String>,
    #[serde(default, deserialize_with = "deserialize_count")]
    prompt_eval_count: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    eval_count: Option<u64>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_count")]
    status: Option<u64>,
    #[serde(default)]
    logprobs: Option<Vec<Value>>,
    /// `model`, and durations in nanoseconds.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Default, Deserialize)]
struct ReplyMessage {
    #[serde(default, deserialize_with = "deserialize_text")]
    content: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    thinking: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ReplyCall>>,
}

#[derive(Deserialize)]
struct ReplyCall {
    #[serde(default, deserialize_with = "deserialize_text")]
    id: Option<String>,
    function: ReplyFunction,
}

#[derive(Deserialize)]
struct ReplyFunction {
    #[serde(default, deserialize_with = "deserialize_text")]
    name: Option<String>,
    #[serde(default)]
    arguments: Value,
}

/// The fields that are stored in `custom`, and their keys there.
const CUSTOM: [(&str, &str); 6] = [
    ("model", "model"),
    ("remote_model", "remoteModel"),
    ("total_duration", "totalDuration"),
    ("load_duration", "loadDuration"),
    ("prompt_eval_duration", "promptEvalDuration"),
    ("eval_duration", "evalDuration"),
];

/// Decodes a complete response.
pub(crate) fn decode_response(
    model: &str,
    request: &ModelRequest,
    body: &[u8],
) -> Result<ModelResponse> {
    let mut answer = OllamaResponse::new(model, request);
    answer.add_reply(parse_reply(body)?)?;
    answer.build()
}

pub(super) fn parse_reply(json: &[u8]) -> Result<ChatReply> {
    Ok(parse_response(json).map_err(|error| HttpError::from_json(NAME, &error))?)
}

/// A response that is being assembled.
pub(super) struct OllamaResponse<'a> {
    model: &'a str,
    names: Names<'a>,
    text: String,
    thinking: String,
    calls: Vec<Part>,
    logprobs: Vec<Value>,
    response: ModelResponse,
    /// Whether a message has been received.
    begun: bool,
}

impl<'a> OllamaResponse<'a> {
    pub(super) fn new(model: &'a str, request: &'a ModelRequest) -> Self {
        let mut response = ModelResponse::default();
        response.finish_reason = Some(FinishReason::Unknown);
        let names = request.tool_names();
        Self {
            model,
            names,
            text: String::new(),
            thinking: String::new(),
            calls: Vec::new(),
            logprobs: Vec::new(),
            response,
            begun: false,
        }
    }

    /// Adds a line or a complete response. Returns the new content.
    pub(super) fn add_reply(&mut self, mut reply: ChatReply) -> Result<Vec<Part>> {
        if let Some(error) = &reply.error {
            let error = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            return Err(error::error_in_response(self.model, &error, reply.status));
        }
        let mut parts = Vec::new();
        if let Some(message) = reply.message.take() {
            self.begun = true;
            self.add_message(message, &mut parts);
        }
        self.logprobs.extend(reply.logprobs.take().into_iter().flatten());
        if reply.done {
            self.read_ending(reply);
        }
        Ok(parts)
    }

    fn add_message(&mut self, message: ReplyMessage, parts: &mut Vec<Part>) {
        if let Some(thinking) = message.thinking.filter(|text| !text.is_empty()) {
            self.thinking.push_str(&thinking);
            parts.push(Part::reasoning(thinking));
        }
        if let Some(content) = message.content.filter(|text| !text.is_empty()) {
            self.text.push_str(&content);
            parts.push(Part::text(content));
        }
        for call in message.tool_calls.into_iter().flatten() {
            let name = call.function.name.unwrap_or_default();
            let mut request = ToolRequest::new(
                self.names.own_name(&name),
                read_arguments(call.function.arguments),
            );
            request.id = call.id.filter(|id| !id.is_empty());
            let part = Part::tool_request(request);
            self.calls.push(part.clone());
            parts.push(part);
        }
    }

    /// Reads the fields of the last line that describe the whole response.
    fn read_ending(&mut self, mut reply: ChatReply) {
        let response = &mut self.response;
        response.finish_reason = Some(match reply.done_reason.as_deref() {
            // Old servers send no reason.
            None | Some("" | "stop") => FinishReason::Stop,
            Some("length") => FinishReason::Length,
            Some(_) => FinishReason::Other,
        });
        if response.finish_reason == Some(FinishReason::Other) {
            response.finish_message = reply.done_reason;
        }
        let (input, output) = (reply.prompt_eval_count, reply.eval_count);
        response.usage.input_tokens = input;
        response.usage.output_tokens = output;
        // The prompt count may be missing because of a cache; the sum would then be wrong.
        response.usage.total_tokens = input.zip(output).map(|(a, b)| a.saturating_add(b));
        for (theirs, ours) in CUSTOM {
            if let Some(value) = reply.rest.shift_remove(theirs) {
                response.custom.insert(ours.to_owned(), value);
            }
        }
    }

    pub(super) fn build(mut self) -> Result<ModelResponse> {
        if !self.begun {
            return Err(E::MissingMessage.into());
        }
        let mut content = Vec::with_capacity(2 + self.calls.len());
        if !self.thinking.is_empty() {
            content.push(Part::reasoning(self.thinking));
        }
        if !self.text.is_empty() {
            content.push(Part::text(self.text));
        }
        content.extend(self.calls);
        self.response.message = Some(Message::new(Role::Model, content));
        if !self.logprobs.is_empty() {
            self.response.custom.insert("logprobs".to_owned(), Value::Array(self.logprobs));
        }
        Ok(self.response)
    }
}

/// Converts the arguments to a value. They should be a JSON object, but a proxy may send the object as a string.
fn read_arguments(arguments: Value) -> Value {
    match arguments {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) => match parse_bounded(text.as_bytes()) {
            Ok(object @ Value::Object(_)) => object,
            _ if text.trim().is_empty() => Value::Object(Map::new()),
            _ => Value::String(text),
        },
        other => other,
    }
}
