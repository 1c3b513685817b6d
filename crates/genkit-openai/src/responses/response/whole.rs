//! Conversion of the output to a response.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::body::ResponseObject;
use super::item::{ItemOutput, ItemReader, OutputMessage};
use crate::responses::error::Error as E;
use crate::responses::metadata::{ITEM_ID, PHASE};
use crate::wire::builder::OpenAiServer;
use crate::wire::response::error;
use genkit_core::{Error, Result};
use genkit_core::{FinishReason, ModelRequest, ModelResponse};
use genkit_core::{Message, Part, Role};
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::lenient::deserialize_count;
use genkit_schema::internal::bounded_json::parse_response;

/// Decodes a complete response.
pub(in crate::responses) fn decode_response(
    server: &OpenAiServer,
    request: &ModelRequest,
    body: &[u8],
) -> Result<ModelResponse> {
    let mut reply: ResponseObject =
        parse_response(body).map_err(|error| HttpError::from_json(&server.name, &error))?;
    check_error(server, &reply)?;
    let items = reply.output.take();
    if items.is_none() && reply.status.is_none() {
        return Err(E::MissingOutput { provider: server.name.clone() }.into());
    }
    let reader = ItemReader::new(request, server);
    Ok(build_response(&reader, items.unwrap_or_default(), reply))
}

/// Decodes the token count of a request.
pub(in crate::responses) fn decode_count(server: &OpenAiServer, body: &[u8]) -> Result<u64> {
    #[derive(Deserialize)]
    struct TokenCount {
        #[serde(default, deserialize_with = "deserialize_count")]
        input_tokens: Option<u64>,
    }
    let counted: TokenCount =
        parse_response(body).map_err(|error| HttpError::from_json(&server.name, &error))?;
    counted
        .input_tokens
        .ok_or_else(|| E::MissingTokenCount { provider: server.name.clone() }.into())
}

/// Returns the error of a failed response.
pub(super) fn check_error(server: &OpenAiServer, reply: &ResponseObject) -> Result<()> {
    match &reply.error {
        Some(error) => Err(failed_error(server, error)),
        None if reply.status.as_deref() == Some("failed") => {
            Err(E::Failed { provider: server.name.clone() }.into())
        }
        None => Ok(()),
    }
}

pub(super) fn failed_error(server: &OpenAiServer, error: &Value) -> Error {
    error::error_in_response(&server.name, error)
}

/// Converts a response, with these items as its output.
pub(super) fn build_response(
    reader: &ItemReader<'_>,
    items: Vec<Value>,
    reply: ResponseObject,
) -> ModelResponse {
    let mut answer = OutputResponse::default();
    for item in items {
        answer.add(reader.read_item(item));
    }
    answer.build(reply)
}

/// A response that is being assembled.
#[derive(Default)]
struct OutputResponse {
    parts: Vec<Part>,
    /// Whether the following items belong to a preceding reasoning item.
    reasons: bool,
    refusal: String,
    annotations: Vec<Value>,
    probabilities: Vec<Value>,
}

impl OutputResponse {
    fn add(&mut self, said: ItemOutput) {
        match said {
            ItemOutput::Nothing => {}
            ItemOutput::Part(part) => {
                self.reasons |= matches!(part, Part::Reasoning { .. } | Part::Custom { .. });
                self.parts.push(part);
            }
            ItemOutput::Message(said) => self.add_message(said),
        }
    }

    fn add_message(&mut self, said: OutputMessage) {
        self.refusal.push_str(&said.refusal);
        self.annotations.extend(said.annotations);
        self.probabilities.extend(said.probabilities);
        if said.text.is_empty() {
            return;
        }
        let mut part = Part::text(said.text);
        let id = said.id.filter(|_| self.reasons);
        for (key, value) in [(ITEM_ID, id), (PHASE, said.phase)] {
            part.metadata_mut().extend(value.map(|value| (key.to_owned(), value.into())));
        }
        self.parts.push(part);
    }

    fn build(self, reply: ResponseObject) -> ModelResponse {
        let (finish_reason, finish_message) = match self.refusal {
            refusal if !refusal.is_empty() => (FinishReason::Blocked, Some(refusal)),
            _ => finish_reason(&reply),
        };
        let mut custom = Map::new();
        for (key, text) in
            [("id", reply.id), ("model", reply.model), ("serviceTier", reply.service_tier)]
        {
            custom.extend(text.map(|text| (key.to_owned(), Value::String(text))));
        }
        for (key, list) in [("annotations", self.annotations), ("logprobs", self.probabilities)] {
            if !list.is_empty() {
                custom.insert(key.to_owned(), Value::Array(list));
            }
        }
        let mut response = ModelResponse::default();
        response.message = Some(Message::new(Role::Model, self.parts));
        response.finish_reason = Some(finish_reason);
        response.finish_message = finish_message;
        response.usage = reply.usage;
        response.custom = custom;
        response
    }
}

fn finish_reason(reply: &ResponseObject) -> (FinishReason, Option<String>) {
    let status = reply.status.as_deref();
    let reason = reply.incomplete_reason().map(str::to_owned);
    match (status, reason.as_deref()) {
        // Some servers send `complete`.
        (Some("completed" | "complete"), _) => (FinishReason::Stop, None),
        (Some("incomplete"), Some("max_output_tokens" | "max_tokens")) => {
            (FinishReason::Length, None)
        }
        (Some("incomplete"), Some("content_filter")) => (FinishReason::Blocked, reason),
        // A response that runs in the background must be retrieved later.
        (None | Some("queued" | "in_progress"), _) => (FinishReason::Unknown, None),
        (Some(status), _) => (FinishReason::Other, reason.or(Some(status.to_owned()))),
    }
}
