//! The wire format of one model.

use std::sync::Arc;

use super::{request, response};
use crate::wire::error_reply;
use crate::wire::settings::OpenAiServer;
use crate::wire::target::Target;
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::wire::{HttpCall, WireFormat, WireStream};

/// The path after the base URL.
const PATH: &str = "/chat/completions";

pub(super) struct ChatWire {
    pub(super) settings: Arc<OpenAiServer>,
    pub(super) model: String,
}

impl ChatWire {
    fn target(&self) -> Target<'_> {
        let OpenAiServer { name, deviations, .. } = &*self.settings;
        Target { provider: name, model: &self.model, deviations }
    }
}

impl WireFormat for ChatWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let headers = self.settings.headers(&request.config);
        let body = request::body(&self.target(), request, stream)?;
        Ok(HttpCall { path: PATH.to_owned(), headers, body })
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(&self.target(), request, body)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::ChatStream::new(self.target(), request))
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error_reply::failure(&self.settings.name, status, headers, body)
    }
}
