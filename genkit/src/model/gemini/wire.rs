//! The wire format of one model.

use std::sync::Arc;

use super::request::{self, GeminiSettings};
use super::{error_reply, response};
use crate::error::{Error, Result};
use crate::model::wire::{HttpCall, WireFormat, WireStream};
use crate::model::{ModelRequest, ModelResponse};

pub(super) struct GeminiWire {
    pub(super) settings: Arc<GeminiSettings>,
    pub(super) model: String,
}

impl WireFormat for GeminiWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        request::encode(&self.settings, &self.model, request, stream)
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
