//! The reasoning efforts of OpenAI's models.

use genkit_core::Effort;
use genkit_core::Effort::{High, Low, Max, Medium, Minimal, None as Off};

/// The efforts that each family of models supports, lowest first. The first entry whose prefix
/// matches applies.
const FAMILIES: &[(&str, &[Effort])] = &[
    ("gpt-3", &[]),
    ("gpt-4", &[]),
    ("chatgpt", &[]),
    ("gpt-5-chat", &[]),
    ("gpt-5-pro", &[High]),
    ("gpt-5.1-codex-max", NEWEST),
    ("gpt-5.1", &[Off, Low, Medium, High]),
    ("gpt-5.", NEWEST),
    ("gpt-5", &[Minimal, Low, Medium, High]),
    ("gpt-oss", REASONED),
    ("o1-mini", &[]),
    ("o1-preview", &[]),
    ("o1", REASONED),
    ("o3", REASONED),
    ("o4", REASONED),
];

const REASONED: &[Effort] = &[Low, Medium, High];

/// The efforts of OpenAI models with an unknown name.
const NEWEST: &[Effort] = &[Off, Low, Medium, High, Max];

/// The efforts that the models of all other providers support.
const OTHERS: &[Effort] = &[Off, Minimal, Low, Medium, High];

/// Returns the word for `effort` in a request to `model`. An effort that the model does not support is replaced with
/// the next higher one, or with the highest if there is none. `is_openai` selects the default for models with an
/// unknown name. Returns `None` if the model does not reason.
pub(crate) fn effort_word(model: &str, effort: Effort, is_openai: bool) -> Option<&'static str> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let family = FAMILIES.iter().find(|(prefix, _)| name.starts_with(prefix));
    let has = family.map_or(if is_openai { NEWEST } else { OTHERS }, |(_, has)| has);
    let nearest = effort.nearest_supported(has)?;
    Some(if nearest == Max { "xhigh" } else { nearest.as_str() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_gets_the_nearest_that_it_has() {
        for (model, effort, word) in [
            ("o4-mini", Low, Some("low")),
            ("o4-mini", Off, Some("low")),
            ("o3", Max, Some("high")),
            ("gpt-5-mini", Off, Some("minimal")),
            ("gpt-5-mini", Max, Some("high")),
            ("gpt-5-pro", Low, Some("high")),
            ("gpt-5.1", Off, Some("none")),
            ("gpt-5.1", Minimal, Some("low")),
            ("gpt-5.1", Max, Some("high")),
            ("gpt-5.2", Max, Some("xhigh")),
            ("gpt-9", Max, Some("xhigh")),
            ("openai/gpt-oss-120b", Max, Some("high")),
            ("gpt-4o", High, None),
            ("gpt-5-chat-latest", Low, None),
        ] {
            assert_eq!(effort_word(model, effort, true), word, "{model} {effort:?}");
        }
        assert_eq!(effort_word("qwen3", Max, false), Some("high"));
        assert_eq!(effort_word("qwen3", Minimal, false), Some("minimal"));
    }
}
