//! Errors of the Chat Completions API: invalid settings, unsupported messages, and invalid responses.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    UnknownServer(String),
    #[error(
        "{provider} does not support forcing a call to `{tool}`; offer only this tool, or use \
         `ToolChoice::Required`"
    )]
    NamedToolChoiceUnsupported { provider: String, tool: String },
    #[error("{provider}: the response has no choices")]
    MissingChoices { provider: String },
    #[error("{provider}: the stream ended before the response began")]
    EmptyStream { provider: String },
    #[error("{provider}: the response has more than {limit} tool calls")]
    TooManyCalls { provider: String, limit: usize },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownServer(_) => ErrorKind::NotFound,
            Self::NamedToolChoiceUnsupported { .. } => ErrorKind::InvalidArgument,
            Self::MissingChoices { .. } | Self::EmptyStream { .. } => ErrorKind::Unavailable,
            Self::TooManyCalls { .. } => ErrorKind::Internal,
        }
    }
}
