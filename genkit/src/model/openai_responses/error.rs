//! The errors of the Responses API: requests that it cannot take, answers that make no sense.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{provider}: the answer has no output")]
    NoOutput { provider: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoOutput { .. } => ErrorKind::Unavailable,
        }
    }
}
