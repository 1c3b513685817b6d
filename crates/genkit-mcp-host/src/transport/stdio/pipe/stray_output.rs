//! Stray output: what a server prints where only messages belong.

use crate::transport::redact::Redactor;
use genkit_core::internal::visible::Logged;
use genkit_schema::internal::truncate;

/// Characters of such a line that a log shows.
const SHOWN_CHARS: usize = 200;

/// Counts lines that are no messages, and warns once.
#[derive(Debug)]
pub(crate) struct StrayOutput {
    key: String,
    lines: u64,
    pub(crate) redactor: Redactor,
}

impl StrayOutput {
    pub(crate) fn new(key: &str) -> Self {
        Self { key: key.to_owned(), lines: 0, redactor: Redactor::default() }
    }

    /// The server.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// So many lines were passed over.
    #[cfg(test)]
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Takes note of a line that is passed over.
    pub(crate) fn record(&mut self, fault: &str, excerpt: &str) {
        let server = self.key.as_str();
        let (fault, excerpt) = (self.redactor.redact(fault), self.redactor.redact(excerpt));
        let (fault, excerpt) = (Logged::text(fault), Logged::text(excerpt));
        if self.lines == 0 {
            tracing::warn!(
                target: "genkit::mcp", server,
                "the server wrote a line that is passed over ({fault}): {excerpt}. Its standard \
                 output is for messages alone; all else belongs on standard error"
            );
        } else {
            tracing::debug!(target: "genkit::mcp", server, "passed over a line ({fault}): {excerpt}");
        }
        self.lines += 1;
    }
}

impl Drop for StrayOutput {
    fn drop(&mut self) {
        if self.lines > 1 {
            let (server, lines) = (self.key.as_str(), self.lines);
            tracing::debug!(target: "genkit::mcp", server, lines, "lines of the server were passed over");
        }
    }
}

/// The beginning of a line, for a log or an error.
pub(crate) fn excerpt(line: &[u8]) -> String {
    // Four bytes are the most that a character has.
    let line = &line[..line.len().min(4 * SHOWN_CHARS)];
    truncate::excerpt(&String::from_utf8_lossy(line), SHOWN_CHARS)
}
