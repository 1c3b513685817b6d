//! Errors of Ollama: invalid settings, unsupported messages, and invalid responses.

use super::NAME;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: ollama.com requires an API key; set the environment variable OLLAMA_API_KEY, or call `.api_key(..)`"
    )]
    MissingApiKey,
    #[error("{NAME}: message {message}: part {part}: {reason}")]
    Part { message: usize, part: usize, reason: &'static str },
    #[error("{NAME}: the response has no message")]
    MissingMessage,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingApiKey => ErrorKind::Unauthenticated,
            Self::Part { .. } => ErrorKind::InvalidArgument,
            Self::MissingMessage => ErrorKind::Unavailable,
        }
    }
}
