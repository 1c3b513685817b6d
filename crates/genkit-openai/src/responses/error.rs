//! The errors of the Responses API: requests that it cannot take, answers that make no sense.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the Responses API takes no videos: give single pictures, or ask a Gemini")]
    Video,
    #[error("{provider}: the answer has no output")]
    NoOutput { provider: String },
    #[error("{provider}: the answer failed, and does not say why")]
    Failed { provider: String },
    #[error("{provider}: the answer has more than {limit} items")]
    TooManyItems { provider: String, limit: usize },
    #[error("{provider}: the answer has no count of tokens")]
    NoCount { provider: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Video => ErrorKind::InvalidArgument,
            Self::NoOutput { .. } | Self::NoCount { .. } => ErrorKind::Unavailable,
            Self::Failed { .. } => ErrorKind::Unknown,
            Self::TooManyItems { .. } => ErrorKind::ResourceExhausted,
        }
    }
}
