//! The errors of chat completions: settings, messages that they cannot take, answers that make no sense.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    UnknownServer(String),
    #[error(
        "{provider} cannot be told to call `{tool}` and no other: offer that tool alone, or take \
         `ToolChoice::Required`"
    )]
    NoNamedToolChoice { provider: String, tool: String },
    #[cfg(not(feature = "openai-responses"))]
    #[error(
        "`{name}` is answered by the Responses API alone: turn on the feature `openai-responses` of \
         genkit in Cargo.toml"
    )]
    ResponsesAlone { name: String },
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
            #[cfg(not(feature = "openai-responses"))]
            Self::ResponsesAlone { .. } => ErrorKind::FailedPrecondition,
            Self::NoChoices { .. } | Self::NoChunks { .. } => ErrorKind::Unavailable,
        }
    }
}
