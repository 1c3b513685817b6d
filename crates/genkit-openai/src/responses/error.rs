//! Errors of the Responses API: unsupported requests, and invalid responses.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the Responses API does not support videos; send single images, or use a Gemini model")]
    Video,
    #[error("{provider}: the response has no output")]
    MissingOutput { provider: String },
    #[error("{provider}: the server reported a failure without a reason")]
    Failed { provider: String },
    #[error("{provider}: the response has more than {limit} items")]
    TooManyItems { provider: String, limit: usize },
    #[error("{provider}: the response has no token usage")]
    MissingTokenCount { provider: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Video => ErrorKind::InvalidArgument,
            Self::MissingOutput { .. } | Self::MissingTokenCount { .. } => ErrorKind::Unavailable,
            Self::Failed { .. } => ErrorKind::Unknown,
            Self::TooManyItems { .. } => ErrorKind::ResourceExhausted,
        }
    }
}
