//! The error messages of tests: scripts that are too short, servers that do not answer.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the script has {0} answers, and another call was made")]
    ScriptEnded(usize),
    #[cfg(feature = "testing")]
    #[error("the client could not connect")]
    Connect(#[source] Box<rmcp::service::ClientInitializeError>),
    #[cfg(feature = "testing")]
    #[error("arguments must be a JSON object")]
    ArgumentsNoObject,
    /// An error that the server answered with.
    #[cfg(feature = "testing")]
    #[error("{}: {}", .0.code.0, .0.message)]
    Protocol(rmcp::ErrorData),
    #[cfg(feature = "testing")]
    #[error("{0}")]
    Transport(rmcp::ServiceError),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ScriptEnded(_) => ErrorKind::OutOfRange,
            #[cfg(feature = "testing")]
            Self::ArgumentsNoObject => ErrorKind::InvalidArgument,
            #[cfg(feature = "testing")]
            Self::Protocol(_) => ErrorKind::Aborted,
            #[cfg(feature = "testing")]
            Self::Connect(_) | Self::Transport(_) => ErrorKind::Unavailable,
        }
    }

    fn details(&self) -> Option<serde_json::Value> {
        match self {
            #[cfg(feature = "testing")]
            Self::Protocol(error) => error.data.clone(),
            _ => None,
        }
    }
}
