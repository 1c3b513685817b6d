//! The wire format of one model.

use std::sync::Arc;

use super::request::AnthropicSettings;
use super::{error_reply, request, response};
use genkit_core::Message;
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::wire::{HttpCall, WireFormat, WireStream};

pub(super) struct MessagesWire {
    pub(super) settings: Arc<AnthropicSettings>,
    pub(super) model: String,
}

impl WireFormat for MessagesWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        request::encode(&self.settings, &self.model, request, stream)
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(request, body)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::MessageStream::new(request))
    }

    fn go_on(&self, request: &ModelRequest, paused: &ModelResponse) -> Option<ModelRequest> {
        let message = paused.message.as_ref().filter(|_| response::is_paused(paused))?;
        let mut request = request.clone();
        request.messages.push(Message::new(message.role, message.content.iter().cloned()));
        Some(request)
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        request::encode_count(&self.settings, &self.model, request).map(Some)
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        response::decode_count(body)
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error_reply::failure(status, headers, body)
    }
}
