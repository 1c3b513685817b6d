//! Retries of the steps of a durable run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use genkit_core::internal::status::{kind_from_name, status_name};
use genkit_core::{Error, ErrorKind, ToolRetry};

/// The maximum number of retries of a step that fails with a temporary error. Default is 4, which makes 5 attempts.
const MAX_RETRIES: u32 = 4;

/// The delay before the first retry. Default is 1 second.
const INITIAL_DELAY: Duration = Duration::from_secs(1);

/// The factor by which each delay is multiplied to get the next delay. Default is 4.
const BACKOFF: u32 = 4;

/// The maximum delay between two attempts. Default is 5 minutes.
const MAX_DELAY: Duration = Duration::from_secs(300);

/// The retry policy of a step of a durable run: the number of retries, the delays, and the errors that are retried.
///
/// By default, a step that fails with a [retryable](Error::is_retryable) error is retried up to 4 times, after 1, 4, 16
/// and 64 seconds, or later if the server requests a longer wait. In the meantime, the run is suspended in the store.
///
/// ```
/// use std::time::Duration;
///
/// use genkit::ErrorKind;
/// use genkit::durable::{DurableOptions, RetryPolicy};
///
/// let patient = RetryPolicy::new().max_retries(20).max_delay(Duration::from_secs(3600));
/// let options = DurableOptions::new()
///     .retry(patient) // model calls of the run, or its flow
///     .retry_tool("book", RetryPolicy::new().kinds([ErrorKind::Unavailable]));
/// # let _ = options;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[must_use = "a policy does nothing until a run is created with it"]
pub struct RetryPolicy {
    max_retries: u32,
    #[serde(alias = "firstWait")]
    initial_delay: Duration,
    backoff: u32,
    #[serde(alias = "longestWait")]
    max_delay: Duration,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<String>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: MAX_RETRIES,
            initial_delay: INITIAL_DELAY,
            backoff: BACKOFF,
            max_delay: MAX_DELAY,
            kinds: Vec::new(),
        }
    }
}

impl From<ToolRetry> for RetryPolicy {
    fn from(retry: ToolRetry) -> Self {
        Self::new()
            .max_retries(retry.max_retries.unwrap_or(MAX_RETRIES))
            .initial_delay(retry.initial_delay.unwrap_or(INITIAL_DELAY))
            .backoff(retry.backoff.unwrap_or(BACKOFF))
            .max_delay(retry.max_delay.unwrap_or(MAX_DELAY))
    }
}

impl RetryPolicy {
    /// Creates the default policy.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of retries of a step. Default is 4. With 0, the first error is final.
    pub fn max_retries(self, times: u32) -> Self {
        Self { max_retries: times, ..self }
    }

    /// Sets the delay before the first retry. Default is 1 second.
    pub fn initial_delay(self, delay: Duration) -> Self {
        Self { initial_delay: delay, ..self }
    }

    /// Sets the factor by which each delay is multiplied to get the next delay. Default is 4; 1 makes all delays equal.
    pub fn backoff(self, factor: u32) -> Self {
        Self { backoff: factor.max(1), ..self }
    }

    /// Sets the maximum delay between two attempts. Default is 5 minutes; if a server requests a
    /// longer wait, the run waits for that time.
    pub fn max_delay(self, delay: Duration) -> Self {
        Self { max_delay: delay, ..self }
    }

    /// Sets the error kinds that are retried. By default, [retryable](Error::is_retryable) errors are retried.
    pub fn kinds(self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        Self { kinds: kinds.into_iter().map(|kind| status_name(kind).to_owned()).collect(), ..self }
    }

    /// Returns the wait after attempt number `tries`, which failed with `error`. Returns `None` if the error is final.
    pub(crate) fn wait_after(&self, tries: u32, error: &Error) -> Option<Duration> {
        let is_retried = match self.kinds.is_empty() {
            true => error.is_retryable(),
            false => self.kinds.iter().any(|kind| kind_from_name(kind) == Some(error.kind())),
        };
        self.wait_before_retry(tries, error.retry_after()).filter(|_| is_retried)
    }

    /// Returns the wait for a function, whose internal errors are retried only if the policy names their kind.
    pub(crate) fn wait_after_function(&self, tries: u32, error: &Error) -> Option<Duration> {
        let is_final = error.kind() == ErrorKind::Internal && self.kinds.is_empty();
        self.wait_after(tries, error).filter(|_| !is_final)
    }

    /// Returns the wait after attempt number `tries`, which is longer if the server requests it. Returns `None` after
    /// the last attempt.
    pub(crate) fn wait_before_retry(
        &self,
        tries: u32,
        asked: Option<Duration>,
    ) -> Option<Duration> {
        let factor = self.backoff.saturating_pow(tries.saturating_sub(1));
        let wait = self.initial_delay.saturating_mul(factor).min(self.max_delay);
        (tries <= self.max_retries).then(|| wait.max(asked.unwrap_or(Duration::ZERO)))
    }
}
