//! The lines of a child's standard error, with limits on their length and on how many are logged.

use std::time::Duration;

use tokio::time::Instant;

/// The longest line, in bytes; the rest is omitted.
const LINE_BYTES: usize = 2 * 1024;

/// Collects bytes until a line is complete.
#[derive(Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    /// Whether the rest of the line is being skipped.
    cut: bool,
}

impl Lines {
    /// Adds a piece, and passes each completed line to `take`.
    pub(crate) fn add(&mut self, piece: &[u8], mut take: impl FnMut(String)) {
        let mut pieces = piece.split(|byte| *byte == b'\n');
        // There is always a first piece, and a newline precedes each of the others.
        if let Some(first) = pieces.next() {
            self.extend_line(first);
        }
        for next in pieces {
            self.pass_line(&mut take);
            self.extend_line(next);
        }
    }

    /// Passes the text after the last newline to `take`.
    pub(crate) fn finish_line(&mut self, mut take: impl FnMut(String)) {
        self.pass_line(&mut take);
    }

    fn extend_line(&mut self, piece: &[u8]) {
        let room = LINE_BYTES - self.line.len();
        self.cut |= piece.len() > room;
        self.line.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn pass_line(&mut self, take: &mut impl FnMut(String)) {
        let mut line = String::from_utf8_lossy(&self.line).trim_end().to_owned();
        if std::mem::take(&mut self.cut) {
            line.push('…');
        }
        self.line.clear();
        if !line.is_empty() {
            take(line);
        }
    }
}

/// How many lines are logged per second.
const LINES_PER_SECOND: u64 = 1000;

/// Counts the lines of the current second.
#[derive(Default)]
pub(crate) struct LogLimit {
    since: Option<Instant>,
    lines: u64,
}

impl LogLimit {
    /// Counts a line. Returns `None` if it must not be logged; otherwise, returns how many lines before it were
    /// omitted.
    pub(crate) fn admit_line(&mut self, now: Instant) -> Option<u64> {
        let mut left_out = 0;
        if self.since.is_none_or(|since| now - since >= Duration::from_secs(1)) {
            left_out = self.left_out();
            (self.since, self.lines) = (Some(now), 0);
        }
        self.lines += 1;
        (self.lines <= LINES_PER_SECOND).then_some(left_out)
    }

    /// Returns how many lines of this second were omitted.
    pub(crate) fn left_out(&self) -> u64 {
        self.lines.saturating_sub(LINES_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        pieces.for_each(|piece| lines.add(piece, |line| found.push(line)));
        lines.finish_line(|line| found.push(line));
        found
    }

    #[test]
    fn lines_do_not_depend_on_chunk_size() {
        let long = "x".repeat(5000);
        let text = format!("one\r\n\n  two\n{long}\n\u{fc}\nlast");
        let cut = format!("{}\u{2026}", &long[..LINE_BYTES]);
        for size in [1, 2, 3, 1000, text.len()] {
            let found = lines(text.as_bytes().chunks(size));
            assert_eq!(found, ["one", "  two", &cut, "\u{fc}", "last"], "{size} at a time");
        }
    }

    #[test]
    fn flood_of_lines_is_logged_once() {
        let mut limit = LogLimit::default();
        let start = Instant::now();
        let admitted: Vec<_> = (0..1500).map(|_| limit.admit_line(start)).collect();
        assert!(admitted[..1000].iter().all(|line| *line == Some(0)));
        assert!(admitted[1000..].iter().all(|line| line.is_none()));
        assert_eq!(limit.left_out(), 500);
        let later = start + Duration::from_secs(1);
        assert_eq!(limit.admit_line(later), Some(500));
        assert_eq!(limit.admit_line(later), Some(0));
        assert_eq!(limit.left_out(), 0);
    }
}
