//! The rate limit of logging.

use std::time::Duration;

use tokio::time::Instant;

/// How many lines are logged per second.
const LINES: u64 = 1000;

/// Counts the lines of the current second.
#[derive(Default)]
pub(crate) struct LogLimit {
    since: Option<Instant>,
    lines: u64,
}

impl LogLimit {
    /// Returns `None` if the line must not be logged, or else how many lines before it were omitted.
    pub(crate) fn admit(&mut self, now: Instant) -> Option<u64> {
        let mut left_out = 0;
        if self.since.is_none_or(|since| now - since >= Duration::from_secs(1)) {
            left_out = self.left_out();
            (self.since, self.lines) = (Some(now), 0);
        }
        self.lines += 1;
        (self.lines <= LINES).then_some(left_out)
    }

    /// Returns how many lines of this second were omitted.
    pub(crate) fn left_out(&self) -> u64 {
        self.lines.saturating_sub(LINES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told_of_once() {
        let mut limit = LogLimit::default();
        let start = Instant::now();
        let admitted: Vec<_> = (0..1500).map(|_| limit.admit(start)).collect();
        assert!(admitted[..1000].iter().all(|line| *line == Some(0)));
        assert!(admitted[1000..].iter().all(|line| line.is_none()));
        assert_eq!(limit.left_out(), 500);
        let later = start + Duration::from_secs(1);
        assert_eq!(limit.admit(later), Some(500));
        assert_eq!(limit.admit(later), Some(0));
        assert_eq!(limit.left_out(), 0);
    }
}
