//! Errors of listening for connections.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot listen on {address}")]
    Listen { address: String, source: std::io::Error },
    #[error(
        "`{address}` is not a valid address; use a host and a port such as `127.0.0.1:8000`, or `unix:/a/path`"
    )]
    InvalidAddress { address: String, source: std::io::Error },
    #[error("cannot use the provided listener")]
    InvalidListener { source: std::io::Error },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidAddress { .. } => ErrorKind::InvalidArgument,
            Self::Listen { .. } | Self::InvalidListener { .. } => ErrorKind::Unavailable,
        }
    }
}
