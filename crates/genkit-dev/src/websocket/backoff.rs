//! The delay before reconnecting.

use std::time::Duration;

/// The first delay. Default is 500 milliseconds, doubled each time.
const INITIAL_DELAY: Duration = Duration::from_millis(500);

/// The maximum delay. Default is 5 seconds.
const MAX_DELAY: Duration = Duration::from_secs(5);

/// Delays that double each time.
#[derive(Default)]
pub(super) struct Backoff(Option<Duration>);

impl Backoff {
    pub(super) fn is_first(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn next(&mut self) -> Duration {
        let wait = self.0.map_or(INITIAL_DELAY, |last| (last * 2).min(MAX_DELAY));
        self.0 = Some(wait);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut backoff = Backoff::default();
        assert!(backoff.is_first());
        let waits: Vec<_> = (0..6).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 5000, 5000]);
        assert!(!backoff.is_first());
    }
}
