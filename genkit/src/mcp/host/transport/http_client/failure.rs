//! A request that failed, and what follows from it.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Topic};

/// A request over HTTP that failed. Several requests may wait for one answer, so that it is cloned.
#[derive(Clone, Debug)]
pub(crate) struct HttpFailure {
    kind: ErrorKind,
    text: String,
    pub(super) session_lost: bool,
    pub(super) unsent: bool,
    pub(super) retry_after: Option<Duration>,
    /// The error of the user that led to it.
    source: Option<Arc<Error>>,
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

    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same failure of a request that was not sent.
    pub(crate) fn unsent(self) -> Self {
        Self { unsent: true, ..self }
    }

    pub(super) fn session_lost(self) -> Self {
        Self { session_lost: true, ..self }
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

    /// The same failure, with the error of the user that led to it.
    pub(crate) fn caused_by(self, source: Error) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// The same failure, of another kind.
    pub(crate) fn of_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
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
