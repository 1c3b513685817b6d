//! Conversion of settings to body fields and model options.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};

use crate::NAME;
use crate::response::error;
use crate::window::Window;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_core::internal::sync::lock;
use genkit_core::{Effort, ModelRequest};
use genkit_model::internal::http::bearer_headers;
use genkit_model::internal::warn_omitted;

/// Settings shared by all models of one [`Ollama`](crate::Ollama).
pub(crate) struct OllamaSettings {
    pub(crate) key: Option<String>,
    /// The `num_ctx` of requests that do not set it.
    pub(crate) num_ctx: Option<u64>,
    /// The `keep_alive` of requests that do not set it.
    pub(crate) keep_alive: Option<Value>,
    /// The server's default context window; `None` if the server manages it (ollama.com).
    pub(crate) default_window: Option<u64>,
    pub(crate) window: Window,
    /// Whether the server has responded that the API does not exist.
    pub(crate) is_api_missing: AtomicBool,
    /// The models that have rejected thinking.
    pub(crate) models_without_thinking: Mutex<BTreeSet<String>>,
}

impl OllamaSettings {
    /// Returns whether the model has rejected thinking.
    pub(crate) fn rejects_thinking(&self, model: &str) -> bool {
        lock(&self.models_without_thinking).contains(model)
    }

    /// Records whether an error means that the API does not exist.
    pub(crate) fn record_api_missing(&self, status: u16, body: &[u8]) {
        self.is_api_missing.store(error::is_api_missing(status, body), Ordering::Relaxed);
    }

    /// Returns the headers of a call.
    pub(crate) fn call_headers(&self, own: Option<&str>) -> Vec<(&'static str, Cow<'static, str>)> {
        bearer_headers(own.or(self.key.as_deref()))
    }
}

/// Keys that are not copied from `config`: the client uses them, or the request builder sets them.
const NOT_SENT: [&str; 9] = [
    "apiKey",
    "baseUrl",
    "apiVersion",
    "version",
    "model",
    "messages",
    "stream",
    "tools",
    "options",
];

/// Settings at the top level of the body instead of in `options`.
const TOP_LEVEL_KEYS: [&str; 7] =
    ["think", "keep_alive", "format", "truncate", "shift", "logprobs", "top_logprobs"];

/// The settings of one request, under the names that the API uses.
#[derive(Default)]
pub(super) struct WireSettings<'a> {
    pub(super) top: Vec<(&'a str, Cow<'a, Value>)>,
    pub(super) options: Vec<(&'a str, Cow<'a, Value>)>,
}

impl<'a> WireSettings<'a> {
    /// Returns the settings of `request` for `model`, falling back to `defaults`.
    pub(super) fn for_request(
        request: &'a ModelRequest,
        model: &str,
        defaults: &'a OllamaSettings,
    ) -> Self {
        let config = &request.config;
        let mut settings = Self::default();
        for (key, value) in config.get("options").and_then(Value::as_object).into_iter().flatten() {
            settings.add(key, Cow::Borrowed(value));
        }
        for (key, value) in config {
            let wire = wire_name(key);
            // The API's own spelling takes precedence; a key must not occur twice.
            let twice = wire != key && config.contains_key(wire);
            if !NOT_SENT.contains(&wire) && key != REASONING_EFFORT && !twice && !is_empty(value) {
                settings.add(wire, Cow::Borrowed(value));
            }
        }
        if let Some(think) = think_setting(config, model, defaults) {
            settings.add("think", Cow::Owned(think));
        }
        if let Some(size) = defaults.num_ctx {
            settings.add("num_ctx", Cow::Owned(size.into()));
        }
        if let Some(time) = &defaults.keep_alive {
            settings.add("keep_alive", Cow::Borrowed(time));
        }
        settings
    }

    /// Adds a setting, unless it is already set.
    fn add(&mut self, name: &'a str, value: Cow<'a, Value>) {
        let list = if TOP_LEVEL_KEYS.contains(&name) { &mut self.top } else { &mut self.options };
        if list.iter().all(|(known, _)| *known != name) {
            list.push((name, value));
        }
    }

    /// Returns the requested context window, in tokens.
    pub(super) fn num_ctx(&self) -> Option<u64> {
        self.options.iter().find(|(name, _)| *name == "num_ctx")?.1.as_u64()
    }

    pub(super) fn has_format(&self) -> bool {
        self.top.iter().any(|(name, _)| *name == "format")
    }
}

fn wire_name(key: &str) -> &str {
    match key {
        "topP" => "top_p",
        "topK" => "top_k",
        "maxOutputTokens" => "num_predict",
        "stopSequences" => "stop",
        "presencePenalty" => "presence_penalty",
        "frequencyPenalty" => "frequency_penalty",
        "numCtx" => "num_ctx",
        "keepAlive" => "keep_alive",
        "topLogProbs" => "top_logprobs",
        "logProbs" => "logprobs",
        other => other,
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Converts the effort to `think`, which is a level for gpt-oss, and a boolean for all other
/// models.
fn think_setting(
    config: &Map<String, Value>,
    model: &str,
    defaults: &OllamaSettings,
) -> Option<Value> {
    let requested_effort = config.get(REASONING_EFFORT)?;
    if config.contains_key("think") || defaults.rejects_thinking(model) {
        return None;
    }
    let uses_effort_levels =
        model.rsplit('/').next().is_some_and(|name| name.starts_with("gpt-oss"));
    let Some(effort) = Effort::from_config(config) else { return Some(requested_effort.clone()) };
    if !uses_effort_levels {
        return Some((effort != Effort::None).into());
    }
    if effort == Effort::None {
        warn_omitted(
            NAME,
            model,
            "reasoningEffort: none",
            "the lowest level, `low`, is used instead",
        );
    }
    Some(effort.nearest_supported(&[Effort::Low, Effort::Medium, Effort::High])?.as_str().into())
}
