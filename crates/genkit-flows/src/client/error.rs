//! The errors of calling a flow.

use std::time::Duration;

use serde_json::Value;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_http_client::internal::sse::SseError;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the address of the flow is not one of http or https: {0}")]
    Address(String),
    #[error("the input does not serialize to JSON: {0}")]
    Input(String),
    #[error("`{0}` is no name of a header")]
    HeaderName(String),
    #[error("the value of the header `{0}` has characters that a header cannot have")]
    HeaderValue(String),

    #[error("cannot connect to {host}: {cause}")]
    Connect { host: String, cause: String },
    #[error("{host} closed the connection: {cause}")]
    Closed { host: String, cause: String },
    #[error("{host} did not finish within {limit:?}")]
    Slow { host: String, limit: Duration },
    #[error("{host} answers with a redirect (HTTP {status}), which is not followed")]
    Redirect { host: String, status: u16 },
    #[error("{host} has no such stream: it is unknown, expired, or somebody else's")]
    NoStream { host: String },
    #[error("the answer of {host} has more than {limit} bytes")]
    TooLong { host: String, limit: usize },
    #[error("the answer of {host} is no answer of a flow: {why}")]
    NoAnswer { host: String, why: String },
    #[error("the stream of {host} ended without a result")]
    EndedEarly { host: String },
    #[error("the stream of {host} cannot be read")]
    Stream { host: String, source: SseError },
    #[error("the {what} of the flow does not fit: {why}")]
    Misfit { what: &'static str, why: String },
    #[error("the stream has failed already")]
    AlreadyFailed,

    /// What the flow failed with, in the server's words.
    #[error("{message}")]
    Failed { kind: ErrorKind, message: String, details: Option<Value> },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Address(_) | Self::Input(_) | Self::HeaderName(_) | Self::HeaderValue(_) => {
                ErrorKind::InvalidArgument
            }
            Self::Connect { .. } | Self::Closed { .. } | Self::EndedEarly { .. } => {
                ErrorKind::Unavailable
            }
            Self::Slow { .. } => ErrorKind::DeadlineExceeded,
            Self::NoStream { .. } => ErrorKind::NotFound,
            Self::TooLong { .. } => ErrorKind::ResourceExhausted,
            Self::Redirect { .. } | Self::AlreadyFailed => ErrorKind::FailedPrecondition,
            Self::NoAnswer { .. } | Self::Stream { .. } | Self::Misfit { .. } => {
                ErrorKind::Internal
            }
            Self::Failed { kind, .. } => *kind,
        }
    }

    fn details(&self) -> Option<Value> {
        match self {
            Self::Failed { details, .. } => details.clone(),
            _ => None,
        }
    }
}
