//! The capabilities of the models.

use genkit_model::{Constrained, ModelInfo, Supports};

/// The thinking settings that a model accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThinkingMode {
    /// The model does not think.
    No,
    /// With a token budget.
    Budget,
    /// Adaptive, by effort; a token budget is supported too.
    AdaptiveOrBudget,
    /// Adaptive, by effort.
    Adaptive,
    /// Always on, by effort; the model cannot be forced to call a tool.
    Always,
}

/// The capabilities of a model that affect requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaudeTraits {
    pub(super) thinking: ThinkingMode,
    /// The highest effort that the model supports, `high` or `max`; `None` if it does not support effort.
    pub(super) max_effort: Option<&'static str>,
    /// The maximum number of tokens of a response.
    pub(super) max_output: u32,
    /// Whether it supports `temperature`, `top_p` and `top_k`.
    pub(super) samples: bool,
    /// Whether it supports `temperature` together with `top_p`.
    pub(super) supports_both_sampling_settings: bool,
    /// Whether the API can constrain its output to a schema.
    pub(super) supports_output_schema: bool,
    /// Whether it can search deferred tools.
    pub(super) searches: bool,
}

/// The token limit of a response if the request sets no limit: enough for a long text, and low enough
/// that a call without streaming finishes before the timeout.
const USUAL_OUTPUT: u32 = 16_000;

/// The token limit of a response with the effort `xhigh` or `max`, if the request sets no limit.
const DEEP_OUTPUT: u32 = 64_000;

/// The traits of a family's models from version `since` on. If `family` is `None`, they apply to all families.
struct ModelEra {
    family: Option<&'static str>,
    since: (u32, u32),
    traits: ClaudeTraits,
}

const fn model_era(
    family: Option<&'static str>,
    since: (u32, u32),
    traits: ClaudeTraits,
) -> ModelEra {
    ModelEra { family, since, traits }
}

/// The traits of the newest models, which are assumed for a name without a version.
const NEWEST: ClaudeTraits = ClaudeTraits {
    thinking: ThinkingMode::Adaptive,
    max_effort: Some("max"),
    max_output: 128_000,
    samples: false,
    supports_both_sampling_settings: false,
    supports_output_schema: true,
    searches: true,
};

const ALWAYS: ClaudeTraits = ClaudeTraits { thinking: ThinkingMode::Always, ..NEWEST };
const BOTH: ClaudeTraits =
    ClaudeTraits { thinking: ThinkingMode::AdaptiveOrBudget, samples: true, ..NEWEST };
const WITH_BUDGET: ClaudeTraits = ClaudeTraits {
    thinking: ThinkingMode::Budget,
    max_effort: None,
    max_output: 64_000,
    samples: true,
    supports_both_sampling_settings: false,
    supports_output_schema: true,
    searches: true,
};
const FIRST_OF_4: ClaudeTraits = ClaudeTraits {
    supports_both_sampling_settings: true,
    supports_output_schema: false,
    searches: false,
    ..WITH_BUDGET
};
const BEFORE_THINKING: ClaudeTraits =
    ClaudeTraits { thinking: ThinkingMode::No, max_output: 8_192, ..FIRST_OF_4 };

/// The first entry that matches applies.
const ERAS: &[ModelEra] = &[
    model_era(Some("opus"), (5, 5), ALWAYS),
    model_era(Some("fable"), (0, 0), ClaudeTraits { supports_output_schema: false, ..ALWAYS }),
    model_era(Some("mythos"), (0, 0), ClaudeTraits { supports_output_schema: false, ..ALWAYS }),
    model_era(Some("opus"), (4, 7), NEWEST),
    model_era(Some("opus"), (4, 6), BOTH),
    model_era(Some("opus"), (4, 5), ClaudeTraits { max_effort: Some("high"), ..WITH_BUDGET }),
    model_era(
        Some("opus"),
        (4, 1),
        ClaudeTraits { max_output: 32_000, searches: false, ..WITH_BUDGET },
    ),
    model_era(Some("opus"), (4, 0), ClaudeTraits { max_output: 32_000, ..FIRST_OF_4 }),
    model_era(None, (5, 0), NEWEST),
    model_era(Some("sonnet"), (4, 6), ClaudeTraits { max_output: 64_000, ..BOTH }),
    model_era(None, (4, 6), NEWEST),
    model_era(None, (4, 5), WITH_BUDGET),
    model_era(None, (3, 7), FIRST_OF_4),
    model_era(None, (3, 5), BEFORE_THINKING),
    model_era(None, (0, 1), ClaudeTraits { max_output: 4_096, ..BEFORE_THINKING }),
];

impl ClaudeTraits {
    pub(super) fn for_model(model: &str) -> Self {
        let name = model.to_ascii_lowercase().replace('.', "-");
        let name = &name[name.find("claude").unwrap_or(0)..];
        let version = parse_version(name);
        let is_it = |era: &&ModelEra| {
            era.family.is_none_or(|family| name.contains(family))
                && (version.is_none() && era.since == (0, 0) || version >= Some(era.since))
        };
        let traits = ERAS.iter().find(is_it).map_or(NEWEST, |era| era.traits);
        // Servers that offer other models through this API do not support tool search.
        Self { searches: traits.searches && name.starts_with("claude"), ..traits }
    }

    /// Returns the token limit of a response if the request sets no limit.
    pub(super) fn default_max_output(&self, budget: u32, is_deep: bool) -> u32 {
        let usual = if is_deep { DEEP_OUTPUT } else { USUAL_OUTPUT };
        usual.saturating_add(budget).min(self.max_output)
    }
}

/// Returns the version in a model's name, such as `claude-opus-4-8` or `claude-3-5-haiku-20241022`.
fn parse_version(name: &str) -> Option<(u32, u32)> {
    // A date is not a version, and neither is a suffix that cloud providers add after `@` or `:`.
    let name = name.split(['@', ':']).next().unwrap_or(name);
    let number = |word: &str| word.parse::<u32>().ok().filter(|_| word.len() < 3);
    let mut words = name.split('-').skip_while(|word| number(word).is_none());
    let major = words.next().and_then(number)?;
    Some((major, words.next().and_then(number).unwrap_or(0)))
}

/// Returns the assumed capabilities of a model.
pub(super) fn model_info(model: &str) -> ModelInfo {
    let traits = ClaudeTraits::for_model(model);
    let constrained =
        if traits.supports_output_schema { Constrained::All } else { Constrained::None };
    let supports = Supports::all().with_constrained(constrained);
    ModelInfo::default()
        .with_label(format!("Anthropic - {model}"))
        .with_supports(supports.with_tool_search(traits.searches))
}

/// Returns the name without the prefix that other libraries use.
pub(super) fn bare_name(name: &str) -> &str {
    let name = name.trim_matches('/');
    name.strip_prefix("anthropic/").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_versions() {
        for (name, expected) in [
            ("claude-opus-4-8", Some((4, 8))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("claude-3-5-haiku-20241022", Some((3, 5))),
            ("claude-3-haiku-20240307", Some((3, 0))),
            ("claude-opus-4-5@20251101", Some((4, 5))),
            ("claude-fable-5", Some((5, 0))),
            ("mine", None),
        ] {
            assert_eq!(parse_version(name), expected, "{name}");
        }
    }

    #[test]
    fn traits_depend_on_the_model_version() {
        let of = ClaudeTraits::for_model;
        assert_eq!(of("claude-3-haiku-20240307").max_output, 4_096);
        assert_eq!(of("claude-3-5-sonnet-20241022").thinking, ThinkingMode::No);
        assert_eq!(of("claude-3-7-sonnet-20250219").thinking, ThinkingMode::Budget);
        assert!(
            !of("claude-sonnet-4-20250514").supports_output_schema
                && of("claude-opus-4-1").supports_output_schema
        );
        assert!(of("claude-haiku-4-5").searches && !of("claude-opus-4-1").searches);
        // Models of other vendors behind the same API do not support tool search.
        assert!(of("claude-next").searches && !of("kimi-k3").searches);
        assert!(
            of("claude-opus-4-0").supports_both_sampling_settings
                && !of("claude-haiku-4-5").supports_both_sampling_settings
        );
        assert_eq!(of("anthropic/claude-3.5-haiku").thinking, ThinkingMode::No);
        assert_eq!(of("claude-opus-4-5-20251101").max_effort, Some("high"));
        assert_eq!(of("anthropic.claude-sonnet-4-6").thinking, ThinkingMode::AdaptiveOrBudget);
        assert!(of("claude-opus-4-6").samples && !of("claude-opus-4-7").samples);
        assert_eq!(of("claude-opus-5").thinking, ThinkingMode::Adaptive);
        assert_eq!(of("claude-opus-5-5").thinking, ThinkingMode::Always);
        assert_eq!(of("claude-fable-5").thinking, ThinkingMode::Always);
        assert_eq!(of("claude-sonnet-9"), NEWEST);
        assert_eq!(of("claude-next"), NEWEST);
        assert_eq!(model_info("claude-3-haiku").supports.unwrap().constrained, Constrained::None);
        assert_eq!(of("claude-3-haiku").default_max_output(0, false), 4_096);
        assert_eq!(of("claude-sonnet-4-5").default_max_output(24_000, false), 40_000);
        assert_eq!(of("claude-opus-4-1").default_max_output(24_000, false), 32_000);
    }
}
