//! How much of a flood is logged.

use std::time::Duration;

use tokio::time::Instant;

/// Lines of one second that are logged.
const LINES: u64 = 1000;

/// Counts lines by the second.
#[derive(Default)]
pub(crate) struct LogLimit {
    since: Option<Instant>,
    lines: u64,
}

impl LogLimit {
    /// Whether the line of this moment is logged; if so, how many before it were not.
    pub(crate) fn admit(&mut self, now: Instant) -> Option<u64> {
        let mut left_out = 0;
        if self.since.is_none_or(|since| now - since >= Duration::from_secs(1)) {
            left_out = self.left_out();
            (self.since, self.lines) = (Some(now), 0);
        }
        self.lines += 1;
        (self.lines <= LINES).then_some(left_out)
    }

    /// So many lines of this second were not logged.
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
