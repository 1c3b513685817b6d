//! Lines of text out of bytes, none longer than a limit.

/// Longest line, in bytes; the rest is left out.
const LINE_BYTES: usize = 2 * 1024;

/// Collects bytes until a line is whole.
#[derive(Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    /// The rest of the line is passed over.
    cut: bool,
}

impl Lines {
    /// Takes in a piece, and gives each line that it completes.
    pub(crate) fn add(&mut self, piece: &[u8], mut take: impl FnMut(String)) {
        let mut pieces = piece.split(|byte| *byte == b'\n');
        // There is always one, and a newline stands before each of the others.
        if let Some(first) = pieces.next() {
            self.extend(first);
        }
        for next in pieces {
            self.give(&mut take);
            self.extend(next);
        }
    }

    /// Gives what stands behind the last newline.
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
