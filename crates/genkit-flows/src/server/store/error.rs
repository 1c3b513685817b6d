//! The errors of durable streams.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("a stream with this id already exists")]
    Known,
    #[error("{0} streams are already running; try again in a moment")]
    TooMany(usize),
    #[error("the stream exceeds the limit of {0} stored bytes and was ended")]
    TooLong(usize),
    #[error(
        "the stream was ended because all streams together exceed the limit of {0} stored bytes; try again in a moment"
    )]
    Full(usize),
    #[error("the flow ended without a result")]
    Abandoned,
    #[error("the stream has already ended")]
    Ended,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Known => ErrorKind::AlreadyExists,
            Self::TooMany(_) | Self::TooLong(_) | Self::Full(_) => ErrorKind::ResourceExhausted,
            Self::Abandoned => ErrorKind::Internal,
            Self::Ended => ErrorKind::FailedPrecondition,
        }
    }
}
