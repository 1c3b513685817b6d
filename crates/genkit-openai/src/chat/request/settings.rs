//! The settings of a request in the words of the API, and what it has none for.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::wire::effort::effort_word;
use crate::wire::servers::Deviations;
use crate::wire::target::ModelTraits;
use genkit_core::Effort;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_model::internal::left_out;

/// Settings that are for the client, not for the server.
const CLIENT: [&str; 4] = ["apiKey", "baseUrl", "apiVersion", "version"];

/// Written from other places than the settings.
const OURS: [&str; 4] = ["model", "messages", "stream", "visualDetailLevel"];

pub(super) struct ChatSettings<'a> {
    pub(super) config: &'a Map<String, Value>,
    /// What a warning calls the API.
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) traits: ModelTraits,
    pub(super) deviations: &'a Deviations,
}

impl<'a> ChatSettings<'a> {
    pub(super) fn has(&self, key: &str) -> bool {
        self.config.contains_key(key)
    }

    /// What is sent, under the names that the API has.
    pub(super) fn sent(&self) -> impl Iterator<Item = (&'a str, Cow<'a, Value>)> {
        self.config.iter().filter_map(|(key, value)| self.setting(key, value))
    }

    fn setting(&self, key: &'a str, value: &'a Value) -> Option<(&'a str, Cow<'a, Value>)> {
        let wire = match key {
            "maxTokens" if self.has("maxOutputTokens") => return None,
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
            _ if CLIENT.contains(&key) || OURS.contains(&key) => return None,
            other => other,
        };
        let is_empty =
            value.is_null() || (wire == "stop" && value.as_array().is_some_and(Vec::is_empty));
        // The server's own spelling wins: a name must not stand there twice.
        let twice = wire != key && self.has(wire);
        if is_empty || twice {
            return None;
        }
        Some((wire, self.value(key, value)?))
    }

    /// What is sent as the value; `None` where there is no word for it.
    fn value(&self, key: &str, value: &'a Value) -> Option<Cow<'a, Value>> {
        let effort = || Effort::of_config(self.config);
        let remedy = match key {
            "topK" if !self.deviations.top_k => "choose with `top_p`",
            "temperature" | "topP" if self.is_fixed() && value.as_f64() != Some(1.0) => {
                "models that reason choose by themselves; set `reasoning`"
            }
            "stopSequences" if self.is_fixed() => "cut the answer by yourself",
            REASONING_EFFORT => match effort() {
                None => return Some(Cow::Borrowed(value)),
                Some(effort) => match effort_word(self.model, effort, self.deviations.developer) {
                    Some(word) => return Some(Cow::Owned(word.into())),
                    None => "take a model that reasons, such as `gpt-5-mini`",
                },
            },
            _ => return Some(Cow::Borrowed(value)),
        };
        left_out(self.provider, self.model, key, remedy);
        None
    }

    /// Whether it answers 400 to settings of sampling.
    fn is_fixed(&self) -> bool {
        self.deviations.developer && self.traits.fixed_sampling
    }

    fn max_tokens(&self) -> &'a str {
        // Reasoning models refuse the old name, wherever they are served.
        if self.deviations.developer && self.traits.reasons {
            "max_completion_tokens"
        } else {
            &self.deviations.max_tokens
        }
    }
}
