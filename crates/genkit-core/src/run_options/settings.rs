//! Genkit's common settings of a model: typed methods for whatever has a `config`, and their bounds.

use genkit_did_you_mean::nearest;
use serde_json::{Map, Value};

/// The typed settings, as methods of a type with `fn setting(self, key: &str, value: Value) -> Self`.
#[doc(hidden)]
#[macro_export]
macro_rules! setting_methods {
    (
        $(#[$attribute:meta])*
        $temperature:ident, $top_p:ident, $top_k:ident, $max_output_tokens:ident,
        $stop_sequences:ident, $seed:ident, $reasoning:ident
    ) => {
        /// Temperature: how freely the model chooses, from 0.
        $(#[$attribute])*
        pub fn $temperature(self, temperature: f64) -> Self {
            self.setting("temperature", $crate::internal::run_options::number(temperature))
        }

        /// Nucleus sampling: the model chooses among the most probable tokens that together have this
        /// probability, from 0 to 1.
        $(#[$attribute])*
        pub fn $top_p(self, probability: f64) -> Self {
            self.setting("topP", $crate::internal::run_options::number(probability))
        }

        /// Top-k sampling: the model chooses among so many tokens.
        $(#[$attribute])*
        pub fn $top_k(self, tokens: u32) -> Self {
            self.setting("topK", tokens.into())
        }

        /// Token limit: how many tokens an answer may have, thoughts included at most providers.
        $(#[$attribute])*
        pub fn $max_output_tokens(self, tokens: u32) -> Self {
            self.setting("maxOutputTokens", tokens.into())
        }

        /// Stop sequences: texts at which the model stops; its answer does not have them.
        $(#[$attribute])*
        pub fn $stop_sequences<S: Into<String>>(self, texts: impl IntoIterator<Item = S>) -> Self {
            let texts = texts.into_iter().map(|text| serde_json::Value::String(text.into()));
            self.setting("stopSequences", texts.collect())
        }

        /// Seed: the same one gives the same answer, as far as a provider can.
        $(#[$attribute])*
        pub fn $seed(self, seed: i64) -> Self {
            self.setting("seed", seed.into())
        }

        /// Reasoning effort: how much the model thinks before it answers.
        $(#[$attribute])*
        pub fn $reasoning(self, effort: $crate::Effort) -> Self {
            self.setting($crate::internal::run_options::REASONING_EFFORT, effort.as_str().into())
        }
    };
}

/// JSON has no word for what is no number: as a text it is refused before the call, not lost.
pub fn number(number: f64) -> Value {
    if number.is_finite() { number.into() } else { number.to_string().into() }
}

/// A setting, what it must be, and whether a value is.
type Bound = (&'static str, &'static str, fn(&Value) -> bool);

/// The settings whose bounds every provider has. What else they refuse is theirs to say.
const BOUNDS: [Bound; 7] = [
    ("temperature", "a number from 0", |value| value.as_f64().is_some_and(|it| it >= 0.0)),
    ("topP", "a number from 0 to 1", |value| {
        value.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it))
    }),
    ("topK", "a whole number from 0", |value| whole(value).is_some_and(|it| it >= 0.0)),
    ("maxOutputTokens", "a whole number from 1", |value| whole(value).is_some_and(|it| it >= 1.0)),
    ("stopSequences", "a list of texts, none of them empty", |value| {
        let is_text = |one: &Value| one.as_str().is_some_and(|text| !text.is_empty());
        value.as_array().is_some_and(|all| all.iter().all(is_text))
    }),
    ("seed", "a whole number", |value| whole(value).is_some()),
    (super::REASONING_EFFORT, "one of none, minimal, low, medium, high and max", |value| {
        value.as_str().is_some_and(|word| !word.is_empty())
    }),
];

/// A number without a fraction, which may be written with one: `40.0`.
fn whole(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.fract() == 0.0)
}

/// The first common setting that is none: its name, its value, and what it must be. Null is not given.
pub fn wrong_setting(config: &Map<String, Value>) -> Option<(&'static str, &Value, &'static str)> {
    BOUNDS.iter().find_map(|(name, must_be, is_one)| {
        let value = config.get(*name).filter(|value| !value.is_null() && !is_one(value))?;
        Some((*name, value, *must_be))
    })
}

/// The settings that are none of the common ones and almost written like one: their names, and those of the others.
/// Providers that write `top_k` mean their own.
pub fn misspelt_settings(
    config: &Map<String, Value>,
) -> impl Iterator<Item = (&str, &'static str)> {
    let names = || BOUNDS.iter().map(|(name, ..)| *name);
    config.keys().filter_map(move |key| {
        let is_own = key.contains('_') || names().any(|name| name == key);
        let near = names().filter(|_| !is_own);
        Some((key.as_str(), nearest(key, near)?))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_no_provider_takes_is_named() {
        for (config, wrong) in [
            (json!({"temperature": 0, "topP": 1, "topK": 40.0, "seed": -1}), None),
            (json!({"temperature": null, "maxOutputTokens": 1, "stopSequences": []}), None),
            (json!({"reasoningEffort": "xhigh", "own": "thing", "top_k": -1}), None),
            (json!({"temperature": -0.1}), Some("temperature")),
            (json!({"temperature": number(f64::NAN)}), Some("temperature")),
            (json!({"topP": 1.1}), Some("topP")),
            (json!({"topP": number(f64::INFINITY)}), Some("topP")),
            (json!({"topK": 0.5}), Some("topK")),
            (json!({"topK": -1}), Some("topK")),
            (json!({"maxOutputTokens": 0}), Some("maxOutputTokens")),
            (json!({"stopSequences": "x"}), Some("stopSequences")),
            (json!({"stopSequences": ["x", ""]}), Some("stopSequences")),
            (json!({"seed": "x"}), Some("seed")),
            (json!({"reasoningEffort": 3}), Some("reasoningEffort")),
        ] {
            let found = wrong_setting(config.as_object().unwrap());
            assert_eq!(found.map(|(name, ..)| name), wrong, "{config}");
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_told_from_what_is_a_providers_own() {
        for (key, near) in [
            ("temprature", Some("temperature")),
            ("maxOutputToken", Some("maxOutputTokens")),
            ("TopK", Some("topK")),
            ("stopSequence", Some("stopSequences")),
            ("reasoningEfort", Some("reasoningEffort")),
            ("temperature", None),
            ("top_k", None),
            ("topLogprobs", None),
            ("presencePenalty", None),
            ("thinkingConfig", None),
            ("responseMimeType", None),
            ("stop", None),
            ("n", None),
        ] {
            let config = Map::from_iter([(key.to_owned(), Value::Null)]);
            let told: Vec<_> = misspelt_settings(&config).collect();
            assert_eq!(told, Vec::from_iter(near.map(|near| (key, near))), "{key}");
        }
    }
}
