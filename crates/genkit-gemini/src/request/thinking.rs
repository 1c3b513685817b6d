//! Reasoning effort for Gemini: a level from Gemini 3 on, a token budget for Gemini 2.5, unsupported in
//! older models.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use genkit_core::Effort;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_model::internal::warn_omitted;

const API: &str = "Gemini";
const CONFIG: &str = "thinkingConfig";
const LEVEL: &str = "thinkingLevel";
const BUDGET: &str = "thinkingBudget";

/// The setting that a family of models has for the reasoning effort.
enum ThinkingSetting {
    /// One of these levels, lowest first.
    Levels(&'static [Effort]),
    /// A number of tokens between `least` and `most`; 0 disables thinking if `can_stop`.
    Tokens { least: u32, most: u32, can_stop: bool },
}

/// The first entry whose marks all occur in the name applies. Models that are not Gemini models are
/// not listed.
const FAMILIES: &[(&[&str], Option<ThinkingSetting>)] = &[
    (&["gemini", "-tts"], None),
    (&["gemini", "-image"], None),
    (&["gemini-1"], None),
    (&["gemini-2.0"], None),
    (&["gemini-3-pro"], Some(ThinkingSetting::Levels(&[Effort::Low, Effort::High]))),
    (
        &["gemini-3", "pro"],
        Some(ThinkingSetting::Levels(&[Effort::Low, Effort::Medium, Effort::High])),
    ),
    (
        &["gemini-3"],
        Some(ThinkingSetting::Levels(&[
            Effort::Minimal,
            Effort::Low,
            Effort::Medium,
            Effort::High,
        ])),
    ),
    (
        &["gemini", "pro"],
        Some(ThinkingSetting::Tokens { least: 128, most: 32_768, can_stop: false }),
    ),
    (
        &["gemini", "flash-lite"],
        Some(ThinkingSetting::Tokens { least: 512, most: 24_576, can_stop: true }),
    ),
    (&["gemini"], Some(ThinkingSetting::Tokens { least: 1, most: 24_576, can_stop: true })),
];

/// `thinkingConfig`: the caller's settings, with the reasoning effort added.
pub(super) struct ThinkingConfig<'a> {
    given: Option<&'a Map<String, Value>>,
    effort: Option<(&'static str, Value)>,
}

impl<'a> ThinkingConfig<'a> {
    /// Returns `None` if no effort is set, or if the model does not support it.
    pub(super) fn for_model(model: &str, config: &'a Map<String, Value>) -> Option<Self> {
        let word = config.get(REASONING_EFFORT)?.as_str()?;
        let given = config.get(CONFIG).and_then(Value::as_object);
        if given.is_some_and(|given| given.contains_key(LEVEL) || given.contains_key(BUDGET)) {
            return Some(Self { given, effort: None }); // the API's own keys take precedence
        }
        let effort = thinking_field(model, word, Effort::from_config(config));
        if effort.is_none() {
            let remedy = "use a model that thinks, such as `gemini-2.5-flash`, and one of the values none, \
                          minimal, low, medium, high and max";
            warn_omitted(API, model, REASONING_EFFORT, remedy);
        }
        (given.is_some() || effort.is_some()).then_some(Self { given, effort })
    }
}

/// Returns the field and the value of the thinking setting of `model`. A level that the model does not support is
/// replaced with the next higher one, or with the highest if there is none; a token budget is clamped.
fn thinking_field(
    model: &str,
    word: &str,
    effort: Option<Effort>,
) -> Option<(&'static str, Value)> {
    let holds = |marks: &[&str]| marks.iter().all(|mark| model.contains(mark));
    let thinks = FAMILIES.iter().find(|(marks, _)| holds(marks))?.1.as_ref()?;
    let cannot_stop = || {
        let remedy =
            "the lowest level is used instead; to disable thinking, use a Gemini 2.5 Flash model";
        warn_omitted(API, model, "reasoningEffort: none", remedy);
    };
    match (thinks, effort) {
        (ThinkingSetting::Levels(levels), Some(effort)) => {
            if effort == Effort::None {
                cannot_stop();
            }
            Some((LEVEL, effort.nearest_supported(levels)?.as_str().into()))
        }
        (ThinkingSetting::Levels(_), None) => Some((LEVEL, word.into())),
        (ThinkingSetting::Tokens { can_stop: true, .. }, Some(Effort::None)) => {
            Some((BUDGET, 0.into()))
        }
        (ThinkingSetting::Tokens { least, most, .. }, Some(effort)) => {
            if effort == Effort::None {
                cannot_stop();
            }
            Some((BUDGET, effort.token_budget().clamp(*least, *most).into()))
        }
        (ThinkingSetting::Tokens { .. }, None) => None,
    }
}

impl Serialize for ThinkingConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.given.into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        if let Some((key, value)) = &self.effort {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(model: &str, config: Value) -> Value {
        let config = ThinkingConfig::for_model(model, config.as_object().expect("settings"));
        serde_json::to_value(config).expect("plain data")
    }

    #[test]
    fn thinking_settings_depend_on_the_model_family() {
        for (model, effort, expected) in [
            ("gemini-2.5-flash", "none", json!({"thinkingBudget": 0})),
            ("gemini-2.5-flash", "low", json!({"thinkingBudget": 2048})),
            ("gemini-2.5-flash", "max", json!({"thinkingBudget": 24576})),
            ("gemini-2.5-flash-lite", "minimal", json!({"thinkingBudget": 1024})),
            ("gemini-2.5-pro", "none", json!({"thinkingBudget": 128})),
            ("gemini-2.5-pro", "max", json!({"thinkingBudget": 32768})),
            ("gemini-flash-latest", "medium", json!({"thinkingBudget": 8192})),
            ("gemini-3-flash-preview", "none", json!({"thinkingLevel": "minimal"})),
            ("gemini-3-flash-preview", "medium", json!({"thinkingLevel": "medium"})),
            ("gemini-3-flash-preview", "max", json!({"thinkingLevel": "high"})),
            ("gemini-3-flash-preview", "newest", json!({"thinkingLevel": "newest"})),
            ("gemini-3-pro-preview", "minimal", json!({"thinkingLevel": "low"})),
            ("gemini-3-pro-preview", "medium", json!({"thinkingLevel": "high"})),
            ("gemini-3.1-pro-preview", "medium", json!({"thinkingLevel": "medium"})),
            ("gemini-2.5-flash", "newest", Value::Null),
            ("gemini-2.0-flash", "high", Value::Null),
            ("gemini-2.5-flash-image", "high", Value::Null),
            ("gemma-3-27b-it", "high", Value::Null),
        ] {
            assert_eq!(
                sent(model, json!({"reasoningEffort": effort})),
                expected,
                "{model} {effort}"
            );
        }
    }

    #[test]
    fn api_settings_take_precedence() {
        let with = |given: Value| {
            sent("gemini-2.5-flash", json!({"reasoningEffort": "low", "thinkingConfig": given}))
        };
        assert_eq!(with(json!({"thinkingBudget": 7})), json!({"thinkingBudget": 7}));
        let both = json!({"includeThoughts": true, "thinkingBudget": 2048});
        assert_eq!(with(json!({"includeThoughts": true})), both);
        assert_eq!(sent("gemini-2.5-flash", json!({"thinkingConfig": {}})), Value::Null);
    }
}
