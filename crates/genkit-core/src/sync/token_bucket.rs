//! The rate limit of requests: a token bucket that takes the current time as an argument.

use std::time::Instant;

/// The requests that a client can still send, refilled over time up to one second's worth.
pub struct TokenBucket {
    per_second: u32,
    tokens: f64,
    filled: Instant,
}

impl TokenBucket {
    pub fn full(per_second: u32, now: Instant) -> Self {
        Self { per_second, tokens: f64::from(per_second), filled: now }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// Returns the number of requests per second if no token is left.
    pub fn take_token(&mut self, now: Instant) -> Result<(), u32> {
        let limit = f64::from(self.per_second);
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.tokens = (self.tokens + passed * limit).min(limit);
        self.filled = now;
        if self.tokens < 1.0 {
            return Err(self.per_second);
        }
        self.tokens -= 1.0;
        Ok(())
    }
}
