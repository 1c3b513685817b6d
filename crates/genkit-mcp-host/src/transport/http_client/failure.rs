//! A request that failed, and what follows from it.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use genkit_core::internal::error::Topic;
use genkit_core::{Error, ErrorKind};

/// A request over HTTP that failed. Several requests may wait for one answer, so that it is cloned.
#[derive(Clone, Debug)]
pub(crate) struct HttpFailure {
    pub(crate) kind: ErrorKind,
    pub(crate) text: String,
    /// The server does not know the session any more: a new one is needed.
    pub(crate) session_lost: bool,
    /// The request certainly never reached the server: it may be sent again.
    pub(crate) unsent: bool,
    pub(crate) retry_after: Option<Duration>,
    /// The error of the user that led to it.
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

    /// An error of another room.
    pub(crate) fn of(error: &Error) -> Self {
        Self::new(error.kind(), error.chain())
    }

    /// The same failure, with what led to it in front.
    pub(crate) fn within(self, what: impl fmt::Display) -> Self {
        Self { text: format!("{what}: {}", self.text), ..self }
    }

    /// The same failure, as the reason why there is no access to a server.
    pub(crate) fn no_access_to(self, target: &str) -> Self {
        self.within(format_args!("no access to {target}"))
    }

    /// The same failure, with a reason at its end.
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
