//! Bytes in, whole lines out: the part of the transport that knows nothing of I/O.

use super::outline::{Outline, Scanner};

/// Room that is offered to each read; Linux pipes hold as much.
const READ_BYTES: usize = 64 * 1024;

/// Windows programs put this mark before UTF-8 text; JSON readers may skip it.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One line of the input, without its end.
#[derive(Debug, PartialEq)]
pub enum Frame<'a> {
    /// A line within the limit that is not blank.
    Line(&'a [u8]),
    /// A line above the limit, of so many bytes: they are gone, all but the outline.
    TooLong(Outline, u64),
}

/// Cuts a stream of bytes into lines, holding at most one line of `limit` bytes and one read.
pub(crate) struct Framer {
    /// Always initialized to its whole length; the bytes that wait are `start..end`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// No newline lies between `start` and here.
    searched: usize,
    limit: usize,
    /// Present while the rest of a line above the limit is passed over.
    skipping: Option<Scanner>,
    ended: bool,
}

impl Framer {
    /// A framer for lines of at most `limit` bytes, the newline not counted.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            searched: 0,
            limit,
            skipping: None,
            ended: false,
        }
    }

    /// Where the next read puts its bytes; never empty.
    pub(crate) fn spare(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.restart();
        } else if self.end == self.buffer.len() && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.grow();
        }
        &mut self.buffer[self.end..]
    }

    /// Counts in `count` bytes that were put at the front of [`Framer::spare`].
    pub(crate) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// Says that no more bytes come, so that what waits is the last line.
    pub(crate) fn finish(&mut self) {
        self.ended = true;
    }

    /// The next whole line, or `None` when more bytes are needed.
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        loop {
            let line = self.start..self.line_end()?;
            self.start = (line.end + 1).min(self.end);
            self.searched = self.start;
            if let Some(scanner) = self.skipping.take() {
                let bytes = scanner.scanned() + line.len() as u64;
                return Some(Frame::TooLong(scanner.finish(&self.buffer[line]), bytes));
            }
            if line.len() > self.limit {
                let bytes = line.len() as u64;
                let outline = Scanner::default().finish(&self.buffer[line]);
                return Some(Frame::TooLong(outline, bytes));
            }
            if !content(&self.buffer[line.clone()]).is_empty() {
                return Some(Frame::Line(content(&self.buffer[line])));
            }
        }
    }

    /// Bytes of memory that are held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.buffer.capacity()
    }

    /// Where the current line ends; bytes that cannot become a line are passed over here.
    fn line_end(&mut self) -> Option<usize> {
        let fresh = &self.buffer[self.searched..self.end];
        if let Some(offset) = fresh.iter().position(|byte| *byte == b'\n') {
            return Some(self.searched + offset);
        }
        self.searched = self.end;
        if self.skipping.is_some() || self.end - self.start > self.limit {
            let scanner = self.skipping.get_or_insert_default();
            scanner.scan(&self.buffer[self.start..self.end]);
            self.start = self.end;
        }
        let rest = self.start < self.end || self.skipping.is_some();
        (self.ended && rest).then_some(self.end)
    }

    /// Begins again at the front and gives back what a long line had claimed.
    fn restart(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
        if self.buffer.len() > READ_BYTES {
            self.buffer = Vec::new();
        }
    }

    /// Doubles the buffer, up to a whole line and one read.
    fn grow(&mut self) {
        if self.buffer.is_empty() {
            // Fresh zeros cost nothing until they are touched.
            self.buffer = vec![0; READ_BYTES];
            return;
        }
        let most = self.limit.saturating_add(READ_BYTES).max(self.end + 1);
        self.buffer.resize((self.buffer.len() * 2).min(most), 0);
    }
}

/// The line without white space around it and a mark before it.
fn content(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii()
}
