//! The errors of Anthropic: its settings, messages that it cannot take, answers that make no sense.

use super::NAME;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: there is no key: set ANTHROPIC_API_KEY in the environment, or give one \
         with `.api_key(..)`"
    )]
    NoKey,
    #[error("{NAME}: message {message}: part {part}: {reason}")]
    Part { message: usize, part: usize, reason: &'static str },
    #[error(
        "{NAME}: {model} cannot be made to call a tool: take `ToolChoice::Auto`, and say in the prompt \
         when the tool is to be called"
    )]
    NoForcedTools { model: String },
    #[error("{NAME}: the answer is no message")]
    NoMessage,
    #[error("{NAME}: the stream ended before the answer began")]
    NoEvents,
    #[error("{NAME}: the answer has no count of tokens")]
    NoCount,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoKey => ErrorKind::Unauthenticated,
            Self::Part { .. } | Self::NoForcedTools { .. } => ErrorKind::InvalidArgument,
            Self::NoMessage | Self::NoEvents | Self::NoCount => ErrorKind::Unavailable,
        }
    }
}
