//! The error messages of HTTP: what failed, where, and how to mend it.

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::StatusCode;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_http_client::internal::net::root_cause;
use genkit_schema::internal::truncate::excerpt;

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
    #[error("{target} answered HTTP {}", status_text(*.status, *.session, .body))]
    Status {
        target: String,
        status: u16,
        /// Whether the request belonged to a session.
        session: bool,
        /// What the server wrote, one short line.
        body: String,
    },

    // Access.
    #[error("{0} gave no description of its authorization: {1}")]
    NoDescription(String, String),
    #[error(
        "{0} does not take the authorization that it was sent (HTTP 401): check the token of \
         `.bearer_token(..)`, or what the headers say"
    )]
    TokenRefused(String),
    #[error(
        "{0} does not take the proof of `.dpop(..)` (HTTP 401): check the clock of this machine, and that \
         stored access was given to the same key"
    )]
    ProofRefused(String),
    #[error("{0} wants access that is bound to a key (HTTP 401): set `.dpop(true)` at its `OAuth`")]
    ProofNeeded(String),
    #[error("{0} refuses also the access that it has just been asked for (HTTP 401)")]
    AccessRefused(String),
    #[error(
        "{0} wants authorization (HTTP 401): give its server a token with `.bearer_token(..)`, or let it \
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
            Self::TokenRefused(_)
            | Self::ProofRefused(_)
            | Self::ProofNeeded(_)
            | Self::AccessRefused(_)
            | Self::AccessNeeded(_) => ErrorKind::Unauthenticated,
            Self::Status { status, session, .. } => meaning(*status, *session).0,
            _ => ErrorKind::Unavailable,
        }
    }
}

/// What an answer with a status that is no success means.
fn meaning(status: u16, session: bool) -> (ErrorKind, &'static str) {
    match status {
        300..=399 => (
            ErrorKind::FailedPrecondition,
            "it has moved, and that is not followed; check the address",
        ),
        401 => (ErrorKind::Unauthenticated, "it wants to know who asks"),
        403 => (ErrorKind::PermissionDenied, "it does not allow this"),
        404 if session => (ErrorKind::Unavailable, "it does not know the session any more"),
        404 | 405 => {
            (ErrorKind::NotFound, "no MCP server over streamable HTTP is there; check the address")
        }
        408 | 504 => (ErrorKind::DeadlineExceeded, ""),
        413 => (ErrorKind::ResourceExhausted, "the message is too long"),
        429 => (ErrorKind::ResourceExhausted, "it is asked too often"),
        500..=599 => (ErrorKind::Unavailable, ""),
        400 | 422 => (ErrorKind::InvalidArgument, ""),
        _ => (ErrorKind::FailedPrecondition, ""),
    }
}

/// A status with its name, what the server wrote, and what it means.
fn status_text(status: u16, session: bool, body: &str) -> String {
    let known = StatusCode::from_u16(status).ok().and_then(|known| known.canonical_reason());
    let name = known.map(|name| format!(" {name}")).unwrap_or_default();
    match (body, meaning(status, session).1) {
        ("", "") => format!("{status}{name}"),
        ("", text) | (text, "") => format!("{status}{name}: {text}"),
        (body, hint) => format!("{status}{name}, {body:?}: {hint}"),
    }
}

/// The root cause of an error, as one line of bounded length.
pub(crate) fn deepest(error: &(dyn StdError + 'static)) -> String {
    quote(&root_cause(error))
}

/// What a server wrote, as one line of bounded length.
pub(crate) fn quote(text: &str) -> String {
    excerpt(&text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_QUOTED)
}
