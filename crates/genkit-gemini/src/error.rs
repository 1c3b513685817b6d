//! Errors of Gemini: invalid settings, unsupported messages, and invalid responses.

use super::NAME;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: no API key is set; set the environment variable GEMINI_API_KEY, or call \
         `.api_key(..)`"
    )]
    MissingApiKey,
    #[error("{NAME}: the model name is empty")]
    NoModelName,
    #[error("{NAME}: message {message}: part {part}: {reason}")]
    Part { message: usize, part: usize, reason: &'static str },
    #[error("{NAME}: the response is incomplete")]
    CutOff,
    #[error("{NAME}: the response is not valid UTF-8")]
    NotUtf8,
    #[error("{NAME}: the response has no candidates")]
    NoCandidates,
    #[error("{NAME}: the response has partial tool call arguments with an invalid JSON path")]
    PartialArg,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingApiKey => ErrorKind::Unauthenticated,
            Self::NoModelName | Self::Part { .. } => ErrorKind::InvalidArgument,
            Self::CutOff | Self::NoCandidates => ErrorKind::Unavailable,
            Self::NotUtf8 | Self::PartialArg => ErrorKind::Internal,
        }
    }
}
