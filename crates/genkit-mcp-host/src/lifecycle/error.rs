//! Errors of connecting: handshakes, and servers that are unreachable.

use std::time::Duration;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

/// Errors of a server's lifecycle; each text follows the name of the server.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "did not respond to the handshake within {0:?}; raise `.connect_timeout(..)` if it needs longer \
         to start"
    )]
    SlowHandshake(Duration),
    #[error("closed the connection before it responded to the handshake")]
    EndedEarly,
    #[error("sent no `serverInfo`")]
    MissingServerInfo,
    #[error("uses the unsupported MCP version `{version}`; supported versions: {known}")]
    UnknownVersion { version: String, known: String },
    #[error("supports only unsupported MCP versions: {0}")]
    UnknownVersions(String),
    #[error("was closed during the handshake")]
    ClosedEarly,
    #[error(
        "responded to the handshake with something other than MCP; it is not an MCP server, or it is broken"
    )]
    NotMcp,
    #[error("returned an invalid `initialize` result: {0}; fix the server")]
    InvalidInitialize(String),
    #[error("could not be connected: {0}")]
    Handshake(String),
    #[error("cannot be written to: {0}")]
    Unwritable(String),
    #[error("disconnected: {0}")]
    Gone(String),
    #[error("is still not connected after {0:?}")]
    SlowConnection(Duration),
    #[error("is disabled; start it with `.enable(\"{0}\")`")]
    Disabled(String),
    #[error("is not connected")]
    Absent,
    #[error("was closed because its host was closed")]
    Closed,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::SlowHandshake(_) | Self::SlowConnection(_) => ErrorKind::DeadlineExceeded,
            Self::EndedEarly
            | Self::NotMcp
            | Self::Unwritable(_)
            | Self::Gone(_)
            | Self::Absent => ErrorKind::Unavailable,
            Self::MissingServerInfo | Self::InvalidInitialize(_) | Self::Handshake(_) => {
                ErrorKind::Internal
            }
            Self::UnknownVersion { .. } | Self::UnknownVersions(_) | Self::Disabled(_) => {
                ErrorKind::FailedPrecondition
            }
            Self::ClosedEarly | Self::Closed => ErrorKind::Cancelled,
        }
    }
}
