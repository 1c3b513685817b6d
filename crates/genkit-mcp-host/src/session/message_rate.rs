//! The rate of messages.

use std::time::{Duration, Instant};

/// Counts the messages within the current second.
pub(crate) struct MessageRate {
    since: Instant,
    count: u32,
}

impl Default for MessageRate {
    fn default() -> Self {
        Self { since: Instant::now(), count: 0 }
    }
}

impl MessageRate {
    /// Counts a message, and returns the count of this second.
    pub(crate) fn count_message(&mut self) -> u32 {
        if self.since.elapsed() > Duration::from_secs(1) {
            *self = Self::default();
        }
        self.count = self.count.saturating_add(1);
        self.count
    }
}
