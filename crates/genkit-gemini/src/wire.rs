//! The wire format of one model.

use std::sync::Arc;

use super::request::{self, GeminiSettings, Method};
use super::{error_reply, response};
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::wire::{HttpCall, WireFormat, WireStream};

pub(super) struct GeminiWire {
    pub(super) settings: Arc<GeminiSettings>,
    pub(super) model: String,
}

impl WireFormat for GeminiWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let method = if stream { Method::Stream } else { Method::Generate };
        request::encode(&self.settings, &self.model, request, method)
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        request::encode(&self.settings, &self.model, request, Method::Count).map(Some)
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        response::decode_count(body)
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(request, body)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::GeminiStream::new(request))
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error_reply::failure(status, headers, body)
    }
}
