//! The settings of the model that are typed; all others are in `config`.

use serde_json::{Map, Value};

use super::Generate;
use crate::model::Effort;
use crate::run_options::REASONING_EFFORT;

impl Generate {
    /// Temperature: how freely the model chooses, from 0.
    pub fn temperature(self, temperature: f64) -> Self {
        self.setting("temperature", number(temperature))
    }

    /// Nucleus sampling: the model chooses among the tokens that together are so probable, from 0 to 1.
    pub fn top_p(self, probability: f64) -> Self {
        self.setting("topP", number(probability))
    }

    /// Top-k sampling: the model chooses among so many tokens.
    pub fn top_k(self, tokens: u32) -> Self {
        self.setting("topK", tokens)
    }

    /// Token limit: how many tokens an answer may have.
    pub fn max_output_tokens(self, tokens: u32) -> Self {
        self.setting("maxOutputTokens", tokens)
    }

    /// Stop sequences: texts at which the model stops; they are not in its answer.
    pub fn stop_sequences<S: Into<String>>(self, texts: impl IntoIterator<Item = S>) -> Self {
        let texts = texts.into_iter().map(|text| Value::String(text.into()));
        self.setting("stopSequences", Value::from_iter(texts))
    }

    /// Seed: the same one gives the same answer, as far as a provider can.
    pub fn seed(self, seed: i64) -> Self {
        self.setting("seed", seed)
    }

    /// Reasoning effort: how much the model thinks before it answers.
    pub fn reasoning(self, effort: Effort) -> Self {
        self.setting(REASONING_EFFORT, effort.as_str())
    }

    fn setting(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.config_map().insert(key.to_owned(), value.into());
        self
    }

    pub(super) fn config_map(&mut self) -> &mut Map<String, Value> {
        self.options.config.get_or_insert_default()
    }
}

/// JSON has no word for what is no number: as a text it is refused before the call, not lost.
fn number(number: f64) -> Value {
    if number.is_finite() { number.into() } else { number.to_string().into() }
}
