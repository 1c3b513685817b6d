//! The errors of calls over HTTP. None names a URL: it may hold a key.

use std::time::Duration;

use reqwest::StatusCode;

use super::status::kind_of_status;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_http_client::internal::sse::SseError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
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

    /// A call and its response; `api` is the provider and its host: `gemini: example.com`.
    #[error("{api} {failure}")]
    Call { api: String, failure: CallFailure },
    #[error("{provider}: the answer was cut off: {reason}")]
    IncompleteJson { provider: String, reason: String },
    #[error("{provider}: the answer cannot be read: {reason}")]
    UnreadableJson { provider: String, reason: String },

    #[cfg(feature = "http")]
    #[error("{embedder}: {texts} texts were sent, and {vectors} vectors came back")]
    EmbeddingCount { embedder: String, texts: usize, vectors: usize },

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

#[derive(Debug, thiserror::Error)]
pub(crate) enum CallFailure {
    #[error("could not be connected to in time: {0}")]
    ConnectTimeout(String),
    #[error("cannot be connected to: {0}")]
    Connect(String),
    #[error("closed the connection before it answered: {0}")]
    Closed(String),
    #[error("did not answer within {0:?}")]
    Timeout(Duration),
    #[error(
        "redirects to {target} (HTTP {status}): that is not followed, since the key would go there \
         too; set the base URL"
    )]
    Redirect { target: String, status: u16 },
    #[error("sent an answer of more than {0} bytes")]
    TooLarge(usize),
    #[error("cut its answer off after {read} bytes: {cause}")]
    CutOff { read: usize, cause: String },
    #[error("sent an empty answer")]
    Empty,
    #[error("answered with a web page, and not with JSON: is the base URL right?")]
    WebPage,
    #[error("answered with text that is not UTF-8")]
    NotUtf8,
    #[error("sent too much: {0}")]
    EventTooLong(SseError),
    #[error("sent broken text: {0}")]
    BrokenEvent(SseError),
}

impl CallFailure {
    /// The error of a call to `api`.
    pub(super) fn at(self, api: &str) -> genkit_core::Error {
        let is_final = matches!(self, Self::TooLarge(_) | Self::EventTooLong(_));
        let error = genkit_core::Error::from(Error::Call { api: api.to_owned(), failure: self });
        if is_final { error.with_retryable(false) } else { error }
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::ConnectTimeout(_)
            | Self::Connect(_)
            | Self::Closed(_)
            | Self::CutOff { .. }
            | Self::Empty => ErrorKind::Unavailable,
            Self::Timeout(_) => ErrorKind::DeadlineExceeded,
            Self::Redirect { .. } => ErrorKind::FailedPrecondition,
            Self::TooLarge(_) | Self::EventTooLong(_) => ErrorKind::ResourceExhausted,
            Self::WebPage | Self::NotUtf8 | Self::BrokenEvent(_) => ErrorKind::Internal,
        }
    }
}

impl Error {
    /// A body that is no JSON, or not what the provider documents.
    pub fn json(provider: &str, error: &serde_json::Error) -> Self {
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
            Self::Call { failure, .. } => failure.kind(),
            Self::BaseUrl { .. }
            | Self::HeaderName { .. }
            | Self::HeaderValue { .. }
            | Self::Path { .. }
            | Self::FileAddress(_) => ErrorKind::InvalidArgument,
            Self::NetworkForbidden { .. } => ErrorKind::FailedPrecondition,
            Self::IncompleteJson { .. }
            | Self::FileUnreachable { .. }
            | Self::FileCutOff { .. } => ErrorKind::Unavailable,
            Self::UnreadableJson { .. } => ErrorKind::Internal,
            #[cfg(feature = "http")]
            Self::EmbeddingCount { .. } => ErrorKind::Internal,
            Self::FileTimeout { .. } => ErrorKind::DeadlineExceeded,
            Self::FileTooLarge { .. } => ErrorKind::ResourceExhausted,
            Self::FileStatus { status, .. } => kind_of_status(status.as_u16()),
        }
    }
}
