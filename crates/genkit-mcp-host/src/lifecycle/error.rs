//! Errors of connecting: handshakes, servers that are not there.

use std::time::Duration;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

/// The errors of a server's lifecycle; each text follows the name of the server.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "did not answer the handshake within {0:?}: raise `.connect_timeout(..)` if it needs longer \
         to start"
    )]
    SlowHandshake(Duration),
    #[error("ended before it answered the handshake")]
    EndedEarly,
    #[error("does not say what it is")]
    NoInfo,
    #[error("speaks version `{version}` of MCP; known are {known}")]
    UnknownVersion { version: String, known: String },
    #[error("speaks only versions of MCP that are unknown: {0}")]
    UnknownVersions(String),
    #[error("was closed while it was connected")]
    ClosedEarly,
    #[error(
        "answered the handshake with something else: it is no MCP server, or one that is broken"
    )]
    NoMcp,
    #[error("cannot be connected: {0}")]
    Handshake(String),
    #[error("cannot be written to: {0}")]
    Unwritable(String),
    #[error("is gone: {0}")]
    Gone(String),
    #[error("is still not connected after {0:?}")]
    SlowConnection(Duration),
    #[error("is disabled: `.enable(\"{0}\")` starts it")]
    Disabled(String),
    #[error("is not there")]
    Absent,
    #[error("was closed with its host")]
    Closed,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::SlowHandshake(_) | Self::SlowConnection(_) => ErrorKind::DeadlineExceeded,
            Self::EndedEarly | Self::NoMcp | Self::Unwritable(_) | Self::Gone(_) | Self::Absent => {
                ErrorKind::Unavailable
            }
            Self::NoInfo | Self::Handshake(_) => ErrorKind::Internal,
            Self::UnknownVersion { .. } | Self::UnknownVersions(_) | Self::Disabled(_) => {
                ErrorKind::FailedPrecondition
            }
            Self::ClosedEarly | Self::Closed => ErrorKind::Cancelled,
        }
    }
}
