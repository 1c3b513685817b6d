//! The wire format of one model.

use std::sync::Arc;

use serde_json::{Value, json};

use super::NAME;
use crate::error::{Error, Result};
use crate::message::Role;
use crate::model::http::{Error as HttpError, error_text, kind_of_status};
use crate::model::wire::{HttpCall, Next, WireFormat, WireStream};
use crate::model::{GenerateChunk, ModelRequest, ModelResponse};
use crate::sse::SseEvent;

/// What all models of one [`Anthropic`](super::Anthropic) share.
pub(super) struct AnthropicSettings {
    pub(super) key: Option<String>,
    pub(super) version: String,
}

pub(super) struct MessagesWire {
    pub(super) settings: Arc<AnthropicSettings>,
    pub(super) model: String,
}

impl WireFormat for MessagesWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let messages = request.messages.iter().filter(|message| message.role != Role::System);
        let messages: Vec<Value> = messages
            .map(|message| {
                let role = if message.role == Role::Model { "assistant" } else { "user" };
                json!({ "role": role, "content": message.text() })
            })
            .collect();
        let body = json!({
            "model": self.model, "max_tokens": 4096, "messages": messages, "stream": stream,
        });
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("anthropic-version", self.settings.version.clone()),
        ];
        headers.extend(self.settings.key.clone().map(|key| ("x-api-key", key)));
        Ok(HttpCall { path: "/v1/messages".to_owned(), headers, body: serde_json::to_vec(&body)? })
    }

    fn decode(&self, _: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        let body: Value =
            serde_json::from_slice(body).map_err(|error| HttpError::json(NAME, &error))?;
        let blocks = body["content"].as_array().into_iter().flatten();
        Ok(ModelResponse::from_text(
            blocks.filter_map(|block| block["text"].as_str()).collect::<String>(),
        ))
    }

    fn stream<'a>(&'a self, _: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(TextStream(String::new()))
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        let text = error_text(NAME, status, &String::from_utf8_lossy(body), headers);
        Error::new(kind_of_status(status), text)
    }
}

struct TextStream(String);

impl WireStream for TextStream {
    fn event(&mut self, event: &SseEvent<'_>, chunks: &mut Vec<GenerateChunk>) -> Result<Next> {
        let SseEvent::Message { data, .. } = event else { return Ok(Next::More) };
        let data: Value =
            serde_json::from_str(data).map_err(|error| HttpError::json(NAME, &error))?;
        if let Some(text) = data["delta"]["text"].as_str() {
            self.0.push_str(text);
            chunks.push(GenerateChunk::from_text(text));
        }
        Ok(Next::More)
    }

    fn end(self: Box<Self>) -> Result<ModelResponse> {
        Ok(ModelResponse::from_text(self.0))
    }
}
