//! The errors of Gemini: its settings, messages that it cannot take, answers that make no sense.

use super::NAME;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: there is no key: set GEMINI_API_KEY in the environment, or give one with \
         `.api_key(..)`"
    )]
    NoKey,
    #[error("{NAME}: the name of the model is empty")]
    NoModelName,
    #[error("{NAME}: message {message}: part {part}: {reason}")]
    Part { message: usize, part: usize, reason: &'static str },
    #[error("{NAME}: the answer was cut off")]
    CutOff,
    #[error("{NAME}: the answer is not UTF-8")]
    NotUtf8,
    #[error("{NAME}: the answer has no candidates")]
    NoCandidates,
    #[error("{NAME}: a piece of a call's arguments has no place that makes sense")]
    PartialArg,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoKey => ErrorKind::Unauthenticated,
            Self::NoModelName | Self::Part { .. } => ErrorKind::InvalidArgument,
            Self::CutOff | Self::NoCandidates => ErrorKind::Unavailable,
            Self::NotUtf8 | Self::PartialArg => ErrorKind::Internal,
        }
    }
}
