//! Conversion of settings to the fields of the API, and warnings about unsupported settings.

use serde_json::{Map, Value, json};

use crate::wire::builder::OpenAiServer;
use crate::wire::models;
use crate::wire::models::ModelTraits;
use crate::wire::request::settings::effort_word;
use genkit_core::Effort;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_model::internal::warn_omitted;

/// The minimum token limit that the API accepts.
const MIN_OUTPUT_TOKENS: u64 = 16;

/// Settings that only the client uses, and fields that are not set from the settings.
const NOT_SENT: [&str; 12] = [
    "apiKey",
    "baseUrl",
    "apiVersion",
    "version",
    "model",
    "input",
    "instructions",
    "stream",
    "visualDetailLevel",
    "tools",
    "include",
    "tool_choice",
];

/// Servers that store nothing, and reject the field `store`.
const STATELESS: [&str; 1] = ["groq"];

/// The value of `include` that requests encrypted thoughts, which can be sent back if nothing is
/// stored.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// The value of `include` that requests token probabilities.
const PROBABILITIES: &str = "message.output_text.logprobs";

/// The settings of a request, and its target.
pub(super) struct ResponsesSettings<'a> {
    pub(super) config: &'a Map<String, Value>,
    pub(super) server: &'a OpenAiServer,
    pub(super) model: &'a str,
    /// Whether thoughts are needed later: within a round of tool calls, or if earlier thoughts are
    /// sent back.
    pub(super) wants_thoughts: bool,
}

impl ResponsesSettings<'_> {
    /// Returns whether the server stores the response.
    pub(super) fn is_stored(&self) -> bool {
        self.config.get("store") == Some(&Value::Bool(true))
    }

    /// Returns whether the model reasons, which is assumed for unknown servers.
    pub(super) fn has_reasoning(&self) -> bool {
        !self.server.is_openai() || models::is_reasoning(self.model)
    }

    /// Returns the settings to send, under the names that the API uses.
    pub(super) fn sent_settings(&self, format: Option<Value>) -> Map<String, Value> {
        let mut sent = Map::new();
        let (mut reasoning, mut text) = (Map::new(), Map::new());
        for (key, value) in self.config.iter().filter(|(_, value)| !value.is_null()) {
            match key.as_str() {
                REASONING_EFFORT => {
                    reasoning
                        .extend(self.sent_effort(value).map(|word| ("effort".to_owned(), word)));
                }
                "reasoningSummary" => drop(reasoning.insert("summary".to_owned(), value.clone())),
                "verbosity" => drop(text.insert(key.clone(), value.clone())),
                key if NOT_SENT.contains(&key) || self.is_left_out(key, value) => {}
                key => {
                    let wire = wire_name(key);
                    // The API's own spelling takes precedence.
                    if wire == key || !self.config.contains_key(wire) {
                        sent.insert(wire.to_owned(), self.sent_value(key, value));
                    }
                }
            }
        }
        text.extend(format.map(|format| ("format".to_owned(), format)));
        for (key, own) in [("reasoning", reasoning), ("text", text)] {
            merge_setting(&mut sent, key, own);
        }
        if !STATELESS.contains(&self.server.server.as_str()) {
            sent.entry("store").or_insert(Value::Bool(false));
        }
        let include = self.included_fields();
        if !include.is_empty() {
            sent.insert("include".to_owned(), include.into());
        }
        sent
    }

    fn sent_value(&self, key: &str, value: &Value) -> Value {
        match value.as_u64() {
            Some(limit) if key.starts_with("max") && key.ends_with("Tokens") => {
                if limit < MIN_OUTPUT_TOKENS {
                    let remedy = "the value 16, the minimum of the API, is sent instead";
                    warn_omitted(&self.server.name, self.model, &format!("{key} below 16"), remedy);
                }
                limit.max(MIN_OUTPUT_TOKENS).into()
            }
            _ => value.clone(),
        }
    }

    fn sent_effort(&self, given: &Value) -> Option<Value> {
        let Some(effort) = Effort::from_config(self.config) else { return Some(given.clone()) };
        let word = effort_word(self.model, effort, self.server.is_openai());
        if word.is_none() {
            let remedy = "use a model that reasons, such as `gpt-5-mini`";
            warn_omitted(&self.server.name, self.model, REASONING_EFFORT, remedy);
        }
        word.map(Value::from)
    }

    /// Returns whether a setting is left out because the API does not support it. Logs a warning once.
    fn is_left_out(&self, key: &str, value: &Value) -> bool {
        let is_fixed = self.server.is_openai() && ModelTraits::for_model(self.model).fixed_sampling;
        let is_empty = value.as_array().is_some_and(Vec::is_empty);
        let remedy = match key {
            "maxTokens" => return self.config.contains_key("maxOutputTokens"),
            "logProbs" => return true, // requested with `include`
            "stopSequences" if is_empty => return true,
            "stopSequences" => "truncate the response yourself, or use `openai/..`",
            "topK" => "use `topP` instead",
            "seed" | "logitBias" => "use a model of `openai/..` that supports chat completions",
            "temperature" | "topP" if is_fixed && value.as_f64() != Some(1.0) => {
                "reasoning models do not support sampling settings, so set `reasoning` instead"
            }
            _ => return false,
        };
        warn_omitted(&self.server.name, self.model, key, remedy);
        true
    }

    /// Returns the additional data to include in responses.
    fn included_fields(&self) -> Vec<Value> {
        let given = self.config.get("include").and_then(Value::as_array);
        let mut all = given.cloned().unwrap_or_default();
        let is_set = |key: &str| {
            self.config.get(key).is_some_and(|it| *it == true || it.as_u64().is_some_and(|n| n > 0))
        };
        let probabilities = ["logProbs", "topLogProbs", "top_logprobs"].into_iter().any(is_set);
        let is_stateless = !self.is_stored() && !STATELESS.contains(&self.server.server.as_str());
        let thoughts = self.wants_thoughts && is_stateless && self.has_reasoning();
        let wanted = [(PROBABILITIES, probabilities), (ENCRYPTED, thoughts)];
        for (word, _) in wanted.iter().filter(|(_, is_wanted)| *is_wanted) {
            if !all.iter().any(|known| known == word) {
                all.push(json!(word));
            }
        }
        all
    }
}

/// Returns the API's name of a setting.
fn wire_name(key: &str) -> &str {
    match key {
        "maxOutputTokens" | "maxTokens" => "max_output_tokens",
        "topP" => "top_p",
        "topLogProbs" => "top_logprobs",
        "presencePenalty" => "presence_penalty",
        "frequencyPenalty" => "frequency_penalty",
        "parallelToolCalls" => "parallel_tool_calls",
        "maxToolCalls" => "max_tool_calls",
        "serviceTier" => "service_tier",
        "promptCacheKey" => "prompt_cache_key",
        "safetyIdentifier" => "safety_identifier",
        "previousResponseId" => "previous_response_id",
        other => other,
    }
}

/// Merges `own` into the object at `key`. Fields from the settings take precedence.
fn merge_setting(sent: &mut Map<String, Value>, key: &str, own: Map<String, Value>) {
    if own.is_empty() {
        return;
    }
    let given = sent.entry(key).or_insert_with(|| Value::Object(Map::new()));
    // If it is not an object, the caller's value is kept.
    if let Value::Object(given) = given {
        for (key, value) in own {
            given.entry(key).or_insert(value);
        }
    }
}
