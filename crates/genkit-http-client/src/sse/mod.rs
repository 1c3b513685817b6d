//! A parser for server-sent events, which turns bytes into events without I/O.
//!
//! Each byte is scanned once, regardless of how the body is split into pieces, and the data of a single-line event is
//! borrowed instead of copied. As extensions to the standard, an event at the end of the body needs no blank line after
//! it, and JSON outside events is returned too, because providers send errors that way.

mod line;

use std::{borrow::Cow, ops::Range};

use line::{Brackets, Field, error_field, line_end, read_field, starts_json};

/// The maximum size of one event, in bytes of the body. Default is 64 MiB.
///
/// A generated image arrives as one event.
const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

/// The maximum number of bytes between two events, of blank lines, comments and unknown fields. Default is 1 MiB.
const MAX_IDLE_BYTES: usize = 1024 * 1024;

/// The byte order mark, which may precede the text once.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An event in a response body, or JSON outside an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SseEvent<'a> {
    /// An event with its name, if it has one, and its data lines joined by line feeds.
    Message { event: Option<&'a str>, data: Cow<'a, str> },
    /// JSON outside an event, or text that starts like JSON.
    Bare(&'a str),
}

impl SseEvent<'_> {
    /// Returns the data of the event, or the bare text.
    pub fn data(&self) -> &str {
        match self {
            Self::Message { data, .. } => data,
            Self::Bare(text) => text,
        }
    }
}

/// The reason why a body cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// An event exceeds the limit; the parser returns no more events.
    #[error("an event of the stream exceeds {limit} bytes")]
    TooLong { limit: usize },
    /// Too many blank lines, comments and unknown fields without an event; the parser returns no more events.
    #[error("the stream sent {limit} bytes of blank lines and comments without an event")]
    Idle { limit: usize },
    /// An event is not UTF-8; it is skipped, and later events are returned.
    #[error("the {field} of the event that begins at byte {at} of the stream is not UTF-8")]
    NotUtf8 { field: &'static str, at: u64 },
}

/// An incremental parser that splits a body into events.
///
/// After each [`push`](Self::push) and after [`finish`](Self::finish), call [`next`](Self::next)
/// until it returns `None`.
#[derive(Debug)]
pub struct SseParser {
    buffer: Vec<u8>,
    /// The number of bytes of the body that have been removed from the buffer.
    discarded_bytes: u64,
    /// The start of the pending event; the bytes before it are no longer needed.
    start: usize,
    /// The start of the current line.
    line: usize,
    /// No line ends between `line` and this offset.
    scanned: usize,
    limit: usize,
    event: Option<Range<usize>>,
    data: Data,
    /// `Some` while bare text is collected, from `start` on.
    brackets: Option<Brackets>,
    /// The last line ended with CR, so an LF that follows is part of its end.
    after_cr: bool,
    at_front: bool,
    ended: bool,
    /// The number of bytes since the last event that do not belong to an event.
    idle: usize,
    /// Whether `error` fields, which Genkit servers send, are treated as data.
    errors_are_data: bool,
    /// Whether each line is a separate JSON text.
    is_ndjson: bool,
    /// Whether the standard is followed strictly, for a client that resumes streams.
    is_resumable: bool,
    /// The fields of the event that was returned last.
    resume: SseResume,
    pending_resume: SseResume,
}

/// The fields of an event that a client needs to resume the stream.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SseResume {
    /// The id of the event.
    pub id: Option<String>,
    /// The delay before a reconnection, in milliseconds.
    pub retry: Option<u64>,
}

/// The data of the pending event.
#[derive(Debug, Default)]
enum Data {
    #[default]
    None,
    /// The range of a single line in the buffer.
    Line(Range<usize>),
    Lines(Vec<u8>),
}

/// An item that is complete, as ranges in the buffer.
enum CompleteItem {
    Message { event: Option<Range<usize>>, data: Data, at: u64 },
    Bare { text: Range<usize>, at: u64 },
}

impl Default for SseParser {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl SseParser {
    /// Creates a parser for events of at most `limit` bytes, counted from the first line to the
    /// last.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            discarded_bytes: 0,
            start: 0,
            line: 0,
            scanned: 0,
            limit,
            event: None,
            idle: 0,
            data: Data::None,
            brackets: None,
            after_cr: false,
            at_front: true,
            ended: false,
            errors_are_data: false,
            is_ndjson: false,
            is_resumable: false,
            resume: SseResume::default(),
            pending_resume: SseResume::default(),
        }
    }

    /// Creates a parser for JSON lines. Each line is returned as [`Bare`](SseEvent::Bare), without parsing event
    /// fields.
    pub fn ndjson() -> Self {
        Self { is_ndjson: true, ..Self::default() }
    }

    /// Creates a parser for a stream that can be resumed. It also reads the fields `id` and `retry`, which
    /// [`take_resume`](Self::take_resume) returns, and returns events that have only these fields. JSON outside events
    /// is ignored, as is an event that is cut off by the end of the body.
    pub fn resumable(limit: usize) -> Self {
        Self { is_resumable: true, ..Self::with_limit(limit) }
    }

    /// Returns the `id` and `retry` of the event that was returned last.
    pub fn take_resume(&mut self) -> SseResume {
        std::mem::take(&mut self.resume)
    }

    /// Also treats `error` fields as data. Genkit servers report an error in such a field, in the last event.
    pub fn with_error_field(mut self) -> Self {
        self.errors_are_data = true;
        self
    }

    /// Adds the first piece of the body without copying it.
    pub fn push_first(&mut self, bytes: Vec<u8>) {
        if self.buffer.is_empty() && !self.ended {
            self.buffer = bytes;
        } else {
            self.push(&bytes);
        }
    }

    /// Adds the next piece of the body.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.ended {
            return;
        }
        // Compact only if at least half of the buffer is no longer needed, so that each byte is moved once on average.
        if self.start > 0 && self.start >= self.buffer.len() - self.start {
            self.compact_buffer();
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Marks the end of the body, so that a pending event is complete.
    pub fn finish(&mut self) {
        self.ended = true;
    }

    /// Returns the next event, or `None` if more bytes are needed or the body has ended.
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot return borrowed events")]
    pub fn next(&mut self) -> Option<Result<SseEvent<'_>, SseError>> {
        match self.advance_to_item()? {
            Ok(CompleteItem::Message { event, data, at }) => {
                Some(self.decode_message(event, data, at))
            }
            Ok(CompleteItem::Bare { text, at }) => {
                let text = decode_utf8(&self.buffer[text], "text", at);
                Some(text.map(|text| SseEvent::Bare(text.trim_ascii())))
            }
            Err(error) => Some(Err(error)),
        }
    }

    fn decode_message(
        &self,
        event: Option<Range<usize>>,
        data: Data,
        at: u64,
    ) -> Result<SseEvent<'_>, SseError> {
        let event = event.map(|name| decode_utf8(&self.buffer[name], "name", at)).transpose()?;
        let data = match data {
            Data::None => Cow::Borrowed(""),
            Data::Line(line) => Cow::Borrowed(decode_utf8(&self.buffer[line], "data", at)?),
            Data::Lines(joined) => {
                let text = String::from_utf8(joined);
                Cow::Owned(text.map_err(|_| SseError::NotUtf8 { field: "data", at })?)
            }
        };
        Ok(SseEvent::Message { event, data })
    }

    /// Reads lines until an item is complete.
    fn advance_to_item(&mut self) -> Option<Result<CompleteItem, SseError>> {
        loop {
            let Some((line, next)) = self.next_line() else {
                return self.take_final_item();
            };
            let content = &self.buffer[line.clone()];
            if !content.is_empty() && line.end - self.start > self.limit {
                return Some(Err(self.fail_too_long()));
            }
            if self.is_ndjson {
                let at = self.discarded_bytes + self.start as u64;
                let is_blank = content.trim_ascii().is_empty();
                self.go_to(next);
                if is_blank {
                    if let Some(error) = self.count_idle(line.len()) {
                        return Some(Err(error));
                    }
                    continue;
                }
                self.idle = 0;
                return Some(Ok(CompleteItem::Bare { text: line, at }));
            }
            let (field, value) = read_field(content);
            let (field, value) = match self.errors_are_data.then(|| error_field(content)).flatten()
            {
                Some(value) => (Field::Data, value),
                None => (field, value),
            };
            if self.brackets.is_some() {
                if matches!(field, Field::Data | Field::Event) {
                    // A line within JSON cannot begin with a field, so this text is not valid JSON
                    // and ends here.
                    return Some(Ok(self.take_bare(self.line)));
                }
                if let Some(end) = self.scan_bare(&line) {
                    let bare = self.take_bare(end);
                    return Some(Ok(bare));
                }
                self.go_to(next);
                continue;
            }
            match field {
                Field::Data => {
                    let value = value + line.start..line.end;
                    self.add_data(value);
                }
                Field::Event => self.event = Some(value + line.start..line.end),
                Field::Id | Field::Retry if self.is_resumable => {
                    let value = value + line.start..line.end;
                    self.read_resume(field, value);
                }
                Field::Other if content.is_empty() => {
                    self.go_to(next);
                    let ready = self.take_message();
                    if ready.is_some() {
                        return ready.map(Ok);
                    }
                    if let Some(error) = self.count_idle(line.len()) {
                        return Some(Err(error));
                    }
                    continue;
                }
                Field::Other if !self.is_resumable && starts_json(content) => {
                    // JSON ends a pending event, even without a blank line between them.
                    let ready = self.take_message();
                    self.brackets = Some(Brackets::default());
                    if ready.is_some() {
                        return ready.map(Ok);
                    }
                    continue;
                }
                Field::Id | Field::Retry | Field::Other => {
                    self.go_to(next);
                    if let Some(error) = self.count_idle(line.len()) {
                        return Some(Err(error));
                    }
                    continue;
                }
            }
            self.idle = 0;
            self.go_to(next);
        }
    }

    /// Returns the current line without its end, and the start of the next line.
    fn next_line(&mut self) -> Option<(Range<usize>, usize)> {
        if self.at_front && !self.skip_byte_order_mark() {
            return None;
        }
        if self.after_cr && self.line < self.buffer.len() {
            self.after_cr = false;
            if self.buffer[self.line] == b'\n' {
                self.go_to(self.line + 1);
            }
        }
        if let Some(offset) = line_end(&self.buffer[self.scanned..]) {
            // If this line is read again, its end is found immediately.
            self.scanned += offset;
            return Some((self.line..self.scanned, self.scanned + 1));
        }
        self.scanned = self.buffer.len();
        let is_last = self.ended && self.line < self.scanned;
        is_last.then_some((self.line..self.scanned, self.scanned))
    }

    /// Returns the pending item once the body has ended, or an error if the unfinished item exceeds the limit.
    fn take_final_item(&mut self) -> Option<Result<CompleteItem, SseError>> {
        let unfinished = self.buffer.len() > self.line;
        if unfinished && self.buffer.len() - self.start > self.limit {
            return Some(Err(self.fail_too_long()));
        }
        if !self.ended {
            return None;
        }
        if self.brackets.is_some() {
            return Some(Ok(self.take_bare(self.line)));
        }
        if self.is_resumable {
            return None;
        }
        self.take_message().map(Ok)
    }

    /// Reads a field that only resumable streams use. Invalid values are ignored.
    fn read_resume(&mut self, field: Field, value: Range<usize>) {
        let Ok(value) = std::str::from_utf8(&self.buffer[value]) else { return };
        match field {
            Field::Id if !value.contains('\0') => self.pending_resume.id = Some(value.to_owned()),
            Field::Retry => {
                self.pending_resume.retry = value.parse().ok().or(self.pending_resume.retry);
            }
            _ => {}
        }
    }

    /// Moves to the line that starts at `next`.
    fn go_to(&mut self, next: usize) {
        self.after_cr = next > 0 && self.buffer[next - 1] == b'\r';
        self.line = next;
        self.scanned = next;
        if self.event.is_none() && matches!(self.data, Data::None) && self.brackets.is_none() {
            self.start = next;
        }
    }

    fn add_data(&mut self, value: Range<usize>) {
        self.data = match std::mem::take(&mut self.data) {
            Data::None => Data::Line(value),
            Data::Line(first) => {
                let mut joined = self.buffer[first].to_vec();
                joined.push(b'\n');
                joined.extend_from_slice(&self.buffer[value]);
                Data::Lines(joined)
            }
            Data::Lines(mut joined) => {
                joined.push(b'\n');
                joined.extend_from_slice(&self.buffer[value]);
                Data::Lines(joined)
            }
        };
    }

    /// Takes the pending event if it has data, or fields for resuming the stream. The standard drops events without
    /// data.
    fn take_message(&mut self) -> Option<CompleteItem> {
        let at = self.discarded_bytes + self.start as u64;
        let event = self.event.take();
        let data = std::mem::take(&mut self.data);
        self.start = self.line;
        let has_data = !matches!(data, Data::None);
        self.resume = std::mem::take(&mut self.pending_resume);
        let is_ready = has_data || self.resume != SseResume::default();
        is_ready.then_some(CompleteItem::Message { event, data, at })
    }

    /// Returns the offset after the closing bracket of the bare text, if it is in this line.
    fn scan_bare(&mut self, line: &Range<usize>) -> Option<usize> {
        let closed = self.brackets.as_mut()?.scan_brackets(&self.buffer[line.clone()])?;
        Some(line.start + closed)
    }

    /// Takes the bare text up to `end` and moves the start of the current line there.
    fn take_bare(&mut self, end: usize) -> CompleteItem {
        self.brackets = None;
        let text = self.start..end;
        let at = self.discarded_bytes + self.start as u64;
        // `scanned` stays unchanged, because the end of the line is already known.
        self.line = end;
        self.start = end;
        CompleteItem::Bare { text, at }
    }

    /// Skips a byte order mark. Returns `false` if more bytes are needed to detect one.
    fn skip_byte_order_mark(&mut self) -> bool {
        if self.buffer.len() < BYTE_ORDER_MARK.len()
            && BYTE_ORDER_MARK.starts_with(&self.buffer)
            && !self.ended
        {
            return false;
        }
        self.at_front = false;
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.go_to(BYTE_ORDER_MARK.len());
        }
        true
    }

    /// Removes the bytes that are no longer needed from the buffer.
    fn compact_buffer(&mut self) {
        let done = self.start;
        self.buffer.drain(..done);
        self.discarded_bytes += done as u64;
        self.start = 0;
        self.line -= done;
        self.scanned -= done;
        for range in self.event.iter_mut().chain(match &mut self.data {
            Data::Line(line) => Some(line),
            _ => None,
        }) {
            *range = range.start - done..range.end - done;
        }
    }

    /// Counts a line that does not belong to an event. Returns an error if there were too many, because the limit on
    /// events does not apply to them.
    fn count_idle(&mut self, bytes: usize) -> Option<SseError> {
        self.idle = self.idle.saturating_add(bytes).saturating_add(1);
        if self.idle <= MAX_IDLE_BYTES {
            return None;
        }
        self.fail_too_long();
        Some(SseError::Idle { limit: MAX_IDLE_BYTES })
    }

    fn fail_too_long(&mut self) -> SseError {
        let limit = self.limit;
        *self = Self { ended: true, is_resumable: self.is_resumable, ..Self::with_limit(limit) };
        SseError::TooLong { limit }
    }
}

fn decode_utf8<'a>(bytes: &'a [u8], field: &'static str, at: u64) -> Result<&'a str, SseError> {
    std::str::from_utf8(bytes).map_err(|_| SseError::NotUtf8 { field, at })
}

#[cfg(test)]
mod tests;
