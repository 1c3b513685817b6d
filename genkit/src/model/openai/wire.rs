//! The wire format of one model.

use std::sync::Arc;

use serde_json::Value;

use super::servers::Deviations;
use super::target::Target;
use super::{error_reply, request, response};
use crate::error::{Error, Result};
use crate::model::wire::{HttpCall, WireFormat, WireStream};
use crate::model::{ModelRequest, ModelResponse};

/// After the base URL.
const PATH: &str = "/chat/completions";

/// What all models of one [`OpenAi`] share.
pub(super) struct OpenAiSettings {
    /// The part before the `/` of its models' names, and what errors call it.
    pub(super) name: String,
    pub(super) key: Option<String>,
    pub(super) deviations: Deviations,
}

pub(super) struct ChatWire {
    pub(super) settings: Arc<OpenAiSettings>,
    pub(super) model: String,
}

impl ChatWire {
    fn target(&self) -> Target<'_> {
        let OpenAiSettings { name, deviations, .. } = &*self.settings;
        Target { provider: name, model: &self.model, deviations }
    }
}

impl WireFormat for ChatWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let own = request.config.get("apiKey").and_then(Value::as_str);
        let mut headers = Vec::with_capacity(2);
        headers.push(("content-type", "application/json".to_owned()));
        if let Some(key) = own.or(self.settings.key.as_deref()) {
            headers.push(("authorization", format!("Bearer {key}")));
        }
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
