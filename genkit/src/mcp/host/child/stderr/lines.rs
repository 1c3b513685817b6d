//! Lines of text out of bytes, none longer than a limit.

/// Bytes of a line that are kept, 2 KiB.
const LINE_BYTES: usize = 2 * 1024;

/// Collects bytes until a line is whole.
#[derive(Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    /// The rest of the line is passed over.
    cut: bool,
}

impl Lines {
    /// Takes in a piece, and gives each line that it completes.
    pub(super) fn add(&mut self, piece: &[u8], mut hear: impl FnMut(String)) {
        let mut pieces = piece.split(|byte| *byte == b'\n');
        // There is always one, and a newline stands before each of the others.
        if let Some(first) = pieces.next() {
            self.keep(first);
        }
        for next in pieces {
            self.give(&mut hear);
            self.keep(next);
        }
    }

    /// Gives what stands behind the last newline.
    pub(super) fn finish(&mut self, mut hear: impl FnMut(String)) {
        self.give(&mut hear);
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = LINE_BYTES - self.line.len();
        self.cut |= piece.len() > room;
        self.line.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn give(&mut self, hear: &mut impl FnMut(String)) {
        let mut line = String::from_utf8_lossy(&self.line).trim_end().to_owned();
        if std::mem::take(&mut self.cut) {
            line.push('…');
        }
        self.line.clear();
        if !line.is_empty() {
            hear(line);
        }
    }
}
