//! Errors of HTTP requests: the failure, its location, and how to fix it.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;

use genkit_core::internal::error::Topic;
use genkit_core::internal::visible;
use genkit_core::{Error as PublicError, ErrorKind};
use genkit_http_client::internal::net::root_cause;
use genkit_schema::internal::truncate::excerpt;

/// The maximum length of a server's text in an error, in characters. Default is 300.
const MAX_QUOTED: usize = 300;

/// In a variant with a target, the first field is the target: a URL without secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    // Before anything is sent.
    #[error("cannot build the request to {0}: {1}")]
    Request(String, String),
    #[error("the connection to {0} was refused; check that the server is running")]
    NothingListens(String),
    #[error("cannot resolve the host of {0}: {1}")]
    UnknownHost(String, String),
    #[error("cannot connect to {0} within {limit} seconds", limit = .1.as_secs())]
    ConnectTimeout(String, Duration),
    #[error("cannot connect to {0}: {1}")]
    ConnectFailed(String, String),
    #[error("the address {ip} is not allowed for this server{hint}")]
    ForbiddenAddress { ip: std::net::IpAddr, hint: &'static str },

    // Broken connections.
    #[error("the connection was closed")]
    Closed,
    #[error("the connection to {0} was lost: {1}")]
    ConnectionBroke(String, String),
    #[error("{0}")]
    Other(String),
    #[error("{0} did not respond in time")]
    Timeout(String),
    #[error("{0} did not accept a message in time")]
    SendTimeout(String),

    // Responses.
    #[error("too many redirects from {0}")]
    Redirects(String),
    #[error("the response from {0} was cut off: {1}")]
    AnswerBroke(String, String),
    #[error("the response from {0} is longer than {1} bytes")]
    AnswerTooLong(String, usize),
    #[error("the stream from {0} was interrupted: {1}")]
    StreamBroke(String, String),
    #[error("the stream from {0} ended before the response")]
    StreamEnded(String),
    #[error("the session no longer exists on {0}")]
    SessionLost(String),
    #[error("the session no longer exists on {0}: {1}")]
    SessionRejected(String, String),
    #[error("{0} responded with something other than MCP: {1}")]
    NotMcp(String, String),
    #[error("{0} responded with {1} instead of MCP; check the URL")]
    ContentType(String, String),
    #[error("{0} responded with JSON that is not an MCP message")]
    NotMcpMessage(String),
    #[error("{target} returned HTTP {}", status_text(*.status, *.session, .body))]
    Status {
        target: String,
        status: u16,
        /// Whether the request belonged to a session.
        session: bool,
        /// The body of the response, shortened to one line.
        body: String,
    },

    // Authorization.
    #[error("cannot read the authorization metadata at {0}: {1}")]
    MetadataUnreadable(String, String),
    #[error(
        "{0} rejected the authorization (HTTP 401); check the token of \
         `.bearer_token(..)` or the headers"
    )]
    TokenRejected(String),
    #[error(
        "{0} rejected the proof of `.dpop(..)` (HTTP 401); check the clock of this machine, and that \
         stored tokens belong to the same key"
    )]
    ProofRejected(String),
    #[error(
        "{0} requires tokens that are bound to a key (HTTP 401); set `.dpop(true)` on its `OAuth`"
    )]
    ProofNeeded(String),
    #[error("{0} rejected a token that was issued just now (HTTP 401)")]
    AccessDenied(String),
    #[error(
        "{0} requires authorization (HTTP 401); set a token with `.bearer_token(..)`, or \
         use `.oauth(..)`"
    )]
    AccessNeeded(String),
    #[error("{0}")]
    Header(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ForbiddenAddress { .. }
            | Self::NotMcp(..)
            | Self::ContentType(..)
            | Self::NotMcpMessage(_) => ErrorKind::FailedPrecondition,
            Self::Request(..) | Self::Header(_) => ErrorKind::InvalidArgument,
            Self::Closed => ErrorKind::Cancelled,
            Self::Timeout(_) | Self::SendTimeout(_) => ErrorKind::DeadlineExceeded,
            Self::AnswerTooLong(..) => ErrorKind::ResourceExhausted,
            Self::TokenRejected(_)
            | Self::ProofRejected(_)
            | Self::ProofNeeded(_)
            | Self::AccessDenied(_)
            | Self::AccessNeeded(_) => ErrorKind::Unauthenticated,
            Self::Status { status, session, .. } => status_meaning(*status, *session).0,
            _ => ErrorKind::Unavailable,
        }
    }
}

/// A failed HTTP request. It is `Clone` because several requests may wait for the same response.
#[derive(Clone, Debug)]
pub(crate) struct HttpError {
    pub(crate) kind: ErrorKind,
    pub(crate) text: String,
    /// Whether the session no longer exists on the server, so that a new session is needed.
    pub(crate) session_lost: bool,
    /// Whether the request certainly did not reach the server and can therefore be resent.
    pub(crate) unsent: bool,
    pub(crate) retry_after: Option<Duration>,
    /// The program's own error that caused this error.
    pub(crate) source: Option<Arc<PublicError>>,
}

impl<T: Topic> From<T> for HttpError {
    fn from(error: T) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

impl HttpError {
    fn new(kind: ErrorKind, text: String) -> Self {
        Self { kind, text, session_lost: false, unsent: false, retry_after: None, source: None }
    }

    /// Converts an error of the public API.
    pub(crate) fn from_error(error: &PublicError) -> Self {
        Self::new(error.kind(), error.chain())
    }

    /// Prefixes the text with the operation that failed.
    pub(crate) fn with_prefix(self, what: impl fmt::Display) -> Self {
        Self { text: format!("{what}: {}", self.text), ..self }
    }

    /// Prefixes the text with "no access to `target`".
    pub(crate) fn no_access_to(self, target: &str) -> Self {
        self.with_prefix(format_args!("no access to {target}"))
    }

    /// Appends a reason to the text.
    pub(super) fn with_reason(self, why: &str) -> Self {
        Self { text: format!("{}, {why}", self.text), ..self }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for HttpError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<HttpError> for PublicError {
    fn from(error: HttpError) -> Self {
        let mut public = Self::new(error.kind, error.text);
        if let Some(source) = error.source {
            public = public.with_source(source);
        }
        if let Some(wait) = error.retry_after {
            public = public.with_retry_after(wait);
        }
        public
    }
}

/// Returns the kind of an error status, and a hint.
fn status_meaning(status: u16, session: bool) -> (ErrorKind, &'static str) {
    match status {
        300..=399 => {
            (ErrorKind::FailedPrecondition, "the redirect was not followed; check the URL")
        }
        401 => (ErrorKind::Unauthenticated, "it requires authentication"),
        403 => (ErrorKind::PermissionDenied, "access was denied"),
        404 if session => (ErrorKind::Unavailable, "the session no longer exists"),
        404 | 405 => (ErrorKind::NotFound, "no MCP server found (streamable HTTP); check the URL"),
        408 | 504 => (ErrorKind::DeadlineExceeded, ""),
        413 => (ErrorKind::ResourceExhausted, "the message is too long"),
        429 => (ErrorKind::ResourceExhausted, "the rate limit is exceeded"),
        500..=599 => (ErrorKind::Unavailable, ""),
        400 | 422 => (ErrorKind::InvalidArgument, ""),
        _ => (ErrorKind::FailedPrecondition, ""),
    }
}

/// Formats a status with its name, the server's text, and a hint.
fn status_text(status: u16, session: bool, body: &str) -> String {
    let known = StatusCode::from_u16(status).ok().and_then(|known| known.canonical_reason());
    let name = known.map(|name| format!(" {name}")).unwrap_or_default();
    match (body, status_meaning(status, session).1) {
        ("", "") => format!("{status}{name}"),
        ("", text) | (text, "") => format!("{status}{name}: {text}"),
        (body, hint) => format!("{status}{name}, \"{body}\": {hint}"),
    }
}

/// Returns the root cause of an error as one line of bounded length.
pub(crate) fn quote_root_cause(error: &(dyn StdError + 'static)) -> String {
    quote_text(&root_cause(error))
}

/// Returns text from a server as one line of bounded length.
pub(crate) fn quote_text(text: &str) -> String {
    let line = excerpt(&text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_QUOTED);
    visible::escape_line(&line).into_owned()
}
