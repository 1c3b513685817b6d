//! Reasoning effort: how much a model thinks before it responds.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The name of the setting in Genkit's JSON.
pub const REASONING_EFFORT: &str = "reasoningEffort";

/// The reasoning effort: how much a model thinks before it responds.
///
/// Each provider receives the effort in its own form: a keyword or a number of tokens. A level that a model does not
/// support is replaced with the next higher one, or with the highest if there is none. A model without reasoning
/// ignores the effort, and a warning is logged.
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
/// In Genkit's JSON, this is the setting `reasoningEffort`. To set a provider's own keyword, use `config`:
/// `{"reasoningEffort": "xhigh"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Effort {
    /// No reasoning, or as little as the model supports.
    None,
    /// Minimal reasoning.
    Minimal,
    /// Little reasoning.
    Low,
    /// As much reasoning as most tasks need.
    Medium,
    /// Much reasoning.
    High,
    /// As much reasoning as the model supports.
    Max,
}

impl Effort {
    /// Returns the keyword in Genkit's JSON.
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

    /// Returns the effort in the settings. Returns `None` if it is not set, or is a provider's own keyword.
    #[doc(hidden)]
    pub fn from_config(config: &Map<String, Value>) -> Option<Self> {
        let word = config.get(REASONING_EFFORT)?.as_str()?;
        let all = [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Max];
        all.into_iter().find(|effort| effort.as_str() == word)
    }

    /// Returns the lowest of the supported levels `has` (in ascending order) that is at least this level, otherwise the
    /// highest. Returns `None` if `has` is empty.
    #[doc(hidden)]
    pub fn nearest_supported(self, has: &[Self]) -> Option<Self> {
        has.iter().find(|has| **has >= self).or(has.last()).copied()
    }

    /// Returns the number of reasoning tokens, for APIs that use a token budget. The model's limits also apply.
    #[doc(hidden)]
    pub fn token_budget(self) -> u32 {
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
