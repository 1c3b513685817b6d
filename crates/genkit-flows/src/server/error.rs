//! Errors of a flow server at startup, and of rejected requests.

use std::time::Duration;

use axum::http::StatusCode;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_http_server::internal::{BodyError, HostRejection, MemoryLimitReached};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "no flow to serve; this program does not link any `#[flow]`. A crate that only defines flows is \
         linked only if it is used, for example with `use my_flows as _;`. Without the feature `inventory`, add \
         flows with `Registry::new().add(flows![..])`"
    )]
    NothingLinked,
    /// Suggests the closest names.
    #[error("`.only([..])`: {0}")]
    OnlyUnknown(String),
    #[error("`PORT` is not a port number: `{0}`")]
    Port(String),

    #[error(transparent)]
    Host(#[from] HostRejection),
    #[error(
        "Forbidden: this origin is not allowed to call the server; allow it with `.cors([..])`"
    )]
    Origin,
    #[error("there is no flow with this name")]
    FlowNotFound,
    #[error("flows must be called with POST")]
    Method,
    #[error("`{name}` in the query must be {expected}")]
    Query { name: &'static str, expected: &'static str },
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error("the body is not JSON: {0}")]
    NotJson(String),
    #[error("{0} requests are already running; try again in a moment")]
    TooManyRunning(usize),
    #[error(transparent)]
    Memory(#[from] MemoryLimitReached),

    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("the client did not read its stream within {0:?}")]
    SlowReader(Duration),
    #[error("the stream ended unexpectedly")]
    UnexpectedEnd,
}

impl Error {
    /// Returns the HTTP status, if it differs from the status of the error kind.
    pub(super) fn http(&self) -> Option<StatusCode> {
        match self {
            Self::Method => Some(StatusCode::METHOD_NOT_ALLOWED),
            Self::Body(BodyError::Slow(_)) => Some(StatusCode::REQUEST_TIMEOUT),
            Self::Body(BodyError::Long(_)) => Some(StatusCode::PAYLOAD_TOO_LARGE),
            Self::Body(BodyError::BudgetExceeded) => Some(StatusCode::SERVICE_UNAVAILABLE),
            _ => None,
        }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NothingLinked => ErrorKind::FailedPrecondition,
            Self::Origin | Self::Host(HostRejection::Unknown(_)) => ErrorKind::PermissionDenied,
            Self::FlowNotFound => ErrorKind::NotFound,
            Self::Method => ErrorKind::Unimplemented,
            Self::Body(BodyError::Slow(_)) | Self::SlowReader(_) => ErrorKind::DeadlineExceeded,
            Self::TooManyRunning(_) | Self::Memory(_) => ErrorKind::ResourceExhausted,
            Self::ShuttingDown | Self::UnexpectedEnd | Self::Body(BodyError::BudgetExceeded) => {
                ErrorKind::Unavailable
            }
            Self::OnlyUnknown(_)
            | Self::Port(_)
            | Self::Host(HostRejection::Malformed)
            | Self::Query { .. }
            | Self::Body(_)
            | Self::NotJson(_) => ErrorKind::InvalidArgument,
        }
    }
}
