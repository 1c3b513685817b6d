//! Rejections of requests by the endpoint, before they reach the protocol.

use bytes::Bytes;
use http::header::{ALLOW, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use rmcp::model::{ErrorCode, ErrorData, RequestId};

use super::responses;
use super::rules::HeaderError;
use super::streams::AnswerBody;
use crate::audit::TARGET;
use crate::engine::message;
use crate::error::REFUSED;
use crate::http::auth::AuthError;
use crate::quota::ClientKey;
use genkit_core::internal::visible::Logged;
use genkit_http_server::internal::{BodyError, HostRejection};

#[derive(Debug, thiserror::Error)]
pub(super) enum HttpRejection {
    #[error(transparent)]
    Host(#[from] HostRejection),
    #[error("Forbidden: this Origin is not allowed; allow it with `.allowed_origins([..])`")]
    Origin,
    /// The token is missing or invalid. Contains a challenge if another token could be accepted.
    #[error("{denial}")]
    Denied { denial: AuthError, challenge: Option<HeaderValue> },
    /// The token lacks a scope that the requested item requires.
    #[error("Forbidden: the token lacks a scope that `{name}` requires ({scopes})")]
    StepUp {
        id: Option<RequestId>,
        method: &'static str,
        name: Box<str>,
        scopes: Box<str>,
        challenge: Option<HeaderValue>,
    },
    #[error("Method Not Allowed: this endpoint supports {0}")]
    Method(&'static str),
    #[error("Not Acceptable: `Accept` must include application/json or a range such as `*/*`")]
    NotAcceptable,
    #[error(
        "Not Acceptable: the response is a stream of events, so `Accept` must include text/event-stream"
    )]
    EventsNotAccepted,
    #[error("Unsupported Media Type: `Content-Type` must be application/json")]
    NotJson,
    #[error(
        "Unsupported Media Type: the `Content-Encoding` `{0}` is not supported; send the body without it"
    )]
    Encoding(String),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error("{fault}")]
    Header { id: Option<RequestId>, fault: HeaderError },
    /// The body is not a valid message. Contains the response, if there is one.
    #[error("Invalid Request: the body must be one JSON-RPC 2.0 message")]
    InvalidMessage(Option<Bytes>),
    #[error(
        "Bad Request: the header Mcp-Session-Id is missing; send `initialize` first, then the id from its response"
    )]
    SessionNeeded,
    #[error("too many sessions are open; try again later")]
    TooManySessions,
    #[error("this client already uses its share of the server; try again later")]
    Busy,
    #[error("the session does not exist")]
    SessionNotFound,
    /// The session belongs to another principal. The client receives the same error as for an unknown
    /// session.
    #[error("the session does not exist")]
    ForeignSession,
    #[error("failed to load the session; try again later")]
    StoreFailed,
    #[error("too many streams are open; try again later")]
    TooManyStreams,
    #[error("Invalid Request: this server has not asked a question that this message could answer")]
    NothingAsked,
    #[error(
        "Bad Request: no question with this id is pending; it was answered or dropped, or it was asked by another \
         instance, which must receive the answer"
    )]
    NotAskedHere,
}

impl HttpRejection {
    /// Returns the reason as one word, for the log.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Host(_) => "host",
            Self::Origin => "origin",
            Self::Denied { denial: AuthError::Scope, .. } | Self::StepUp { .. } => "scope",
            Self::Denied { .. } => "bearer",
            Self::Body(_) => "body",
            Self::Method(_)
            | Self::NotAcceptable
            | Self::EventsNotAccepted
            | Self::NotJson
            | Self::Encoding(_)
            | Self::Header { .. } => "header",
            Self::InvalidMessage(_) | Self::NothingAsked => "json",
            Self::NotAskedHere => "question",
            Self::SessionNeeded | Self::SessionNotFound | Self::StoreFailed => "session",
            Self::ForeignSession => "principal",
            Self::TooManySessions => "sessions",
            Self::Busy => "share",
            Self::TooManyStreams => "streams",
        }
    }

    /// Returns the reason why the token was rejected, which is safe to log. Other errors can contain text from
    /// the request.
    pub(super) fn denial(&self) -> Option<&AuthError> {
        match self {
            Self::Denied { denial, .. } => Some(denial),
            _ => None,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Host(HostRejection::Unknown(_)) | Self::Origin | Self::StepUp { .. } => {
                StatusCode::FORBIDDEN
            }
            Self::Denied { denial, .. } => match denial {
                AuthError::Missing | AuthError::Invalid(_) => StatusCode::UNAUTHORIZED,
                AuthError::Scope => StatusCode::FORBIDDEN,
                AuthError::Malformed => StatusCode::BAD_REQUEST,
                AuthError::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            },
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable | Self::EventsNotAccepted => StatusCode::NOT_ACCEPTABLE,
            Self::NotJson | Self::Encoding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Body(BodyError::Slow(_)) => StatusCode::REQUEST_TIMEOUT,
            Self::Body(BodyError::Long(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Body(BodyError::BudgetExceeded)
            | Self::TooManySessions
            | Self::Busy
            | Self::TooManyStreams
            | Self::StoreFailed => StatusCode::SERVICE_UNAVAILABLE,
            Self::SessionNotFound | Self::ForeignSession => StatusCode::NOT_FOUND,
            Self::Host(HostRejection::Malformed)
            | Self::Body(BodyError::Broken)
            | Self::Header { .. }
            | Self::InvalidMessage(_)
            | Self::SessionNeeded
            | Self::NothingAsked
            | Self::NotAskedHere => StatusCode::BAD_REQUEST,
        }
    }

    fn error(&self) -> ErrorData {
        let code = match self {
            Self::Header { fault, .. } => return fault.error(),
            Self::Host(HostRejection::Unknown(_))
            | Self::Origin
            | Self::Denied { .. }
            | Self::StepUp { .. }
            | Self::TooManySessions
            | Self::Busy
            | Self::SessionNotFound
            | Self::ForeignSession
            | Self::StoreFailed
            | Self::TooManyStreams
            | Self::Body(BodyError::BudgetExceeded) => REFUSED,
            _ => ErrorCode::INVALID_REQUEST,
        };
        ErrorData::new(code, self.to_string(), None)
    }

    pub(super) fn into_response(self) -> Response<AnswerBody> {
        let status = self.status();
        let body = match &self {
            Self::InvalidMessage(Some(answer)) => answer.clone(),
            Self::Header { id, .. } | Self::StepUp { id, .. } => {
                message::error_reply(id.as_ref(), &self.error()).bytes
            }
            _ => message::error_reply(None, &self.error()).bytes,
        };
        let mut response = responses::json_response(status, body);
        let headers = response.headers_mut();
        match self {
            Self::Denied { challenge: Some(challenge), .. }
            | Self::StepUp { challenge: Some(challenge), .. } => {
                headers.insert(WWW_AUTHENTICATE, challenge);
            }
            Self::Method(allowed) => {
                headers.insert(ALLOW, HeaderValue::from_static(allowed));
            }
            _ => {}
        }
        response
    }
}

/// Records an HTTP request that the endpoint rejected. `reason` is a single word; `denial` describes the problem of the
/// token.
pub(super) fn record_refusal(
    method: &str,
    path: &str,
    key: &ClientKey,
    reason: &'static str,
    denial: Option<&AuthError>,
) {
    let (principal, address) = key.known_identity();
    tracing::info!(
        target: TARGET,
        method = %Logged::name(method),
        name = %Logged::name(path),
        principal = %Logged::name(principal),
        address = address.map(tracing::field::display),
        outcome = "refused",
        reason,
        denial = denial.map(|denial| tracing::field::display(Logged::text(denial))),
        "refused"
    );
}
