//! Errors of calls over HTTP. No error contains a URL, because a URL may contain a key.

use std::time::Duration;

use reqwest::StatusCode;

use super::status::kind_of_status;
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_http_client::internal::sse::SseError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    // Errors in the settings of a provider.
    #[error("{provider}: invalid base URL: {reason}")]
    BaseUrl { provider: String, reason: String },
    #[error("{provider}: {name:?} is not a valid header name")]
    HeaderName { provider: String, name: String },
    #[error("{provider}: the value of the header `{name}` contains invalid characters")]
    HeaderValue { provider: String, name: String },
    #[error("{provider}: {path:?} is not a valid path; check the name of the model")]
    Path { provider: String, path: String },
    #[error(
        "network access is disabled in this test, but {host} is not a loopback address; replay a cassette or use \
         a custom model"
    )]
    NetworkForbidden { host: String },

    /// A call failed. `api` is the provider and its host, such as `gemini: example.com`.
    #[error("{api} {failure}")]
    Call { api: String, failure: CallError },
    #[error("{provider}: the response is incomplete: {reason}")]
    IncompleteJson { provider: String, reason: String },
    #[error("{provider}: cannot read the response: {reason}")]
    UnreadableJson { provider: String, reason: String },

    #[error("{embedder}: sent {texts} inputs but received {vectors} vectors")]
    EmbeddingCount { embedder: String, texts: usize, vectors: usize },

    // Errors while downloading files that messages link to.
    #[error("invalid file URL: {0}")]
    FileAddress(String),
    #[error("cannot reach {host}: {cause}")]
    FileUnreachable { host: String, cause: String },
    #[error("{host} responded with {status} to the request for a file")]
    FileStatus { host: String, status: StatusCode },
    #[error("{host} closed the connection while sending a file: {cause}")]
    FileCutOff { host: String, cause: String },
    #[error("the file from {host} is larger than {limit} bytes")]
    FileTooLarge { host: String, limit: usize },
    #[error("{host} did not send a file within {limit:?}")]
    FileTimeout { host: String, limit: Duration },
}

#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("could not be reached in time: {0}")]
    ConnectTimeout(String),
    #[error("is unreachable: {0}")]
    Connect(String),
    #[error("closed the connection before responding: {0}")]
    Closed(String),
    #[error("did not respond within {0:?}")]
    Timeout(Duration),
    #[error(
        "redirects to {target} (HTTP {status}); the redirect is not followed, because {target} would receive \
         the key; correct the base URL"
    )]
    Redirect { target: String, status: u16 },
    #[error("sent a response of more than {0} bytes")]
    TooLarge(usize),
    #[error("interrupted its response after {read} bytes: {cause}")]
    CutOff { read: usize, cause: String },
    #[error("sent an empty response")]
    Empty,
    #[error("sent a web page instead of JSON; check the base URL")]
    WebPage,
    #[error("sent text that is not valid UTF-8")]
    NotUtf8,
    #[error("sent too much data: {0}")]
    EventTooLong(SseError),
    #[error("sent an invalid event: {0}")]
    BrokenEvent(SseError),
}

impl CallError {
    /// Creates the error of a call to `api`.
    pub(super) fn into_error(self, api: &str) -> genkit_core::Error {
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
    /// Creates the error for a body that is not JSON, or that does not match the provider's documentation.
    pub fn from_json(provider: &str, error: &serde_json::Error) -> Self {
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
            Self::EmbeddingCount { .. } => ErrorKind::Internal,
            Self::FileTimeout { .. } => ErrorKind::DeadlineExceeded,
            Self::FileTooLarge { .. } => ErrorKind::ResourceExhausted,
            Self::FileStatus { status, .. } => kind_of_status(status.as_u16()),
        }
    }
}
