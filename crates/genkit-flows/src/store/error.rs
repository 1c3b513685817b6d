//! The errors of durable streams.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("there is a stream of this id already")]
    Known,
    #[error("{0} streams are running already: try again in a moment")]
    TooMany(usize),
    #[error(
        "the stream has more than {0} bytes, which are kept for clients that lose it: it was ended"
    )]
    TooLong(usize),
    #[error(
        "all streams together have more than {0} bytes: this one was ended; try again in a moment"
    )]
    Full(usize),
    #[error("the flow ended without a result")]
    Abandoned,
    #[error("the stream has ended already")]
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
