//! Reasoning effort: how much a model thinks before it answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The setting in Genkit's JSON.
pub const REASONING_EFFORT: &str = "reasoningEffort";

/// Reasoning effort: how much a model thinks before it answers.
///
/// Each provider says it in its own way, as a word or as a number of tokens; what a model does not
/// have becomes the nearest that it has. One without reasoning goes without, and a warning says so.
///
/// ```
/// use genkit::model::Effort;
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::text("42");
/// genkit::generate("What is 6 times 7?").model(model.clone()).reasoning(Effort::Low).await?;
/// assert_eq!(model.requests()[0].config["reasoningEffort"], "low");
/// # Ok(())
/// # }
/// ```
///
/// In Genkit's JSON it is the setting `reasoningEffort`, beside `temperature`. A word of a provider's own goes
/// through `config` as it is: `{"reasoningEffort": "xhigh"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Effort {
    /// It does not think, or as little as it can.
    None,
    /// Hardly.
    Minimal,
    /// Little.
    Low,
    /// As much as most tasks need.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    Max,
}

impl Effort {
    /// The word in Genkit's JSON.
    ///
    /// ```
    /// assert_eq!(genkit::model::Effort::Medium.as_str(), "medium");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Max => "max",
        }
    }

    /// The effort that settings ask for; `None` where they say nothing, or a word of a provider's own.
    #[allow(dead_code, reason = "each provider maps it")]
    pub fn of_config(config: &Map<String, Value>) -> Option<Self> {
        let word = config.get(REASONING_EFFORT)?.as_str()?;
        let all = [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Max];
        all.into_iter().find(|effort| effort.as_str() == word)
    }

    /// The nearest of those that a model `has`, the least first, and rather more than less; `None` where there are none.
    #[allow(dead_code, reason = "each provider maps it")]
    pub fn nearest(self, has: &[Self]) -> Option<Self> {
        has.iter().find(|has| **has >= self).or(has.last()).copied()
    }

    /// How many tokens of thought it is, for APIs that count them; a model's own bounds come on top.
    #[allow(dead_code, reason = "each provider maps it")]
    pub fn budget(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Minimal => 1_024,
            Self::Low => 2_048,
            Self::Medium => 8_192,
            Self::High => 24_576,
            Self::Max => 32_768,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_word_of_ours_is_an_effort_and_another_is_not() {
        for effort in [Effort::None, Effort::Minimal, Effort::Low, Effort::High, Effort::Max] {
            assert_eq!(serde_json::to_value(effort).unwrap(), effort.as_str());
            let config = json!({"reasoningEffort": effort});
            assert_eq!(Effort::of_config(config.as_object().unwrap()), Some(effort));
        }
        for other in [json!({}), json!({"reasoningEffort": "xhigh"}), json!({"reasoningEffort": 5})]
        {
            assert_eq!(Effort::of_config(other.as_object().unwrap()), None, "{other}");
        }
        assert!(Effort::Low < Effort::High && Effort::Low.budget() < Effort::High.budget());
    }
}
