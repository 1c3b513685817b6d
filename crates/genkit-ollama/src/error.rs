//! The errors of Ollama: its settings, messages that it cannot take, answers that make no sense.

use super::NAME;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: ollama.com answers nobody without a key: set OLLAMA_API_KEY, or give one with `.api_key(..)`"
    )]
    NoKey,
    #[error("{NAME}: message {message}: part {part}: {reason}")]
    Part { message: usize, part: usize, reason: &'static str },
    #[error("{NAME}: the answer has no message")]
    NoMessage,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoKey => ErrorKind::Unauthenticated,
            Self::Part { .. } => ErrorKind::InvalidArgument,
            Self::NoMessage => ErrorKind::Unavailable,
        }
    }
}
