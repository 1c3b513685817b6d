//! The errors of calling a flow.

use std::time::Duration;

use serde_json::Value;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_http_client::internal::sse::SseError;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the URL of the flow is not valid: {0}")]
    Address(String),
    #[error("failed to serialize the input to JSON: {0}")]
    Input(String),
    #[error("`{0}` is not a valid header name")]
    HeaderName(String),
    #[error("the value of the header `{0}` contains characters that are not allowed")]
    HeaderValue(String),

    #[error("cannot connect to {host}: {cause}")]
    Connect { host: String, cause: String },
    #[error("{host} closed the connection: {cause}")]
    Closed { host: String, cause: String },
    #[error("{host} did not finish within {limit:?}")]
    Slow { host: String, limit: Duration },
    #[error("{host} responded with a redirect (HTTP {status}); redirects are not followed")]
    Redirect { host: String, status: u16 },
    #[error("{host} has no such stream: it is unknown, has expired, or belongs to another caller")]
    StreamNotFound { host: String },
    #[error("the response from {host} has more than {limit} bytes")]
    TooLong { host: String, limit: usize },
    #[error("the response from {host} is not a flow response: {why}")]
    InvalidResponse { host: String, why: String },
    #[error("the stream from {host} ended without a result")]
    EndedEarly { host: String },
    #[error("cannot read the stream from {host}")]
    Stream { host: String, source: SseError },
    #[error("the {what} of the flow does not match the requested type: {why}")]
    Misfit { what: &'static str, why: String },

    /// The error from the flow, with the server's message.
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
            Self::StreamNotFound { .. } => ErrorKind::NotFound,
            Self::TooLong { .. } => ErrorKind::ResourceExhausted,
            Self::Redirect { .. } => ErrorKind::FailedPrecondition,
            Self::InvalidResponse { .. } | Self::Stream { .. } | Self::Misfit { .. } => {
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
