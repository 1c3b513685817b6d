//! The errors of chat completions: settings, messages that they cannot take, answers that make no sense.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    UnknownServer(String),
    #[error(
        "{provider} cannot be told to call `{tool}` and no other: offer that tool alone, or take \
         `ToolChoice::Required`"
    )]
    NoNamedToolChoice { provider: String, tool: String },
    #[error("{provider}: the answer has no choices")]
    NoChoices { provider: String },
    #[error("{provider}: the stream ended before the answer began")]
    NoChunks { provider: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownServer(_) => ErrorKind::NotFound,
            Self::NoNamedToolChoice { .. } => ErrorKind::InvalidArgument,
            Self::NoChoices { .. } | Self::NoChunks { .. } => ErrorKind::Unavailable,
        }
    }
}
