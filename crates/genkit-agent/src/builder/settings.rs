//! The model settings: typed methods for Genkit's common settings, `config` for all others.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Generate;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::setting_methods;

impl Generate {
    /// Adds model settings: Genkit's common settings (`temperature`, `maxOutputTokens`, `topK`, `topP`,
    /// `stopSequences`, `seed`, `reasoningEffort`, `version`) and provider-specific settings. They are merged with
    /// earlier settings. If the value cannot be serialized to a JSON object, the run returns an error.
    pub fn config(mut self, config: impl Serialize) -> Self {
        match genkit_core::internal::to_finite_value(config) {
            Ok(Value::Object(config)) => self.config_map().extend(config),
            Ok(value) => self.config_error = Some(E::ConfigNoObject(value)),
            Err(error) => self.config_error = Some(E::ConfigUnserializable(error.to_string())),
        }
        self
    }

    setting_methods! {
        temperature, top_p, top_k, max_output_tokens, stop_sequences, seed, reasoning
    }

    fn setting(mut self, key: &str, value: Value) -> Self {
        self.config_map().insert(key.to_owned(), value);
        self
    }

    fn config_map(&mut self) -> &mut Map<String, Value> {
        self.options.config.get_or_insert_default()
    }
}
