//! Refusals: what the endpoint answers itself, without asking the protocol.

use bytes::Bytes;
use http::header::{ALLOW, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use rmcp::model::{ErrorCode, ErrorData, RequestId};

use super::answers;
use super::rules::HeaderFault;
use super::streams::AnswerBody;
use crate::auth::Denial;
use crate::engine::message;
use crate::error::REFUSED;
use genkit_http_server::internal::{BodyError, HostRefusal};

#[derive(Debug, thiserror::Error)]
pub(super) enum HttpRefusal {
    #[error(transparent)]
    Host(#[from] HostRefusal),
    #[error("Forbidden: this Origin may not call the server; allow it with `allowed_origins`")]
    Origin,
    /// By its token, or for want of one; with what would help.
    #[error("{denial}")]
    Denied { denial: Denial, challenge: Option<HeaderValue> },
    /// The token lacks a scope of what is asked for.
    #[error("Forbidden: the token lacks a scope that `{name}` needs ({scopes})")]
    StepUp {
        id: Option<RequestId>,
        method: &'static str,
        name: Box<str>,
        scopes: Box<str>,
        challenge: Option<HeaderValue>,
    },
    #[error("Method Not Allowed: this endpoint answers {0}")]
    Method(&'static str),
    #[error("Not Acceptable: a client accepts both application/json and text/event-stream")]
    NotAcceptable,
    #[error("Not Acceptable: a GET opens a stream of events, and accepts text/event-stream")]
    NoEvents,
    #[error("Unsupported Media Type: a message is application/json")]
    NotJson,
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error("{fault}")]
    Header { id: Option<RequestId>, fault: HeaderFault },
    /// A body that is no message, with what is answered to it.
    #[error("Invalid Request: the body must be one JSON-RPC 2.0 message")]
    NoMessage(Option<Bytes>),
    #[error("Bad Request: the header Mcp-Session-Id is missing")]
    SessionNeeded,
    #[error("too many sessions are open: try again later")]
    TooManySessions,
    #[error("there is no such session")]
    NoSuchSession,
    /// Told as if there were none.
    #[error("there is no such session")]
    OthersSession,
    #[error("sessions cannot be read now: try again later")]
    NoStore,
    #[error("too many streams are open: try again later")]
    TooManyStreams,
    #[error("Invalid Request: this server asks nothing, so nothing can be answered")]
    NothingAsked,
    #[error(
        "Bad Request: no question of this id waits here: it was answered or given up, or another instance asked it, to \
         which the answer must go"
    )]
    NotAskedHere,
}

impl HttpRefusal {
    /// One word for the log.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Host(_) => "host",
            Self::Origin => "origin",
            Self::Denied { denial: Denial::Scope, .. } | Self::StepUp { .. } => "scope",
            Self::Denied { .. } => "bearer",
            Self::Body(_) => "body",
            Self::Method(_)
            | Self::NotAcceptable
            | Self::NoEvents
            | Self::NotJson
            | Self::Header { .. } => "header",
            Self::NoMessage(_) | Self::NothingAsked => "json",
            Self::NotAskedHere => "question",
            Self::SessionNeeded | Self::NoSuchSession | Self::NoStore => "session",
            Self::OthersSession => "principal",
            Self::TooManySessions => "sessions",
            Self::TooManyStreams => "streams",
        }
    }

    /// Why it was not let in by its token. What else is refused may repeat what the request holds.
    pub(super) fn denial(&self) -> Option<&Denial> {
        match self {
            Self::Denied { denial, .. } => Some(denial),
            _ => None,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Host(HostRefusal::Unknown(_)) | Self::Origin | Self::StepUp { .. } => {
                StatusCode::FORBIDDEN
            }
            Self::Denied { denial, .. } => match denial {
                Denial::Missing | Denial::Invalid(_) => StatusCode::UNAUTHORIZED,
                Denial::Scope => StatusCode::FORBIDDEN,
                Denial::Malformed => StatusCode::BAD_REQUEST,
                Denial::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            },
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable | Self::NoEvents => StatusCode::NOT_ACCEPTABLE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Body(BodyError::Slow(_)) => StatusCode::REQUEST_TIMEOUT,
            Self::Body(BodyError::Long(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Body(BodyError::NoRoom)
            | Self::TooManySessions
            | Self::TooManyStreams
            | Self::NoStore => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoSuchSession | Self::OthersSession => StatusCode::NOT_FOUND,
            Self::Host(HostRefusal::Malformed)
            | Self::Body(BodyError::Broken)
            | Self::Header { .. }
            | Self::NoMessage(_)
            | Self::SessionNeeded
            | Self::NothingAsked
            | Self::NotAskedHere => StatusCode::BAD_REQUEST,
        }
    }

    fn error(&self) -> ErrorData {
        let code = match self {
            Self::Header { fault, .. } => return fault.error(),
            Self::Host(HostRefusal::Unknown(_))
            | Self::Origin
            | Self::Denied { .. }
            | Self::StepUp { .. }
            | Self::TooManySessions
            | Self::NoSuchSession
            | Self::OthersSession
            | Self::NoStore
            | Self::TooManyStreams
            | Self::Body(BodyError::NoRoom) => REFUSED,
            _ => ErrorCode::INVALID_REQUEST,
        };
        ErrorData::new(code, self.to_string(), None)
    }

    pub(super) fn into_response(self) -> Response<AnswerBody> {
        let status = self.status();
        let body = match &self {
            Self::NoMessage(Some(answer)) => answer.clone(),
            Self::Header { id, .. } | Self::StepUp { id, .. } => {
                message::error(id.as_ref(), &self.error()).bytes
            }
            _ => message::error(None, &self.error()).bytes,
        };
        let mut response = answers::json(status, body);
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
