//! Usage limits: the maximum model usage of a run.

use serde::{Deserialize, Serialize};

/// The usage limit of a run, in tokens and model calls. `None` means unlimited. See `Generate::usage_limit`.
///
/// ```
/// use genkit::generate::UsageLimit;
///
/// let limit = UsageLimit::new().tokens(50_000).output_tokens(8_000).requests(10);
/// assert_eq!((limit.tokens, limit.requests), (Some(50_000), Some(10)));
/// let calls_alone = UsageLimit::new().requests(3);
/// assert_eq!(serde_json::to_value(calls_alone).unwrap(), serde_json::json!({"requests": 3}));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct UsageLimit {
    /// The maximum total number of tokens, in requests and responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The maximum number of request tokens, including cached tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The maximum number of response tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The maximum number of model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
}

impl UsageLimit {
    /// Creates a limit that allows any usage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limit on the total number of tokens, in requests and responses.
    #[must_use]
    pub fn tokens(mut self, most: u64) -> Self {
        self.tokens = Some(most);
        self
    }

    /// Sets the limit on request tokens, including cached tokens.
    #[must_use]
    pub fn input_tokens(mut self, most: u64) -> Self {
        self.input_tokens = Some(most);
        self
    }

    /// Sets the limit on response tokens.
    #[must_use]
    pub fn output_tokens(mut self, most: u64) -> Self {
        self.output_tokens = Some(most);
        self
    }

    /// Sets the limit on model calls.
    #[must_use]
    pub fn requests(mut self, most: u64) -> Self {
        self.requests = Some(most);
        self
    }

    /// Returns whether the number of tokens is limited.
    #[doc(hidden)]
    pub fn counts_tokens(&self) -> bool {
        self.tokens.or(self.input_tokens).or(self.output_tokens).is_some()
    }
}
