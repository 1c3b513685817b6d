//! Retry: repeats model calls that failed with a temporary error.

use std::time::Duration;

use super::NextModel;
use super::chain::impl_model_middleware;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::ChunkSink;

/// The maximum number of retries of a failed model call. Default is 3.
const MAX_RETRIES: u32 = 3;

/// The delay before the first retry. Default is 1 second; it doubles with each retry.
const INITIAL_DELAY: Duration = Duration::from_secs(1);

/// The maximum delay between two attempts. If the server requests a longer wait, the error is returned. Default is 60
/// seconds.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// Middleware that retries failed model calls; created by [`retry()`].
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    max_retries: u32,
    initial_delay: Duration,
    max_delay: Duration,
    jitter: bool,
}

/// Creates middleware that retries a model call after a [retryable](Error::is_retryable) error. It retries up to 3
/// times, after 1, 2 and 4 seconds plus a random delay of up to the same duration, or after the time that the server
/// requests. A call that has already delivered chunks is not retried.
///
/// ```
/// use genkit::middleware::retry;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Error, ErrorKind};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::new([
///     Err(Error::new(ErrorKind::Unavailable, "overloaded")),
///     Ok(ModelResponse::from_text("here I am")),
/// ]);
/// let patient = retry().max_retries(5).initial_delay(Duration::from_millis(1));
/// let response = genkit::generate("hello?").model(model).middleware(patient).await?;
/// assert_eq!(response.text(), "here I am");
/// # Ok(())
/// # }
/// ```
pub fn retry() -> Retry {
    Retry {
        max_retries: MAX_RETRIES,
        initial_delay: INITIAL_DELAY,
        max_delay: MAX_DELAY,
        jitter: true,
    }
}

impl Retry {
    /// Sets the maximum number of retries. Default is 3.
    #[must_use]
    pub fn max_retries(mut self, times: u32) -> Self {
        self.max_retries = times;
        self
    }

    /// Sets the delay before the first retry, which doubles with each retry. Default is 1 second.
    #[must_use]
    pub fn initial_delay(mut self, delay: Duration) -> Self {
        self.initial_delay = delay;
        self
    }

    /// Sets the maximum delay between two attempts. If the server requests a longer wait, the error is returned. Default
    /// is 60 seconds.
    #[must_use]
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets whether waits have jitter: a random extra delay of up to the same duration, so that clients do not all
    /// retry at the same time. Default is `true`. `false` makes waits exact, for tests.
    #[must_use]
    pub fn jitter(mut self, yes: bool) -> Self {
        self.jitter = yes;
        self
    }

    /// Returns the wait before the retry with this index, starting at 0. Returns `None` if the call should not be
    /// retried.
    fn wait_before(&self, error: &Error, retry: u32) -> Option<Duration> {
        if retry >= self.max_retries || !error.is_retryable() {
            return None;
        }
        if let Some(wait) = error.retry_after() {
            return (wait <= self.max_delay).then_some(wait);
        }
        let doubled = self.initial_delay.saturating_mul(2_u32.saturating_pow(retry));
        let wait = if self.jitter { doubled.mul_f64(1.0 + random_fraction()) } else { doubled };
        Some(wait.min(self.max_delay))
    }
}

impl Retry {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let mut retries = 0;
        loop {
            let sent = chunks.count();
            let error = match next.clone().run(request, chunks).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let wait = self.wait_before(&error, retries).filter(|_| chunks.count() == sent);
            let Some(wait) = wait else { return Err(error) };
            retries += 1;
            tracing::warn!(error = %Logged::text(&error), ?wait, retries, "retrying a failed model call");
            tokio::time::sleep(wait).await;
        }
    }
}

impl_model_middleware!(Retry);

/// Returns a number from 0 to 1, random enough to spread clients.
fn random_fraction() -> f64 {
    use std::hash::{BuildHasher as _, RandomState};
    let bits = RandomState::new().hash_one(std::time::SystemTime::now()) >> 11;
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let chance = bits as f64 / (1_u64 << 53) as f64;
    chance
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;

    #[test]
    fn waits_double_up_to_a_limit() {
        let retry = retry().max_retries(10).jitter(false);
        let error = Error::new(ErrorKind::Unavailable, "x");
        let waits: Vec<u64> =
            (0..8).map(|n| retry.wait_before(&error, n).expect("retryable").as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(retry.wait_before(&error, 10), None);
    }

    #[test]
    fn retry_after_of_the_server_is_used() {
        let after = |seconds| {
            let error = Error::new(ErrorKind::ResourceExhausted, "x");
            retry().wait_before(&error.with_retry_after(Duration::from_secs(seconds)), 0)
        };
        assert_eq!(after(5), Some(Duration::from_secs(5)));
        assert_eq!(after(60), Some(Duration::from_secs(60)));
        assert_eq!(after(61), None, "longer than the maximum delay");
    }

    #[test]
    fn permanent_error_is_not_retried() {
        assert_eq!(retry().wait_before(&Error::invalid_argument("x"), 0), None);
        let quota = Error::new(ErrorKind::ResourceExhausted, "x").with_retryable(false);
        assert_eq!(retry().wait_before(&quota, 0), None);
    }
}
