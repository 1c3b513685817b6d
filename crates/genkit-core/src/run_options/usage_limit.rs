//! Usage limit: what a run may use of its model.

use serde::{Deserialize, Serialize};

/// Usage limit: how many tokens and model calls a run may use. See
/// `Generate::usage_limit`.
///
/// ```
/// use genkit::generate::UsageLimit;
///
/// let limit = UsageLimit::tokens(50_000).output_tokens(8_000).requests(10);
/// assert_eq!((limit.tokens, limit.requests), (Some(50_000), Some(10)));
/// let calls_alone = UsageLimit::of_requests(3);
/// assert_eq!(serde_json::to_value(calls_alone).unwrap(), serde_json::json!({"requests": 3}));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct UsageLimit {
    /// All tokens, of requests and of answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Tokens of requests, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
}

impl UsageLimit {
    /// Usage limit on all tokens, of requests and of answers.
    pub fn tokens(most: u64) -> Self {
        Self { tokens: Some(most), ..Self::default() }
    }

    /// Usage limit on model calls alone.
    pub fn of_requests(most: u64) -> Self {
        Self::default().requests(most)
    }

    /// Sets the limit on the tokens of requests, cached ones included.
    #[must_use]
    pub fn input_tokens(mut self, most: u64) -> Self {
        self.input_tokens = Some(most);
        self
    }

    /// Sets the limit on the tokens of answers.
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

    /// Whether tokens are limited at all.
    pub fn counts_tokens(&self) -> bool {
        self.tokens.or(self.input_tokens).or(self.output_tokens).is_some()
    }
}
