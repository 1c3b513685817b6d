//! The errors of listening.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot listen on {address}")]
    Listen { address: String, source: std::io::Error },
    #[error("the listener that was given cannot be used")]
    GivenListener { source: std::io::Error },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Unavailable
    }
}
