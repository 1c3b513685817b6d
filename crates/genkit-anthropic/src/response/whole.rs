//! Complete responses, and the fields of a response other than its blocks.

use serde_json::{Map, Value};

use super::error;
use super::parts::block_part;
use crate::NAME;
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::{FinishReason, ModelRequest, ModelResponse, Usage};
use genkit_core::{Message, Part, Role};
use genkit_model::internal::http::Error as HttpError;
use genkit_schema::internal::bounded_json::parse_response;

/// The key in `custom` of the API's own stop reason.
const STOP_REASON: &str = "stopReason";

/// The stop reason of a response that is paused for a slow server tool. The model continues the response when the
/// client sends the response back.
const PAUSE: &str = "pause_turn";

/// The fields that are stored in `custom`, and their keys there.
const CUSTOM_FIELDS: [(&str, &str); 6] = [
    ("id", "id"),
    ("model", "model"),
    ("container", "container"),
    ("stop_details", "stopDetails"),
    ("stop_sequence", "stopSequence"),
    ("context_management", "contextManagement"),
];

/// Decodes a complete response.
pub(crate) fn decode_response(request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
    // Some programs send a byte order mark before UTF-8.
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let mut message: Map<String, Value> =
        parse_response(body).map_err(|error| HttpError::from_json(NAME, &error))?;
    if let Some(error) = message.get("error").filter(|error| error.is_object()) {
        return Err(error::error_in_response(error));
    }
    let Some(Value::Array(blocks)) = message.remove("content") else {
        return Err(E::MissingMessage.into());
    };
    let names = request.tool_names();
    let blocks = blocks.into_iter().filter_map(|block| match block {
        Value::Object(block) => block_part(block, &names),
        _ => None,
    });
    let parts = blocks.collect();
    let mut ending = ResponseEnd::default();
    ending.read_fields(&mut message);
    Ok(ending.build_response(parts))
}

/// Decodes the token count of a request.
pub(crate) fn decode_count(body: &[u8]) -> Result<u64> {
    let body: Value = parse_response(body).map_err(|error| HttpError::from_json(NAME, &error))?;
    Ok(body.get("input_tokens").and_then(Value::as_u64).ok_or(E::MissingTokenCount)?)
}

/// Returns whether the model paused a response and continues it when the client sends it back.
pub(crate) fn is_paused(response: &ModelResponse) -> bool {
    response.custom.get(STOP_REASON).is_some_and(|reason| reason == PAUSE)
}

/// The fields of a response other than its blocks: its stop reason, usage and custom data.
#[derive(Default)]
pub(super) struct ResponseEnd {
    stop_reason: Option<String>,
    usage: Map<String, Value>,
    custom: Map<String, Value>,
}

impl ResponseEnd {
    /// Reads the fields; a later value in a stream replaces an earlier one.
    pub(super) fn read_fields(&mut self, fields: &mut Map<String, Value>) {
        if let Some(Value::String(reason)) = fields.remove("stop_reason") {
            self.stop_reason = Some(reason);
        }
        if let Some(Value::Object(counts)) = fields.remove("usage") {
            self.merge_counts(counts);
        }
        for (key, ours) in CUSTOM_FIELDS {
            if let Some(value) = fields.remove(key).filter(|value| !value.is_null()) {
                self.custom.insert(ours.to_owned(), value);
            }
        }
    }

    /// Updates the counts. A stream repeats them with growing values, and some gateways send zeros for
    /// unknown counts.
    pub(super) fn merge_counts(&mut self, counts: Map<String, Value>) {
        for (key, value) in counts {
            let is_unknown = || !self.usage.contains_key(&key);
            if !value.is_null() && (value.as_u64() != Some(0) || is_unknown()) {
                self.usage.insert(key, value);
            }
        }
    }

    /// Returns whether the response reached the token limit.
    fn is_cut(&self) -> bool {
        finish_reason(self.stop_reason.as_deref()) == FinishReason::Length
    }

    pub(super) fn build_response(mut self, mut parts: Vec<Part>) -> ModelResponse {
        // An incomplete call is shown but not run.
        if let Some(Part::ToolRequest { tool_request, .. }) =
            parts.last_mut().filter(|_| self.is_cut())
        {
            tool_request.partial = true;
        }
        let mut response = ModelResponse::new(Message::new(Role::Model, parts));
        let reason = finish_reason(self.stop_reason.as_deref());
        response.finish_reason = Some(reason);
        response.finish_message = match reason {
            FinishReason::Blocked => {
                let details = self.custom.get("stopDetails");
                let text = |key: &str| Some(details?.get(key)?.as_str()?.to_owned());
                text("explanation").or_else(|| text("category")).or(self.stop_reason.clone())
            }
            FinishReason::Other | FinishReason::Unknown => self.stop_reason.clone(),
            _ => None,
        };
        response.usage = read_usage(&self.usage);
        if let Some(reason) = self.stop_reason {
            self.custom.insert(STOP_REASON.to_owned(), reason.into());
        }
        response.custom = self.custom;
        response
    }
}

fn finish_reason(reason: Option<&str>) -> FinishReason {
    match reason {
        Some("end_turn" | "stop_sequence" | "tool_use") => FinishReason::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::Blocked,
        Some(PAUSE | "compaction") => FinishReason::Other,
        _ => FinishReason::Unknown,
    }
}

/// Converts the usage. The API counts tokens read from and written to the cache separately from
/// other input tokens.
fn read_usage(counts: &Map<String, Value>) -> Usage {
    let count = |key: &str| counts.get(key).and_then(Value::as_u64);
    let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    let input = count("input_tokens");
    let cached = read.unwrap_or(0).saturating_add(written.unwrap_or(0));
    let input_tokens = match input {
        None if cached == 0 => None,
        input => Some(input.unwrap_or(0).saturating_add(cached)),
    };
    let output_tokens = count("output_tokens");
    let thoughts = counts.get("output_tokens_details").and_then(|it| it.get("thinking_tokens"));
    let mut usage = Usage::default();
    usage.input_tokens = input_tokens;
    usage.output_tokens = output_tokens;
    usage.total_tokens = input_tokens.map(|it| it.saturating_add(output_tokens.unwrap_or(0)));
    usage.thoughts_tokens = thoughts.and_then(Value::as_u64);
    usage.cached_content_tokens = read;
    if let Some(written) = written.filter(|written| *written > 0) {
        usage.custom.insert("cacheCreationInputTokens".to_owned(), written.into());
    }
    let asked = counts.get("server_tool_use").and_then(Value::as_object);
    for (key, ours) in
        [("web_search_requests", "webSearchRequests"), ("web_fetch_requests", "webFetchRequests")]
    {
        let asked = asked.and_then(|asked| asked.get(key)?.as_u64());
        if let Some(asked) = asked.filter(|asked| *asked > 0) {
            usage.custom.insert(ours.to_owned(), asked.into());
        }
    }
    usage
}
