//! Splits bytes into lines, without doing any I/O.

use super::outline::{Outline, Scanner};

/// The buffer space offered to each read, in bytes: the capacity of a Linux pipe.
const READ_BYTES: usize = 64 * 1024;

/// The byte order mark that Windows programs write before UTF-8 text. RFC 8259 allows JSON parsers to
/// ignore it.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line longer than the limit: its outline and its length in bytes. Its content is discarded.
#[derive(Debug, PartialEq)]
pub struct LongLine(pub Outline, pub u64);

/// Splits a stream of bytes into lines. Buffers at most one line of `limit` bytes and one read.
pub(crate) struct Framer {
    /// The buffer, always fully initialized; the unread bytes are `start..end`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The end of the part that was searched for a newline.
    searched: usize,
    limit: usize,
    /// Set while the rest of a line longer than the limit is skipped.
    skipping: Option<Scanner>,
    ended: bool,
}

impl Framer {
    /// Creates a framer for lines of at most `limit` bytes, not counting the newline.
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

    /// Returns the buffer for the next read; never empty.
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

    /// Marks `count` bytes at the front of [`Framer::spare`] as filled.
    pub(crate) fn mark_filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// Marks the end of the input: the remaining bytes are the last line.
    pub(crate) fn finish(&mut self) {
        self.ended = true;
    }

    /// Returns the next line that is not blank, without its newline; `None` if more bytes are needed.
    pub(crate) fn next_line(&mut self) -> Option<Result<&[u8], LongLine>> {
        loop {
            let line = self.start..self.line_end()?;
            self.start = (line.end + 1).min(self.end);
            self.searched = self.start;
            if let Some(scanner) = self.skipping.take() {
                let bytes = scanner.scanned() + line.len() as u64;
                return Some(Err(LongLine(scanner.finish(&self.buffer[line]), bytes)));
            }
            if line.len() > self.limit {
                let bytes = line.len() as u64;
                let outline = Scanner::default().finish(&self.buffer[line]);
                return Some(Err(LongLine(outline, bytes)));
            }
            if !content(&self.buffer[line.clone()]).is_empty() {
                return Some(Ok(content(&self.buffer[line])));
            }
        }
    }

    /// Returns the size of the buffer, in bytes.
    pub(crate) fn buffer_size(&self) -> usize {
        self.buffer.capacity()
    }

    /// Returns the end of the current line. Scans and discards the bytes of a line longer than the limit.
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

    /// Restarts at the front of the buffer, and frees the memory that a long line used.
    fn restart(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
        if self.buffer.len() > READ_BYTES {
            self.buffer = Vec::new();
        }
    }

    /// Doubles the buffer, up to the size of a complete line and one read.
    fn grow(&mut self) {
        if self.buffer.is_empty() {
            // Freshly zeroed pages cost nothing until they are touched.
            self.buffer = vec![0; READ_BYTES];
            return;
        }
        let most = self.limit.saturating_add(READ_BYTES).max(self.end + 1);
        self.buffer.resize((self.buffer.len() * 2).min(most), 0);
    }
}

/// Returns the line without surrounding white space and without a byte order mark.
fn content(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii()
}
