//! The standard error of a child, which is read continuously if there is a log, so that the child never blocks.

mod lines;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use lines::{Lines, LogLimit};

/// The maximum number of lines in the tail.
const TAIL_LINES: usize = 20;

/// How many bytes before a line are searched for the start of a secret. Default is 2 KiB, the length of a long token.
const BEFORE_BYTES: usize = 2 * 1024;

/// The maximum size of the tail, in bytes.
const TAIL_BYTES: usize = 4 * 1024;

/// The maximum size of the tail in an error, in bytes.
const SHOWN_BYTES: usize = 1024;

/// A log for the standard error of a child.
///
/// ```
/// use std::borrow::Cow;
/// use genkit_child_process::StderrLog;
///
/// struct Printed;
///
/// impl StderrLog for Printed {
///     fn redact<'a>(&self, line: &'a str) -> Cow<'a, str> {
///         Cow::Owned(line.replace("sk-123", "***"))
///     }
///
///     fn line(&mut self, line: &str) {
///         eprintln!("{line}");
///     }
///
///     fn left_out(&mut self, lines: u64) {
///         eprintln!("{lines} lines were omitted");
///     }
/// }
/// # assert_eq!(Printed.redact("key sk-123"), "key ***");
/// # Printed.line("");
/// # Printed.left_out(1);
/// ```
pub trait StderrLog: Send + 'static {
    /// Returns the line without secrets, before it is logged or used in an error. The default implementation returns
    /// the line unchanged.
    fn redact<'a>(&self, line: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(line)
    }

    /// Logs a line of at most about 2 KiB, without secrets or control characters such as escape codes.
    fn line(&mut self, line: &str);

    /// Logs the number of lines that were omitted within a second, because there were more than 1000.
    fn left_out(&mut self, lines: u64);
}

/// The reader of a child's standard error, and the last lines that it read.
#[derive(Debug, Default)]
pub(crate) struct Stderr {
    tail: Arc<Mutex<Tail>>,
    log: Option<SharedLog>,
    reading: Option<JoinHandle<()>>,
}

/// The log, which also redacts the tail.
#[derive(Clone)]
struct SharedLog(Arc<Mutex<Box<dyn StderrLog>>>);

impl fmt::Debug for SharedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedLog")
    }
}

impl SharedLog {
    fn lock(&self) -> MutexGuard<'_, Box<dyn StderrLog>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn redact(&self, text: &str) -> String {
        self.lock().redact(text).into_owned()
    }
}

impl Stderr {
    /// Starts reading.
    pub(crate) fn read(stream: ChildStderr, log: Box<dyn StderrLog>) -> Self {
        let (tail, log) = (Arc::default(), SharedLog(Arc::new(Mutex::new(log))));
        let reader = StderrReader {
            log: log.clone(),
            before: String::new(),
            limit: LogLimit::default(),
            tail: Arc::clone(&tail),
        };
        Self { tail, log: Some(log), reading: Some(tokio::spawn(reader.read_stream(stream))) }
    }

    /// Waits until everything has been read. Cancel safe.
    pub(crate) async fn wait_for_end(&mut self) {
        if let Some(reading) = &mut self.reading {
            let _ = reading.await;
            self.reading = None;
        }
    }

    /// Returns the last lines, oldest first.
    pub(crate) fn tail_lines(&self) -> Vec<String> {
        let lines: Vec<String> = lock_tail(&self.tail).lines.iter().cloned().collect();
        // A secret may be printed on several lines.
        let text = lines.join("\n");
        let text = self.log.as_ref().map(|log| log.redact(&text)).unwrap_or(text);
        text.lines().map(escape_controls).collect()
    }

    /// Returns the end of the last lines, for an error.
    pub(crate) fn tail_text(&self) -> String {
        let lines = self.tail_lines();
        let mut room = SHOWN_BYTES;
        let mut shown: Vec<&str> = Vec::new();
        for line in lines.iter().rev() {
            if line.len() > room && !shown.is_empty() {
                break;
            }
            let line = truncate_text(line, SHOWN_BYTES);
            room = room.saturating_sub(line.len() + 1);
            shown.push(line);
        }
        shown.reverse();
        shown.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        if let Some(reading) = &self.reading {
            reading.abort();
        }
    }
}

/// The last lines, as the child printed them.
#[derive(Debug, Default)]
struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    fn push_line(&mut self, line: &str) {
        let line = truncate_text(line, TAIL_BYTES).to_owned();
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > TAIL_LINES || self.bytes > TAIL_BYTES {
            let Some(first) = self.lines.pop_front() else { break };
            self.bytes -= first.len();
        }
    }
}

struct StderrReader {
    log: SharedLog,
    /// The end of the previous lines, unchanged, because a secret may be printed on several lines.
    before: String,
    limit: LogLimit,
    tail: Arc<Mutex<Tail>>,
}

impl StderrReader {
    async fn read_stream(mut self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        let mut lines = Lines::default();
        // Treat an error of the pipe as its end.
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            lines.add(&buffer[..count], |line| self.handle_line(&line));
        }
        lines.finish_line(|line| self.handle_line(&line));
        self.log_left_out(self.limit.left_out());
    }

    fn handle_line(&mut self, line: &str) {
        lock_tail(&self.tail).push_line(line);
        if let Some(left_out) = self.limit.admit_line(Instant::now()) {
            self.log_left_out(left_out);
            let shown = escape_controls(&self.redact_line(line));
            self.log.lock().line(&shown);
        }
        self.before.push_str(line);
        self.before.push('\n');
        let mut start = self.before.len().saturating_sub(BEFORE_BYTES);
        while !self.before.is_char_boundary(start) {
            start += 1;
        }
        self.before.drain(..start);
    }

    /// Returns the line without secrets, including a secret that started on an earlier line.
    fn redact_line(&self, line: &str) -> String {
        let known = self.log.redact(&self.before);
        let joined = self.log.redact(&format!("{}{line}", self.before));
        match joined.strip_prefix(&*known) {
            Some(redacted) => redacted.to_owned(),
            // The secret continues on this line.
            None => self.log.redact(common_suffix(&joined, line)),
        }
    }

    fn log_left_out(&mut self, lines: u64) {
        if lines > 0 {
            self.log.lock().left_out(lines);
        }
    }
}

/// Returns the common suffix of two texts.
fn common_suffix<'a>(one: &str, other: &'a str) -> &'a str {
    let same = one.chars().rev().zip(other.chars().rev()).take_while(|(one, other)| one == other);
    let length: usize = same.map(|(part, _)| part.len_utf8()).sum();
    &other[other.len() - length..]
}

/// Escapes control characters, because lines are logged and used in errors.
fn escape_controls(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for part in line.chars() {
        match part {
            '\t' => shown.push_str("    "),
            part if part.is_control() => shown.extend(part.escape_unicode()),
            part => shown.push(part),
        }
    }
    shown
}

/// Locks the tail, which is intact even if a log panicked.
fn lock_tail(tail: &Mutex<Tail>) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns at most the first `bytes` of a string, ending at a character boundary.
fn truncate_text(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
