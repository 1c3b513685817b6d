//! Delays between retries.

use std::time::Duration;

/// A series of delays that double up to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    /// The delay before the first retry.
    pub(crate) first_delay: Duration,
    pub(crate) max_delay: Duration,
    /// The maximum number of retries.
    pub(crate) max_retries: u32,
}

impl Backoff {
    /// Returns the delay before the next retry after `retries` retries, or `None` if no more retries are allowed.
    pub(crate) fn next_delay(self, retries: u32) -> Option<Duration> {
        // Above 2^16 the delay is at its maximum anyway.
        let delay = self.first_delay.saturating_mul(1 << retries.min(16));
        (retries < self.max_retries).then_some(delay.min(self.max_delay))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_maximum_and_end() {
        let seconds = Duration::from_secs;
        let backoff = Backoff { first_delay: seconds(1), max_delay: seconds(5), max_retries: 4 };
        let delays = [0, 1, 2, 3, 4, u32::MAX].map(|retries| backoff.next_delay(retries));
        let delay = |count| Some(seconds(count));
        assert_eq!(delays, [delay(1), delay(2), delay(4), delay(5), None, None]);
        let endless = Backoff { max_retries: u32::MAX, ..backoff };
        assert_eq!(endless.next_delay(u32::MAX - 1), delay(5));
        let large = Backoff { first_delay: Duration::MAX, max_delay: Duration::MAX, ..backoff };
        assert_eq!(large.next_delay(3), Some(Duration::MAX));
    }
}
