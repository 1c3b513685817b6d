//! What went wrong with a server over HTTP, in words and in what follows from it.

mod messages;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};
use rmcp::transport::worker::WorkerQuitReason;

pub(crate) use messages::{At, deepest, http_status};

use crate::error::{Error, ErrorKind};

/// What an error means for a connection.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) error: Error,
    /// The server does not know the session any more: a new one is needed.
    pub(crate) session_lost: bool,
    /// The request certainly never reached the server: it may be sent again.
    pub(crate) unsent: bool,
}

/// What `error`, or what is under it, means; `None` if HTTP has no part in it.
pub(crate) fn explain(error: &(dyn StdError + 'static)) -> Option<Fault> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(failure) = known(error) {
            return Some(failure.into());
        }
        if let Some(ClientInitializeError::LegacyFallbackFailed { discover, fallback }) =
            error.downcast_ref()
        {
            return explain(fallback).or_else(|| explain(discover));
        }
        next = hidden(error).or_else(|| error.source());
    }
    None
}

/// The errors that say what happened.
fn known(error: &(dyn StdError + 'static)) -> Option<Failure> {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return Some(failure.clone());
    }
    if let Some(error) = error.downcast_ref::<StreamableHttpError<Failure>>() {
        return Some(match error {
            StreamableHttpError::Client(failure) => failure.clone(),
            other => At { target: "the server", session: true }.transport(other),
        });
    }
    let at = At { target: "the server", session: false };
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return Some(at.request(error));
    }
    if let Some(error) = error.downcast_ref::<HttpStatusError>() {
        return Some(at.status(error.status, error.retry_after.as_deref(), ""));
    }
    error.downcast_ref::<AuthError>().map(|error| at.authorization(error))
}

/// Causes that rmcp keeps without naming them as the source.
fn hidden<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    if let Some(ServiceError::TransportSend(error)) = error.downcast_ref() {
        return Some(error.error.as_ref());
    }
    if let Some(ClientInitializeError::TransportError { error, .. }) = error.downcast_ref() {
        return Some(error.error.as_ref());
    }
    match error.downcast_ref()? {
        WorkerQuitReason::<StreamableHttpError<Failure>>::Fatal { error, .. } => Some(error),
        _ => None,
    }
}

/// A request that failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    kind: ErrorKind,
    text: String,
    session_lost: bool,
    unsent: bool,
    retry_after: Option<Duration>,
    /// The error of the user that led to it.
    source: Option<Arc<Error>>,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { kind, text, session_lost: false, unsent: false, retry_after: None, source: None }
    }

    /// The same failure of a request that was not sent.
    pub(crate) fn unsent(mut self) -> Self {
        self.unsent = true;
        self
    }

    fn session_lost(mut self) -> Self {
        self.session_lost = true;
        self
    }

    /// The same failure, with a reason at its end.
    fn because(mut self, why: &str) -> Self {
        self.text = format!("{}, {why}", self.text);
        self
    }

    /// The same failure, with what led to it in front.
    pub(crate) fn within(mut self, what: &str) -> Self {
        self.text = format!("{what}: {}", self.text);
        self
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same failure, with the error of the user that led to it.
    pub(crate) fn caused_by(mut self, source: Error) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The same failure, of another kind.
    pub(crate) fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let error = Self::new(failure.kind, failure.text);
        let error = match failure.source {
            Some(source) => error.with_source(source),
            None => error,
        };
        match failure.retry_after {
            Some(wait) => error.with_retry_after(wait),
            None => error,
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let Failure { session_lost, unsent, .. } = failure;
        Self { error: failure.into(), session_lost, unsent }
    }
}
