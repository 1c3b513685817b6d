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

/// After the root of the server.
const PATH: &str = "/api/chat";

/// What all models of one [`Ollama`](super::Ollama) share.
pub(super) struct OllamaSettings {
    pub(super) key: Option<String>,
    /// What is sent as `num_ctx` where a request has none.
    pub(super) num_ctx: Option<u64>,
    /// What is sent as `keep_alive` where a request has none.
    pub(super) keep_alive: Option<Value>,
    /// What the server gives where nobody says; `None` where it has no window of its own (ollama.com).
    pub(super) default_window: Option<u64>,
    pub(super) window: Window,
    /// Whether the server said that it has no such API.
    pub(super) is_not_served: AtomicBool,
    /// The models that refused to think.
    pub(super) without_thoughts: Mutex<BTreeSet<String>>,
}

impl OllamaSettings {
    /// Whether the model refused to think.
    pub(super) fn is_without_thoughts(&self, model: &str) -> bool {
        lock(&self.without_thoughts).contains(model)
    }

    /// Notes whether an error says that there is no such API.
    pub(super) fn note_served(&self, status: u16, body: &[u8]) {
        self.is_not_served.store(error_reply::is_not_served(status, body), Ordering::Relaxed);
    }

    /// The headers of a call.
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
