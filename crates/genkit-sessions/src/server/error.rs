//! The errors of a server of agents: at start-up, and for requests that are rejected.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_flows::internal::Rejection;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("duplicate agent name `{0}`; rename one of the agents")]
    TwoAgents(String),
    #[error("no agent is served at this path")]
    PathNotFound,
    #[error(
        "the body is not an object such as {{\"data\": {{\"message\": ..}}, \"init\": {{}}}}: {0}"
    )]
    InvalidInput(String),
    #[error(
        "the state was not sealed by this server for this client, was changed, or has expired; send the state of the last \
         response unchanged, or start a new conversation without `state`. Servers that share clients or restart need \
         `.sealing_key(..)`"
    )]
    UnsealedState,
    #[error("the sealing key has {0} bytes; use at least {1} random bytes")]
    ShortKey(usize, usize),
    #[error("the server is shutting down")]
    ShuttingDown,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::PathNotFound => ErrorKind::NotFound,
            Self::ShuttingDown => ErrorKind::Unavailable,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        Self::from_server_error(&error, None)
    }
}
