//! The target of a call, and the capabilities of models by name.

use super::servers::Deviations;
use genkit_core::internal::glob::matches_glob;
use genkit_model::internal::signature;

/// Models that only the Responses API supports.
const RESPONSES_ONLY: [&str; 10] = [
    "o1-pro*",
    "o3-pro*",
    "gpt-5-pro*",
    "gpt-5.*-pro*",
    "gpt-5-codex*",
    "gpt-5.*-codex*",
    "codex-mini*",
    "o3-deep-research*",
    "o4-mini-deep-research*",
    "computer-use-preview*",
];

/// Models that do not support streaming.
const WITHOUT_STREAMING: [&str; 4] = ["o1-pro*", "o3-pro*", "gpt-5-pro*", "gpt-5.*-pro*"];

/// Models that do not reason, and reject reasoning items and settings. All newer models reason.
const WITHOUT_REASONING: [&str; 4] = ["gpt-3*", "gpt-4*", "chatgpt-4*", "gpt-5-chat*"];

/// The first version of GPT that searches tools.
const FIRST_WITH_SEARCH: (u32, u32) = (5, 4);

/// Newer models that do not search tools.
const WITHOUT_SEARCH: [&str; 1] = ["gpt-5.4-nano*"];

fn is_one(patterns: &[&str], model: &str) -> bool {
    // A fine-tuned model has a name that contains its base model: `ft:gpt-4o:…`.
    let name = model.strip_prefix("ft:").unwrap_or(model).to_ascii_lowercase();
    patterns.iter().any(|pattern| matches_glob(pattern, &name))
}

pub(crate) fn needs_responses(model: &str) -> bool {
    is_one(&RESPONSES_ONLY, model)
}

pub(crate) fn is_streamed(model: &str) -> bool {
    !is_one(&WITHOUT_STREAMING, model)
}

pub(crate) fn is_reasoning(model: &str) -> bool {
    !is_one(&WITHOUT_REASONING, model)
}

pub(crate) fn searches_tools(model: &str) -> bool {
    let name = model.strip_prefix("ft:").unwrap_or(model);
    let version = name.strip_prefix("gpt-").and_then(|rest| {
        let version = rest.split(['-', ':']).next()?;
        let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
        Some((major.parse::<u32>().ok()?, minor.parse().ok()?))
    });
    version >= Some(FIRST_WITH_SEARCH) && !is_one(&WITHOUT_SEARCH, model)
}

/// The server and model that a call is sent to.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The name of the provider in errors.
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) deviations: &'a Deviations,
}

/// The traits of a model, derived from its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModelTraits {
    /// Whether it is one of OpenAI's reasoning models.
    pub(crate) reasons: bool,
    /// Whether it rejects sampling settings such as `temperature`.
    pub(crate) fixed_sampling: bool,
    pub(crate) deepseek: bool,
    pub(crate) gemini: bool,
    /// Whether it is a Gemini model that rejects tool calls without a signature.
    pub(crate) checks_calls: bool,
}

impl ModelTraits {
    pub(crate) fn for_model(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let is_o = name.strip_prefix('o').is_some_and(digit);
        let reasons = is_o || name.starts_with("gpt-5");
        // Since GPT-5.1, these models accept a temperature if they do not reason.
        let is_newer = name.starts_with("gpt-5.") || name.starts_with("gpt-5-chat");
        let fixed_sampling = reasons && !is_newer;
        let (deepseek, gemini) = (name.starts_with("deepseek"), name.starts_with("gemini"));
        let checks_calls = signature::checks_calls(&name);
        Self { reasons, fixed_sampling, deepseek, gemini, checks_calls }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_without_chat_completions_are_known() {
        for model in [
            "o1-pro",
            "o1-pro-2025-03-19",
            "o3-pro",
            "gpt-5-pro",
            "gpt-5.2-pro-2025-12-11",
            "gpt-5.5-pro",
            "gpt-5-codex",
            "gpt-5.1-codex-max",
            "gpt-5.3-codex",
            "codex-mini-latest",
            "o4-mini-deep-research",
            "computer-use-preview-2025-03-11",
        ] {
            assert!(needs_responses(model), "{model}");
        }
        for model in
            ["o1", "o3", "o3-mini", "gpt-5", "gpt-5.4-mini", "gpt-4o", "ft:gpt-4o:me::codex"]
        {
            assert!(!needs_responses(model), "{model}");
        }
    }

    #[test]
    fn models_since_5_4_search_tools() {
        for model in ["gpt-5.4", "gpt-5.4-mini", "gpt-5.6-luna", "gpt-6", "ft:gpt-5.4:me::1"] {
            assert!(searches_tools(model), "{model}");
        }
        for model in ["gpt-5.4-nano", "gpt-5.3-codex", "gpt-5-2025-08-07", "gpt-4o", "o3", "grok-5"]
        {
            assert!(!searches_tools(model), "{model}");
        }
    }

    #[test]
    fn reasoning_and_streaming_models_are_recognized() {
        assert!(
            ["o3", "gpt-5-mini", "gpt-6", "codex-mini-latest"].iter().all(|it| is_reasoning(it))
        );
        assert!(
            !["gpt-4o", "GPT-4.1-mini", "ft:gpt-4o:me::1", "gpt-5-chat-latest"]
                .iter()
                .any(|it| is_reasoning(it))
        );
        assert!(is_streamed("gpt-5-codex") && is_streamed("gpt-5") && !is_streamed("gpt-5.2-pro"));
    }
}
