//! The wire format of one model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::window::Window;
use super::{error_reply, request, response};
use genkit_core::internal::sync::lock;
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::http::bearer_headers;
use genkit_model::internal::wire::{Framing, HttpCall, WireFormat, WireStream};

/// The path after the root of the server.
const PATH: &str = "/api/chat";

/// Settings shared by all models of one [`Ollama`](super::Ollama).
pub(super) struct OllamaSettings {
    pub(super) key: Option<String>,
    /// The `num_ctx` of requests that do not set it.
    pub(super) num_ctx: Option<u64>,
    /// The `keep_alive` of requests that do not set it.
    pub(super) keep_alive: Option<Value>,
    /// The server's default context window; `None` if the server manages it (ollama.com).
    pub(super) default_window: Option<u64>,
    pub(super) window: Window,
    /// Whether the server has responded that the API does not exist.
    pub(super) is_not_served: AtomicBool,
    /// The models that have rejected thinking.
    pub(super) without_thoughts: Mutex<BTreeSet<String>>,
}

impl OllamaSettings {
    /// Whether the model has rejected thinking.
    pub(super) fn is_without_thoughts(&self, model: &str) -> bool {
        lock(&self.without_thoughts).contains(model)
    }

    /// Records whether an error means that the API does not exist.
    pub(super) fn note_served(&self, status: u16, body: &[u8]) {
        self.is_not_served.store(error_reply::is_not_served(status, body), Ordering::Relaxed);
    }

    /// Returns the headers of a call.
    pub(super) fn headers(&self, own: Option<&str>) -> Vec<(&'static str, Cow<'static, str>)> {
        bearer_headers(own.or(self.key.as_deref()))
    }
}

pub(super) struct OllamaWire {
    pub(super) settings: Arc<OllamaSettings>,
    pub(super) model: String,
}

impl WireFormat for OllamaWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let own = request.config.get("apiKey").and_then(Value::as_str);
        let body = request::body(&self.settings, &self.model, request, stream)?;
        Ok(HttpCall { path: PATH.to_owned(), headers: self.settings.headers(own), body })
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(&self.model, request, body)
    }

    fn framing(&self) -> Framing {
        Framing::Ndjson
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::OllamaStream::new(&self.model, request))
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        self.settings.note_served(status, body);
        if error_reply::is_without_thoughts(status, body) {
            lock(&self.settings.without_thoughts).insert(self.model.clone());
        }
        error_reply::failure(&self.model, status, headers, body)
    }
}
