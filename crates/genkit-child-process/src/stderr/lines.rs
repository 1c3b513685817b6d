//! Splitting of bytes into lines of limited length.

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
            self.extend(first);
        }
        for next in pieces {
            self.give(&mut take);
            self.extend(next);
        }
    }

    /// Passes the text after the last newline to `take`.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(String)) {
        self.give(&mut take);
    }

    fn extend(&mut self, piece: &[u8]) {
        let room = LINE_BYTES - self.line.len();
        self.cut |= piece.len() > room;
        self.line.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn give(&mut self, take: &mut impl FnMut(String)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        pieces.for_each(|piece| lines.add(piece, |line| found.push(line)));
        lines.finish(|line| found.push(line));
        found
    }

    #[test]
    fn lines_do_not_depend_on_how_the_bytes_come() {
        let long = "x".repeat(5000);
        let text = format!("one\r\n\n  two\n{long}\n\u{fc}\nlast");
        let cut = format!("{}\u{2026}", &long[..LINE_BYTES]);
        for size in [1, 2, 3, 1000, text.len()] {
            let found = lines(text.as_bytes().chunks(size));
            assert_eq!(found, ["one", "  two", &cut, "\u{fc}", "last"], "{size} at a time");
        }
    }
}
