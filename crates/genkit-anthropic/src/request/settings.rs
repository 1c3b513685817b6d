//! Conversion of settings to fields of the body and to headers.

use serde_json::{Map, Value};

use crate::NAME;
use crate::models::ClaudeTraits;
use genkit_core::ModelRequest;
use genkit_model::internal::warn_omitted;

/// Settings shared by all models of one [`Anthropic`](crate::Anthropic).
pub(crate) struct AnthropicSettings {
    pub(crate) key: Option<String>,
    pub(crate) version: String,
}

/// Settings that are sent in another form, or that only the client uses.
const ELSEWHERE: [&str; 16] = [
    "apiKey",
    "apiVersion",
    "baseUrl",
    "betas",
    "disableParallelToolUse",
    "disable_parallel_tool_use",
    "effort",
    "max_tokens",
    "messages",
    "model",
    "output_config",
    "reasoningEffort",
    "stream",
    "system",
    "thinking",
    "version",
];

/// Settings that are part of a request to count tokens.
const COUNTED: [&str; 3] = ["tool_choice", "mcp_servers", "context_management"];

/// The beta header that is required for files referred to by id.
const FILES_BETA: &str = "files-api-2025-04-14";

/// The settings of a request that are fields of its body.
pub(super) struct SentSettings<'a> {
    pub(super) config: &'a Map<String, Value>,
    pub(super) model: &'a str,
    pub(super) traits: ClaudeTraits,
    /// Whether thinking is enabled, which restricts the sampling settings.
    pub(super) thinks: bool,
    /// Whether the request counts tokens. Few settings affect the count.
    pub(super) is_count: bool,
}

impl<'a> SentSettings<'a> {
    /// Returns the fields to send, in the order of the settings.
    pub(super) fn sent_fields(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let config = self.config.iter();
        let counted = config.filter(|(key, _)| !self.is_count || COUNTED.contains(&key.as_str()));
        counted.filter_map(|(key, value)| Some((self.wire_name(key, value)?, value)))
    }
}

impl SentSettings<'_> {
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.config.get(key).is_some_and(|value| !value.is_null())
    }

    /// Returns the name of a setting in the body, or `None` if it is not sent.
    fn wire_name<'a>(&self, key: &'a str, value: &Value) -> Option<&'a str> {
        if value.is_null() || ELSEWHERE.contains(&key) {
            return None;
        }
        let wire = match key {
            "temperature" => "temperature",
            "topP" | "top_p" => "top_p",
            "topK" | "top_k" => "top_k",
            "stopSequences" if value.as_array().is_some_and(Vec::is_empty) => return None,
            "stopSequences" => "stop_sequences",
            "maxOutputTokens" | "tools" => return None,
            "serviceTier" => "service_tier",
            "seed" => {
                return self.leave_out(key, "the responses of the model cannot be reproduced");
            }
            own => own,
        };
        // The API's own spelling takes precedence; a key must not occur twice.
        if wire != key && self.is_set(wire) {
            return None;
        }
        if !matches!(wire, "temperature" | "top_p" | "top_k") {
            return Some(wire);
        }
        let traits = self.traits;
        if !traits.samples {
            return self.leave_out(key, "describe in the prompt what you want");
        }
        if self.thinks && !fits_thoughts(wire, value) {
            return self.leave_out(key, "disable thinking to use this setting");
        }
        if wire == "top_p" && self.is_set("temperature") && !traits.supports_both_sampling_settings
        {
            return self.leave_out(key, "set only one of `temperature` and `topP`");
        }
        Some(wire)
    }

    fn leave_out<'a>(&self, key: &str, remedy: &str) -> Option<&'a str> {
        warn_omitted(NAME, self.model, key, remedy);
        None
    }
}

/// Returns whether a sampling setting is supported while the model thinks.
fn fits_thoughts(wire: &str, value: &Value) -> bool {
    let is = |fits: fn(f64) -> bool| value.as_f64().is_some_and(fits);
    match wire {
        "temperature" => is(|it| (it - 1.0).abs() < f64::EPSILON),
        "top_p" => is(|it| (0.95..=1.0).contains(&it)),
        _ => false,
    }
}

/// Returns the beta features of a call.
pub(super) fn beta_features(request: &ModelRequest, has_files: bool) -> Vec<&str> {
    let mut betas: Vec<&str> = match request.config.get("betas") {
        Some(Value::String(betas)) => betas.split(',').map(str::trim).collect(),
        Some(Value::Array(betas)) => betas.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if has_files && !betas.iter().any(|beta| beta.starts_with("files-api")) {
        betas.push(FILES_BETA);
    }
    betas
}
