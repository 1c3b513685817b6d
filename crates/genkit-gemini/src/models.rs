//! The capabilities of the models.

use genkit_model::{Constrained, ModelInfo, Supports};

/// A family of models: all models whose names contain every string in `marks`.
struct ModelFamily {
    marks: &'static [&'static str],
    supports: Supports,
}

const ALL: Supports = Supports::all();

/// Models before Gemini 3 reject JSON output in a request with tools (HTTP 400).
const BEFORE_3: Supports = ALL.with_constrained(Constrained::NoTools);

/// The first family that matches applies.
const FAMILIES: &[ModelFamily] = &[
    ModelFamily {
        marks: &["gemini", "-tts"],
        supports: ALL
            .with_multiturn(false)
            .with_media(false)
            .with_tools(false)
            .with_tool_choice(false)
            .with_system_role(false)
            .with_constrained(Constrained::None),
    },
    ModelFamily {
        marks: &["gemini-3", "-image"],
        supports: ALL.with_tools(false).with_tool_choice(false),
    },
    ModelFamily {
        marks: &["gemini", "-image"],
        supports: ALL.with_tools(false).with_tool_choice(false).with_constrained(Constrained::None),
    },
    ModelFamily { marks: &["gemini-1"], supports: BEFORE_3 },
    ModelFamily { marks: &["gemini-2"], supports: BEFORE_3 },
    ModelFamily { marks: &["gemini"], supports: ALL },
    ModelFamily {
        marks: &["gemma"],
        supports: ALL
            .with_tools(false)
            .with_tool_choice(false)
            .with_system_role(false)
            .with_constrained(Constrained::None),
    },
];

/// Returns the assumed capabilities of a model.
pub(super) fn model_info(model: &str) -> ModelInfo {
    ModelInfo::default()
        .with_label(format!("Google AI - {model}"))
        .with_supports(supported_features(model).clone())
}

fn supported_features(model: &str) -> &'static Supports {
    let fits = |family: &&ModelFamily| family.marks.iter().all(|mark| model.contains(mark));
    // For a tuned model or an unknown name, exclude only the features that most models reject.
    FAMILIES.iter().find(fits).map_or(&BEFORE_3, |family| &family.supports)
}

/// Returns whether the model supports JSON output.
pub(super) fn supports_json(model: &str) -> bool {
    supported_features(model).constrained != Constrained::None
}

/// Returns whether the model supports JSON output in a request with tools.
pub(super) fn supports_json_with_tools(model: &str) -> bool {
    supported_features(model).constrained == Constrained::All
}

/// Returns whether a function response may contain media, which is supported since Gemini 3.
pub(super) fn supports_media_in_responses(model: &str) -> bool {
    let number = model.strip_prefix("gemini-").unwrap_or_default();
    let major = number.split(['.', '-']).next().unwrap_or_default();
    major.parse::<u32>().is_ok_and(|major| major >= 3)
}

/// Returns the name without the prefixes that other libraries use.
pub(super) fn bare_name(name: &str) -> &str {
    let mut name = name.trim_matches('/');
    for prefix in ["gemini/", "googleai/", "google-genai/", "models/"] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bare() {
        for (name, expected) in [
            ("gemini-2.5-flash", "gemini-2.5-flash"),
            ("models/gemini-2.5-flash", "gemini-2.5-flash"),
            ("googleai/models/x", "x"),
            ("tunedModels/mine-1", "tunedModels/mine-1"),
        ] {
            assert_eq!(bare_name(name), expected);
        }
    }

    #[test]
    fn capabilities_depend_on_the_model_family() {
        let supports = |model: &str| model_info(model).supports.unwrap();
        assert_eq!(supports("gemini-2.5-flash").constrained, Constrained::NoTools);
        assert_eq!(supports("gemini-3-flash-preview").constrained, Constrained::All);
        assert_eq!(supports("gemini-flash-latest").constrained, Constrained::All);
        assert_eq!(supports("tunedModels/x").constrained, Constrained::NoTools);
        assert!(!supports("gemini-2.5-flash-preview-tts").multiturn);
        assert!(!supports("gemini-2.5-flash-image").tools);
        assert!(supports("gemini-2.5-flash-image").media);
        assert!(!supports("gemma-3-27b-it").system_role);
        assert!(supports_media_in_responses("gemini-3-pro-preview"));
        assert!(supports_media_in_responses("gemini-3.1-pro-preview"));
        assert!(!supports_media_in_responses("gemini-2.5-pro"));
    }
}
