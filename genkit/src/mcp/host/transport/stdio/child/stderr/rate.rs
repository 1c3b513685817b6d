//! How much of a flood is logged.

use std::time::Duration;

use tokio::time::Instant;

/// Lines of one second that are logged.
const LINES: u64 = 1000;

/// Counts lines by the second.
#[derive(Default)]
pub(crate) struct Rate {
    since: Option<Instant>,
    lines: u64,
}

/// Whether a line is logged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Yes,
    /// So many were not, up to now.
    YesAfter(u64),
    No,
}

impl Rate {
    /// Whether the line of this moment is logged.
    pub(crate) fn ask(&mut self, now: Instant) -> Word {
        let fresh = self.since.is_none_or(|since| now - since >= Duration::from_secs(1));
        let left_out = if fresh { self.left_out() } else { None };
        if fresh {
            (self.since, self.lines) = (Some(now), 0);
        }
        self.lines += 1;
        match left_out {
            Some(lines) => Word::YesAfter(lines),
            None if self.lines <= LINES => Word::Yes,
            None => Word::No,
        }
    }

    /// So many lines of this second were not logged.
    pub(crate) fn left_out(&self) -> Option<u64> {
        self.lines.checked_sub(LINES).filter(|lines| *lines > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told_of_once() {
        let mut rate = Rate::default();
        let start = Instant::now();
        let asked: Vec<Word> = (0..1500).map(|_| rate.ask(start)).collect();
        assert!(asked[..1000].iter().all(|word| *word == Word::Yes));
        assert!(asked[1000..].iter().all(|word| *word == Word::No));
        assert_eq!(rate.left_out(), Some(500));
        let later = start + Duration::from_secs(1);
        assert_eq!(rate.ask(later), Word::YesAfter(500));
        assert_eq!(rate.ask(later), Word::Yes);
        assert_eq!(rate.left_out(), None);
    }
}
