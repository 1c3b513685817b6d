//! A failed request, and its consequences.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use genkit_core::internal::error::Topic;
use genkit_core::{Error, ErrorKind};

/// A failed HTTP request. It is `Clone` because several requests may wait for the same response.
#[derive(Clone, Debug)]
pub(crate) struct HttpFailure {
    pub(crate) kind: ErrorKind,
    pub(crate) text: String,
    /// The server no longer knows the session: a new one is needed.
    pub(crate) session_lost: bool,
    /// The request certainly did not reach the server, and may be sent again.
    pub(crate) unsent: bool,
    pub(crate) retry_after: Option<Duration>,
    /// The user's own error that caused it.
    pub(crate) source: Option<Arc<Error>>,
}

impl<T: Topic> From<T> for HttpFailure {
    fn from(error: T) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

impl HttpFailure {
    fn new(kind: ErrorKind, text: String) -> Self {
        Self { kind, text, session_lost: false, unsent: false, retry_after: None, source: None }
    }

    /// Converts a general error.
    pub(crate) fn of(error: &Error) -> Self {
        Self::new(error.kind(), error.chain())
    }

    /// Prefixes the text with what failed.
    pub(crate) fn within(self, what: impl fmt::Display) -> Self {
        Self { text: format!("{what}: {}", self.text), ..self }
    }

    /// Prefixes the text with "no access to `target`".
    pub(crate) fn no_access_to(self, target: &str) -> Self {
        self.within(format_args!("no access to {target}"))
    }

    /// Appends a reason to the text.
    pub(super) fn because(self, why: &str) -> Self {
        Self { text: format!("{}, {why}", self.text), ..self }
    }
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for HttpFailure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<HttpFailure> for Error {
    fn from(failure: HttpFailure) -> Self {
        let mut error = Self::new(failure.kind, failure.text);
        if let Some(source) = failure.source {
            error = error.with_source(source);
        }
        if let Some(wait) = failure.retry_after {
            error = error.with_retry_after(wait);
        }
        error
    }
}
