//! The errors of calls over HTTP. None names a URL: it may hold a key.

use std::time::Duration;

use reqwest::StatusCode;

use super::status::kind_of_status;
use crate::error::{ErrorKind, Topic};
use crate::model::sse::SseError;

/// `api` is the provider and its host: `gemini: example.com`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    // Settings of a provider.
    #[error("{provider}: the base URL cannot be used: {reason}")]
    BaseUrl { provider: String, reason: String },
    #[error("{provider}: {name:?} is no header name")]
    HeaderName { provider: String, name: String },
    #[error("{provider}: the header {name} has a value with characters that no header may have")]
    HeaderValue { provider: String, name: String },
    #[error("{provider}: {path:?} is no path of a model")]
    Path { provider: String, path: String },
    #[error(
        "a test forbade the network, and {host} is not on this machine: replay a cassette or use a \
         model of your own"
    )]
    NetworkForbidden { host: String },

    // A call and its response.
    #[error("{api} could not be connected to in time: {cause}")]
    ConnectTimeout { api: String, cause: String },
    #[error("{api} cannot be connected to: {cause}")]
    Connect { api: String, cause: String },
    #[error("{api} closed the connection before it answered: {cause}")]
    Closed { api: String, cause: String },
    #[error("{api} did not answer within {limit:?}")]
    Timeout { api: String, limit: Duration },
    #[error(
        "{api} redirects to {target} (HTTP {status}): that is not followed, since the key would go \
         there too; set the base URL"
    )]
    Redirect { api: String, target: String, status: u16 },
    #[error("{api} sent an answer of more than {limit} bytes")]
    TooLarge { api: String, limit: usize },
    #[error("{api} cut its answer off after {read} bytes: {cause}")]
    CutOff { api: String, read: usize, cause: String },
    #[error("{api} sent an empty answer")]
    Empty { api: String },
    #[error("{api} answered with text that is not UTF-8")]
    NotUtf8 { api: String },
    #[error("{api} sent too much: {error}")]
    EventTooLong { api: String, error: SseError },
    #[error("{api} sent broken text: {error}")]
    BrokenEvent { api: String, error: SseError },
    #[error("{provider}: the answer was cut off: {reason}")]
    IncompleteJson { provider: String, reason: String },
    #[error("{provider}: the answer cannot be read: {reason}")]
    UnreadableJson { provider: String, reason: String },

    // Files that messages name.
    #[error("a file has no usable address: {0}")]
    FileAddress(String),
    #[error("{host} cannot be reached: {cause}")]
    FileUnreachable { host: String, cause: String },
    #[error("{host} answered {status} for a file")]
    FileStatus { host: String, status: StatusCode },
    #[error("{host} broke off in a file: {cause}")]
    FileCutOff { host: String, cause: String },
    #[error("a file of {host} has more than {limit} bytes")]
    FileTooLarge { host: String, limit: usize },
    #[error("{host} did not send a file within {limit:?}")]
    FileTimeout { host: String, limit: Duration },
}

impl Error {
    /// A body that is no JSON, or not what the provider documents.
    pub(crate) fn json(provider: &str, error: &serde_json::Error) -> Self {
        let (provider, reason) = (provider.to_owned(), error.to_string());
        if error.is_eof() {
            Self::IncompleteJson { provider, reason }
        } else {
            Self::UnreadableJson { provider, reason }
        }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::BaseUrl { .. }
            | Self::HeaderName { .. }
            | Self::HeaderValue { .. }
            | Self::Path { .. }
            | Self::FileAddress(_) => ErrorKind::InvalidArgument,
            Self::NetworkForbidden { .. } | Self::Redirect { .. } => ErrorKind::FailedPrecondition,
            Self::ConnectTimeout { .. }
            | Self::Connect { .. }
            | Self::Closed { .. }
            | Self::CutOff { .. }
            | Self::Empty { .. }
            | Self::IncompleteJson { .. }
            | Self::FileUnreachable { .. }
            | Self::FileCutOff { .. } => ErrorKind::Unavailable,
            Self::Timeout { .. } | Self::FileTimeout { .. } => ErrorKind::DeadlineExceeded,
            Self::TooLarge { .. } | Self::EventTooLong { .. } | Self::FileTooLarge { .. } => {
                ErrorKind::ResourceExhausted
            }
            Self::NotUtf8 { .. } | Self::BrokenEvent { .. } | Self::UnreadableJson { .. } => {
                ErrorKind::Internal
            }
            Self::FileStatus { status, .. } => kind_of_status(status.as_u16()),
        }
    }
}
