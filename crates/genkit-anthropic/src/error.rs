//! Errors of Anthropic: invalid settings, unsupported messages, and invalid responses.

use super::NAME;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: no API key is set; set the environment variable ANTHROPIC_API_KEY, or \
         call `.api_key(..)`"
    )]
    MissingApiKey,
    #[error("{NAME}: message {message}: part {part}: {reason}")]
    Part { message: usize, part: usize, reason: &'static str },
    #[error(
        "{NAME}: {model} cannot be forced to call a tool; use `ToolChoice::Auto`, and describe in the prompt \
         when to call the tool"
    )]
    ForcedToolUnsupported { model: String },
    #[error("{NAME}: the response is not a message")]
    MissingMessage,
    #[error("{NAME}: the stream ended before the response began")]
    EmptyStream,
    #[error("{NAME}: the response has no token usage")]
    MissingTokenCount,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingApiKey => ErrorKind::Unauthenticated,
            Self::Part { .. } | Self::ForcedToolUnsupported { .. } => ErrorKind::InvalidArgument,
            Self::MissingMessage | Self::EmptyStream | Self::MissingTokenCount => {
                ErrorKind::Unavailable
            }
        }
    }
}
