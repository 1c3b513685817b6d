//! The error messages of HTTP: what failed, where, and how to mend it.

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::StatusCode;

use crate::error::{ErrorKind, Topic};
use crate::net::root_cause;

/// How much of what a server wrote an error repeats, in characters. Default is 300.
const MAX_QUOTED: usize = 300;

/// The first text of a variant is the target: an address without secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    // Before anything is sent.
    #[error("the request to {0} cannot be made: {1}")]
    Request(String, String),
    #[error("nothing listens at {0}")]
    NothingListens(String),
    #[error("the host of {0} is not known: {1}")]
    UnknownHost(String, String),
    #[error("no connection to {0} within {limit} seconds", limit = .1.as_secs())]
    ConnectTimeout(String, Duration),
    #[error("no connection to {0}: {1}")]
    NoConnection(String, String),
    #[error("a server from elsewhere must not lead to {ip}{hint}")]
    ForbiddenAddress { ip: std::net::IpAddr, hint: &'static str },

    // A connection that ends.
    #[error("the connection was closed meanwhile")]
    Closed,
    #[error("the connection to {0} broke: {1}")]
    ConnectionBroke(String, String),
    #[error("{0}")]
    Other(String),
    #[error("{0} did not answer in time")]
    Timeout(String),
    #[error("{0} did not take a message in time")]
    SendTimeout(String),

    // An answer.
    #[error("{0} redirects without end")]
    Redirects(String),
    #[error("the answer of {0} broke off: {1}")]
    AnswerBroke(String, String),
    #[error("the answer of {0} is longer than {1} bytes")]
    AnswerTooLong(String, usize),
    #[error("the stream of {0} broke: {1}")]
    StreamBroke(String, String),
    #[error("the stream of {0} ended before the answer")]
    StreamEnded(String),
    #[error("{0} does not know the session any more")]
    SessionLost(String),
    #[error("{0} does not know the session any more: {1}")]
    SessionRefused(String, String),
    #[error("{0} answered what is no MCP: {1}")]
    NoMcp(String, String),
    #[error("{0} answered {1}, which is no MCP; check the address")]
    ContentType(String, String),
    #[error("{0} answered JSON that is no message of MCP")]
    NoMcpMessage(String),
    #[error("{0}")]
    Status(#[from] StatusError),

    // Access.
    #[error("{0} gave no description of its authorization: {1}")]
    NoDescription(String, String),
    #[error(
        "{0} does not take the authorization that it was sent (HTTP 401): check the token of \
         `.bearer(..)`, or what the headers say"
    )]
    TokenRefused(String),
    #[error("{0} refuses also the access that it has just been asked for (HTTP 401)")]
    AccessRefused(String),
    #[error(
        "{0} wants authorization (HTTP 401): give its server a token with `.bearer(..)`, or let it \
         get one with `.oauth(..)`"
    )]
    AccessNeeded(String),
    #[error("{0}")]
    Header(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ForbiddenAddress { .. }
            | Self::NoMcp(..)
            | Self::ContentType(..)
            | Self::NoMcpMessage(_) => ErrorKind::FailedPrecondition,
            Self::Request(..) | Self::Header(_) => ErrorKind::InvalidArgument,
            Self::Closed => ErrorKind::Cancelled,
            Self::Timeout(_) | Self::SendTimeout(_) => ErrorKind::DeadlineExceeded,
            Self::AnswerTooLong(..) => ErrorKind::ResourceExhausted,
            Self::TokenRefused(_) | Self::AccessRefused(_) | Self::AccessNeeded(_) => {
                ErrorKind::Unauthenticated
            }
            Self::Status(error) => error.meaning().0,
            _ => ErrorKind::Unavailable,
        }
    }
}

/// An answer with a status that is no success.
#[derive(Debug)]
pub(crate) struct StatusError {
    pub(crate) target: String,
    pub(crate) status: u16,
    /// Whether the request belonged to a session.
    pub(crate) session: bool,
    /// What the server wrote, one short line.
    pub(crate) body: String,
}

impl StatusError {
    /// Whether the server does not know the session any more: 404, and some servers answer 400.
    pub(crate) fn is_session_lost(&self) -> bool {
        self.session && matches!(self.status, 400 | 404)
    }

    fn meaning(&self) -> (ErrorKind, &'static str) {
        match self.status {
            300..=399 => (
                ErrorKind::FailedPrecondition,
                "it has moved, and that is not followed; check the address",
            ),
            401 => (ErrorKind::Unauthenticated, "it wants to know who asks"),
            403 => (ErrorKind::PermissionDenied, "it does not allow this"),
            404 if self.session => {
                (ErrorKind::Unavailable, "it does not know the session any more")
            }
            404 | 405 => (
                ErrorKind::NotFound,
                "no MCP server over streamable HTTP is there; check the address",
            ),
            408 | 504 => (ErrorKind::DeadlineExceeded, ""),
            413 => (ErrorKind::ResourceExhausted, "the message is too long"),
            429 => (ErrorKind::ResourceExhausted, "it is asked too often"),
            500..=599 => (ErrorKind::Unavailable, ""),
            400 | 422 => (ErrorKind::InvalidArgument, ""),
            _ => (ErrorKind::FailedPrecondition, ""),
        }
    }
}

impl StdError for StatusError {}

impl std::fmt::Display for StatusError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} answered HTTP {}", self.target, self.status)?;
        let known = StatusCode::from_u16(self.status).ok();
        if let Some(name) = known.and_then(|known| known.canonical_reason()) {
            write!(f, " {name}")?;
        }
        match (self.body.as_str(), self.meaning().1) {
            ("", "") => Ok(()),
            ("", text) | (text, "") => write!(f, ": {text}"),
            (body, hint) => write!(f, ", {body:?}: {hint}"),
        }
    }
}

/// The root cause of an error, as one line of bounded length.
pub(crate) fn deepest(error: &(dyn StdError + 'static)) -> String {
    quote(&root_cause(error))
}

/// What a server wrote, as one line of bounded length.
pub(crate) fn quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTED) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
