//! Errors of sampling, as servers read them.

use crate::limits::{MAX_SAMPLING, SAMPLING_TIMEOUT};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("this program does not lend its model for this request")]
    NotAllowed,
    #[error("{MAX_SAMPLING} requests for the model run already")]
    TooMany,
    #[error("a request for the model has {0} bytes, and {1} are the most")]
    TooLarge(usize, usize),
    #[error(
        "this server may use {0} tokens of the model, and fewer are left than this request may need"
    )]
    UsedUp(u64),
    #[error("the model did not answer within {SAMPLING_TIMEOUT:?}")]
    Slow,
    #[error("the sampling handler panicked")]
    Panicked,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAllowed => ErrorKind::PermissionDenied,
            Self::TooMany | Self::TooLarge(..) | Self::UsedUp(_) => ErrorKind::ResourceExhausted,
            Self::Slow => ErrorKind::DeadlineExceeded,
            Self::Panicked => ErrorKind::Internal,
        }
    }
}
