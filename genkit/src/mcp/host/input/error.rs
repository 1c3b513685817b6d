//! Errors of sampling, as servers read them.

use crate::error::{ErrorKind, Topic};
use crate::mcp::host::limits::{MAX_SAMPLING, SAMPLING_TIMEOUT};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("this program does not lend its model for this request")]
    NotAllowed,
    #[error("{MAX_SAMPLING} requests for the model run already")]
    TooMany,
    #[error("the model did not answer within {SAMPLING_TIMEOUT:?}")]
    Slow,
    #[error("the sampling handler panicked")]
    Panicked,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAllowed => ErrorKind::PermissionDenied,
            Self::TooMany => ErrorKind::ResourceExhausted,
            Self::Slow => ErrorKind::DeadlineExceeded,
            Self::Panicked => ErrorKind::Internal,
        }
    }
}
