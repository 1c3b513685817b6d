//! Conversion of settings to the fields of the API, and warnings about unsupported settings.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::wire::models::ModelTraits;
use crate::wire::request::settings::effort_word;
use crate::wire::servers::Deviations;
use genkit_core::Effort;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_model::internal::warn_omitted;

/// Settings that only the client uses.
const CLIENT_SETTINGS: [&str; 4] = ["apiKey", "baseUrl", "apiVersion", "version"];

/// Other keys that are not copied from `config` to the body.
const NOT_FROM_SETTINGS: [&str; 4] = ["model", "messages", "stream", "visualDetailLevel"];

pub(super) struct ChatSettings<'a> {
    pub(super) config: &'a Map<String, Value>,
    /// The name of the API in warnings.
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) traits: ModelTraits,
    pub(super) deviations: &'a Deviations,
}

impl<'a> ChatSettings<'a> {
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.config.contains_key(key)
    }

    /// Returns the settings to send, under the names that the API uses.
    pub(super) fn sent_settings(&self) -> impl Iterator<Item = (&'a str, Cow<'a, Value>)> {
        self.config.iter().filter_map(|(key, value)| self.sent_setting(key, value))
    }

    fn sent_setting(&self, key: &'a str, value: &'a Value) -> Option<(&'a str, Cow<'a, Value>)> {
        let wire = match key {
            "maxTokens" if self.is_set("maxOutputTokens") => return None,
            "maxOutputTokens" | "maxTokens" => self.max_tokens(),
            "topP" => "top_p",
            "topK" => "top_k",
            "stopSequences" => "stop",
            "presencePenalty" => "presence_penalty",
            "frequencyPenalty" => "frequency_penalty",
            "logProbs" => "logprobs",
            "topLogProbs" => "top_logprobs",
            "logitBias" => "logit_bias",
            REASONING_EFFORT => "reasoning_effort",
            "parallelToolCalls" => "parallel_tool_calls",
            "serviceTier" => "service_tier",
            "promptCacheKey" => "prompt_cache_key",
            "safetyIdentifier" => "safety_identifier",
            _ if CLIENT_SETTINGS.contains(&key) || NOT_FROM_SETTINGS.contains(&key) => return None,
            other => other,
        };
        let is_empty =
            value.is_null() || (wire == "stop" && value.as_array().is_some_and(Vec::is_empty));
        // The API's own spelling takes precedence; a key must not occur twice.
        let twice = wire != key && self.is_set(wire);
        if is_empty || twice {
            return None;
        }
        Some((wire, self.sent_value(key, value)?))
    }

    /// Returns the value to send, or `None` if it is not supported.
    fn sent_value(&self, key: &str, value: &'a Value) -> Option<Cow<'a, Value>> {
        let effort = || Effort::from_config(self.config);
        let remedy = match key {
            "topK" if !self.deviations.top_k => "use `topP` instead",
            "temperature" | "topP" if self.is_fixed() && value.as_f64() != Some(1.0) => {
                "reasoning models do not support sampling settings, so set `reasoning` instead"
            }
            "stopSequences" if self.is_fixed() => "truncate the response yourself",
            REASONING_EFFORT => match effort() {
                None => return Some(Cow::Borrowed(value)),
                Some(effort) => match effort_word(self.model, effort, self.deviations.developer) {
                    Some(word) => return Some(Cow::Owned(word.into())),
                    None => "use a model that reasons, such as `gpt-5-mini`",
                },
            },
            _ => return Some(Cow::Borrowed(value)),
        };
        warn_omitted(self.provider, self.model, key, remedy);
        None
    }

    /// Returns whether the model responds with status 400 to sampling settings.
    fn is_fixed(&self) -> bool {
        self.deviations.developer && self.traits.fixed_sampling
    }

    fn max_tokens(&self) -> &'a str {
        // OpenAI's reasoning models accept only this name.
        if self.deviations.developer && self.traits.reasons {
            "max_completion_tokens"
        } else {
            &self.deviations.max_tokens
        }
    }
}
