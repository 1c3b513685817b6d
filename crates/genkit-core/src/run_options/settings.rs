//! Genkit's common model settings: typed methods for types with a `config`, and the valid ranges.

use serde_json::{Map, Value};

use crate::names::suggest::nearest_name;

/// Generates the setters, for a type with `fn setting(self, key: &str, value: Value) -> Self`.
#[doc(hidden)]
#[macro_export]
macro_rules! setting_methods {
    (
        $(#[$attribute:meta])*
        $temperature:ident, $top_p:ident, $top_k:ident, $max_output_tokens:ident,
        $stop_sequences:ident, $seed:ident, $reasoning:ident
    ) => {
        /// Sets the temperature: the randomness of the response, from 0.
        $(#[$attribute])*
        pub fn $temperature(self, temperature: f64) -> Self {
            self.setting("temperature", $crate::internal::run_options::json_number(temperature))
        }

        /// Sets nucleus sampling (top-p): the model samples from the most probable tokens whose total probability is
        /// this value, from 0 to 1.
        $(#[$attribute])*
        pub fn $top_p(self, probability: f64) -> Self {
            self.setting("topP", $crate::internal::run_options::json_number(probability))
        }

        /// Sets top-k sampling: the model samples from this number of the most probable tokens.
        $(#[$attribute])*
        pub fn $top_k(self, tokens: u32) -> Self {
            self.setting("topK", tokens.into())
        }

        /// Sets the token limit of a response. Most providers include reasoning tokens.
        $(#[$attribute])*
        pub fn $max_output_tokens(self, tokens: u32) -> Self {
            self.setting("maxOutputTokens", tokens.into())
        }

        /// Sets the stop sequences: strings that end the generation. They are not included in the response.
        $(#[$attribute])*
        pub fn $stop_sequences<S: Into<String>>(self, texts: impl IntoIterator<Item = S>) -> Self {
            let texts = texts.into_iter().map(|text| serde_json::Value::String(text.into()));
            self.setting("stopSequences", texts.collect())
        }

        /// Sets the seed. With the same seed, providers return the same response on a best-effort basis.
        $(#[$attribute])*
        pub fn $seed(self, seed: i64) -> Self {
            self.setting("seed", seed.into())
        }

        /// Sets the reasoning effort: how much the model thinks before it responds.
        $(#[$attribute])*
        pub fn $reasoning(self, effort: $crate::Effort) -> Self {
            self.setting($crate::internal::run_options::REASONING_EFFORT, effort.as_str().into())
        }
    };
}

/// Converts a number to JSON. NaN and infinity, which JSON cannot represent, become strings, which are rejected
/// before the call.
pub fn json_number(number: f64) -> Value {
    if number.is_finite() { number.into() } else { number.to_string().into() }
}

/// A setting, a description of its valid values, and the check.
type Bound = (&'static str, &'static str, fn(&Value) -> bool);

/// The settings whose valid range is the same for all providers. Providers report additional errors themselves.
const BOUNDS: [Bound; 7] = [
    ("temperature", "a number of at least 0", |value| value.as_f64().is_some_and(|it| it >= 0.0)),
    ("topP", "a number from 0 to 1", |value| {
        value.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it))
    }),
    ("topK", "a whole number of at least 0", |value| {
        whole_number(value).is_some_and(|it| it >= 0.0)
    }),
    ("maxOutputTokens", "a whole number of at least 1", |value| {
        whole_number(value).is_some_and(|it| it >= 1.0)
    }),
    ("stopSequences", "a list of non-empty strings", |value| {
        let is_text = |one: &Value| one.as_str().is_some_and(|text| !text.is_empty());
        value.as_array().is_some_and(|all| all.iter().all(is_text))
    }),
    ("seed", "a whole number", |value| whole_number(value).is_some()),
    (super::REASONING_EFFORT, "one of none, minimal, low, medium, high and max", |value| {
        value.as_str().is_some_and(|word| !word.is_empty())
    }),
];

/// Returns the value if it is a whole number. It may be written with a zero fraction: `40.0`.
fn whole_number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.fract() == 0.0)
}

/// Returns the first common setting with an invalid value: its name, its value, and a description of valid values. Null
/// means that the setting is absent.
pub fn wrong_setting(config: &Map<String, Value>) -> Option<(&'static str, &Value, &'static str)> {
    BOUNDS.iter().find_map(|(name, must_be, is_one)| {
        let value = config.get(*name).filter(|value| !value.is_null() && !is_one(value))?;
        Some((*name, value, *must_be))
    })
}

/// Returns each unknown setting whose name is similar to the name of a common setting, with that common name. Names
/// with `_`, such as `top_k`, belong to a provider.
pub fn misspelt_settings(
    config: &Map<String, Value>,
) -> impl Iterator<Item = (&str, &'static str)> {
    let names = || BOUNDS.iter().map(|(name, ..)| *name);
    config.keys().filter_map(move |key| {
        let is_own = key.contains('_') || names().any(|name| name == key);
        let near = names().filter(|_| !is_own);
        Some((key.as_str(), nearest_name(key, near)?))
    })
}
