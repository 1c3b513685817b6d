//! Errors of sampling, as sent to servers.

use crate::limits::{MAX_SAMPLING, MAX_SERVER_SAMPLING, SAMPLING_TIMEOUT};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("this program does not allow sampling for this request")]
    NotAllowed,
    #[error("too many sampling requests; at most {MAX_SAMPLING} may run at once")]
    TooMany,
    #[error(
        "too many sampling requests from this server; at most {MAX_SERVER_SAMPLING} may run at once"
    )]
    TooManyOfServer,
    #[error("the sampling request is {0} bytes long, but the limit is {1}")]
    TooLarge(usize, usize),
    #[error(
        "the remaining budget of this server ({0} tokens in total) is too small for this request"
    )]
    TokensExhausted(u64),
    #[error("the model did not respond within {SAMPLING_TIMEOUT:?}")]
    Slow,
    #[error("the sampling handler panicked")]
    Panicked,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAllowed => ErrorKind::PermissionDenied,
            Self::TooMany
            | Self::TooManyOfServer
            | Self::TooLarge(..)
            | Self::TokensExhausted(_) => ErrorKind::ResourceExhausted,
            Self::Slow => ErrorKind::DeadlineExceeded,
            Self::Panicked => ErrorKind::Internal,
        }
    }
}
