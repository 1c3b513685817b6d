//! The wire format of one model.

use std::sync::Arc;

use super::{request, response};
use crate::wire::error_reply;
use crate::wire::settings::OpenAiServer;
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::wire::{HttpCall, WireFormat, WireStream};

/// The path after the base URL.
const PATH: &str = "/responses";

/// The path for counting tokens.
const COUNT_PATH: &str = "/responses/input_tokens";

pub(super) struct ResponsesWire {
    pub(super) settings: Arc<OpenAiServer>,
    pub(super) model: String,
}

impl ResponsesWire {
    fn call(&self, path: &str, request: &ModelRequest, body: Vec<u8>) -> HttpCall {
        HttpCall { path: path.to_owned(), headers: self.settings.headers(&request.config), body }
    }
}

impl WireFormat for ResponsesWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let body = request::body(&self.settings, &self.model, request, stream)?;
        Ok(self.call(PATH, request, body))
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(&self.settings, request, body)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::ResponsesStream::new(&self.settings, request))
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        let body = request::count_body(&self.settings, &self.model, request)?;
        Ok(Some(self.call(COUNT_PATH, request, body)))
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        response::decode_count(&self.settings, body)
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error_reply::failure(&self.settings.name, status, headers, body)
    }
}
