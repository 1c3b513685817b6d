//! The standard error of a server: read for ever, so that it never waits for us.

mod lines;
mod log_limit;

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::mcp::host::transport::stdio::command::{Command, StderrTo};
use crate::mcp::host::transport::stdio::redact::Redactor;
use crate::sync::lock;
use crate::truncate::truncate;
use lines::Lines;
use log_limit::LogLimit;

/// Lines of the tail.
const TAIL_LINES: usize = 20;

/// Bytes of the tail.
const TAIL_BYTES: usize = 4 * 1024;

/// Bytes of the tail that an error shows.
const SHOWN_BYTES: usize = 1024;

/// The reader of a standard error, and the end of what it read.
pub(crate) struct Stderr {
    tail: Arc<Mutex<Tail>>,
    reading: Option<JoinHandle<()>>,
}

/// Where the stream of the child goes.
pub(crate) fn stdio(to: StderrTo) -> Stdio {
    match to {
        StderrTo::Inherit => Stdio::inherit(),
        StderrTo::Discard | StderrTo::Log => Stdio::piped(),
    }
}

impl Stderr {
    /// Starts to read.
    pub(crate) fn read(
        key: &str,
        stream: Option<ChildStderr>,
        command: &Command,
        redactor: Redactor,
    ) -> Self {
        let tail = Arc::default();
        let reading = stream.map(|stream| {
            let reader = StderrReader {
                key: key.to_owned(),
                log: command.stderr == StderrTo::Log,
                redactor,
                limit: LogLimit::default(),
                tail: Arc::clone(&tail),
            };
            tokio::spawn(reader.run(stream))
        });
        Self { tail, reading }
    }

    /// Waits until all was read. Safe to cancel.
    pub(crate) async fn ended(&mut self) {
        if let Some(reading) = &mut self.reading {
            let _ = reading.await;
            self.reading = None;
        }
    }

    /// The last lines, oldest first.
    #[cfg(test)]
    pub(crate) fn tail(&self) -> Vec<String> {
        lock(&self.tail).lines.iter().cloned().collect()
    }

    /// The end of the last lines, for an error.
    pub(crate) fn tail_text(&self) -> String {
        let tail = lock(&self.tail);
        let mut room = SHOWN_BYTES;
        let mut shown: Vec<&str> = Vec::new();
        for line in tail.lines.iter().rev() {
            if line.len() > room && !shown.is_empty() {
                break;
            }
            let line = truncate(line, SHOWN_BYTES);
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

#[derive(Default)]
struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    fn push(&mut self, line: &str) {
        let line = truncate(line, TAIL_BYTES).to_owned();
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > TAIL_LINES || self.bytes > TAIL_BYTES {
            let Some(first) = self.lines.pop_front() else { break };
            self.bytes -= first.len();
        }
    }
}

struct StderrReader {
    key: String,
    log: bool,
    redactor: Redactor,
    limit: LogLimit,
    tail: Arc<Mutex<Tail>>,
}

impl StderrReader {
    async fn run(mut self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        let mut lines = Lines::default();
        // An error of a pipe is its end.
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            lines.add(&buffer[..count], |line| self.line(&line));
        }
        lines.finish(|line| self.line(&line));
        self.log_left_out(self.limit.left_out());
    }

    fn line(&mut self, line: &str) {
        let line = self.redactor.redact(line).into_owned();
        if self.log
            && let Some(left_out) = self.limit.admit(Instant::now())
        {
            self.log_left_out(left_out);
            tracing::debug!(target: "genkit::mcp", server = %self.key, "{line}");
        }
        lock(&self.tail).push(&line);
    }

    fn log_left_out(&self, lines: u64) {
        if lines > 0 {
            tracing::debug!(
                target: "genkit::mcp", server = %self.key,
                "{lines} lines of its standard error were left out"
            );
        }
    }
}
