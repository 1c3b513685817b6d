//! Stray output: lines of a server that are not messages.

use crate::transport::redact::Redactor;
use genkit_core::internal::visible::Logged;
use genkit_schema::internal::truncate;

/// How many characters of a stray line are logged.
const SHOWN_CHARS: usize = 200;

/// Counts lines that are not messages, and warns once.
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

    /// Returns the key of the server.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Returns how many lines were ignored.
    #[cfg(test)]
    pub(crate) fn line_count(&self) -> u64 {
        self.lines
    }

    /// Records a line that is ignored.
    pub(crate) fn record_line(&mut self, fault: &str, excerpt: &str) {
        let server = self.key.as_str();
        let (fault, excerpt) =
            (self.redactor.redact_text(fault), self.redactor.redact_text(excerpt));
        let (fault, excerpt) = (Logged::text(fault), Logged::text(excerpt));
        if self.lines == 0 {
            tracing::warn!(
                target: "genkit::mcp", server,
                "ignored a line from the server ({fault}): {excerpt}; standard output is reserved \
                 for messages; other output belongs on standard error"
            );
        } else {
            tracing::debug!(target: "genkit::mcp", server, "ignored a line ({fault}): {excerpt}");
        }
        self.lines += 1;
    }
}

impl Drop for StrayOutput {
    fn drop(&mut self) {
        if self.lines > 1 {
            let (server, lines) = (self.key.as_str(), self.lines);
            tracing::debug!(target: "genkit::mcp", server, lines, "ignored lines from the server");
        }
    }
}

/// Returns an excerpt of a line, for a log or an error.
pub(crate) fn excerpt_of_line(line: &[u8]) -> String {
    // A character has at most four bytes.
    let line = &line[..line.len().min(4 * SHOWN_CHARS)];
    truncate::excerpt(&String::from_utf8_lossy(line), SHOWN_CHARS)
}
