//! The errors of a server of agents: at start-up, and for requests that are rejected.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_flows::internal::Rejection;
use genkit_http_server::internal::{BodyError, HostRejection};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("two agents have the name `{0}`")]
    TwoAgents(String),
    #[error(transparent)]
    Host(#[from] HostRejection),
    #[error(
        "Forbidden: this origin is not allowed to call the server; allow it with `.cors([..])`"
    )]
    Origin,
    #[error("no agent is served at this path")]
    NoSuchPath,
    #[error("an agent must be called with POST")]
    Method,
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(
        "the body is not an object such as {{\"data\": {{\"message\": ..}}, \"init\": {{}}}}: {0}"
    )]
    NotInput(String),
    #[error("{0} requests are already active; try again in a moment")]
    TooManyRunning(usize),
    #[error("the server is shutting down")]
    ShuttingDown,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Origin | Self::Host(HostRejection::Unknown(_)) => ErrorKind::PermissionDenied,
            Self::NoSuchPath => ErrorKind::NotFound,
            Self::Method => ErrorKind::Unimplemented,
            Self::Body(BodyError::Slow(_)) => ErrorKind::DeadlineExceeded,
            Self::TooManyRunning(_) => ErrorKind::ResourceExhausted,
            Self::ShuttingDown | Self::Body(BodyError::NoRoom) => ErrorKind::Unavailable,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        match &error {
            Error::Method => Self::of_method(&error),
            Error::Body(body) => Self::of_server(&error, Some(body)),
            _ => Self::of_server(&error, None),
        }
    }
}
