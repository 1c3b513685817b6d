//! The wire format of one model.

use std::sync::Arc;

use serde_json::{Value, json};

use super::error::Error as E;
use crate::error::{Error, Result};
use crate::message::Role;
use crate::model::http::Error as HttpError;
use crate::model::openai_wire::error_reply;
use crate::model::openai_wire::settings::ServerSettings;
use crate::model::wire::{HttpCall, Next, WireFormat, WireStream};
use crate::model::{GenerateChunk, ModelRequest, ModelResponse};
use crate::sse::SseEvent;

/// After the base URL.
const PATH: &str = "/responses";

pub(super) struct ResponsesWire {
    pub(super) settings: Arc<ServerSettings>,
    pub(super) model: String,
}

impl WireFormat for ResponsesWire {
    fn encode(&self, request: &ModelRequest, _: bool) -> Result<HttpCall> {
        let item = |message: &crate::message::Message| {
            let role = match message.role {
                Role::System => "developer",
                Role::Model => "assistant",
                _ => "user",
            };
            json!({ "role": role, "content": message.text() })
        };
        let input: Vec<Value> = request.messages.iter().map(item).collect();
        let body = json!({ "model": self.model, "input": input, "store": false });
        let headers = self.settings.headers(&request.config);
        Ok(HttpCall { path: PATH.to_owned(), headers, body: serde_json::to_vec(&body)? })
    }

    fn decode(&self, _: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        let answer: Value = serde_json::from_slice(body)
            .map_err(|error| HttpError::json(&self.settings.name, &error))?;
        let Some(items) = answer["output"].as_array() else {
            return Err(E::NoOutput { provider: self.settings.name.clone() }.into());
        };
        let parts = items.iter().filter_map(|item| item["content"].as_array()).flatten();
        let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
        Ok(ModelResponse::from_text(text))
    }

    fn stream<'a>(&'a self, _: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(NoStream { provider: &self.settings.name })
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error_reply::failure(&self.settings.name, status, headers, body)
    }
}

/// Answers come in one piece so far.
struct NoStream<'a> {
    provider: &'a str,
}

impl WireStream for NoStream<'_> {
    fn event(&mut self, _: &SseEvent<'_>, _: &mut Vec<GenerateChunk>) -> Result<Next> {
        Err(E::NoOutput { provider: self.provider.to_owned() }.into())
    }

    fn end(self: Box<Self>) -> Result<ModelResponse> {
        Err(E::NoOutput { provider: self.provider.to_owned() }.into())
    }
}
