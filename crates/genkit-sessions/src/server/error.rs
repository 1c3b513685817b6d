//! The errors of a server of agents: at start-up, and for requests that are rejected.

use axum::http::StatusCode;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use genkit_core::internal::disclosure::for_callers;
use genkit_core::internal::error::Topic;
use genkit_core::internal::status;
use genkit_core::{Error as CoreError, ErrorKind};
use genkit_http_server::internal::{BodyError, HostRejection};

use super::endpoint::METHODS;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("two agents have the name `{0}`")]
    TwoAgents(String),
    #[error(transparent)]
    Host(#[from] HostRejection),
    #[error(
        "Forbidden: this origin is not allowed to call the server; allow it with `.cors([..])`"
    )]
    Origin,
    #[error("no agent is served at this path")]
    NoSuchPath,
    #[error("an agent must be called with POST")]
    Method,
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(
        "the body is not an object such as {{\"data\": {{\"message\": ..}}, \"init\": {{}}}}: {0}"
    )]
    NotInput(String),
    #[error("{0} requests are already active; try again in a moment")]
    TooManyRunning(usize),
    #[error("the server is shutting down")]
    ShuttingDown,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Origin | Self::Host(HostRejection::Unknown(_)) => ErrorKind::PermissionDenied,
            Self::NoSuchPath => ErrorKind::NotFound,
            Self::Method => ErrorKind::Unimplemented,
            Self::Body(BodyError::Slow(_)) => ErrorKind::DeadlineExceeded,
            Self::TooManyRunning(_) => ErrorKind::ResourceExhausted,
            Self::ShuttingDown | Self::Body(BodyError::NoRoom) => ErrorKind::Unavailable,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

/// A request that is rejected before its stream begins.
pub(crate) struct Rejection {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Rejection {
    /// Masks an error of the program's code.
    pub(crate) fn masked(error: CoreError, exposes_errors: bool) -> Self {
        let (code, message) = masked_error(error, exposes_errors);
        let kind = status::kind_of(code).unwrap_or(ErrorKind::Internal);
        let http = StatusCode::from_u16(status::http_of(kind));
        Self { status: http.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), code, message }
    }
}

/// Returns the status name and the text of an error that a client is allowed to read.
pub(crate) fn masked_error(error: CoreError, exposes_errors: bool) -> (&'static str, String) {
    let is_ours = error.text_for_callers().is_some();
    let kind = if is_ours { error.kind() } else { ErrorKind::Internal };
    (status::name_of(kind), for_callers(error, "agent", exposes_errors).chain())
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        let http = match &error {
            Error::Method => StatusCode::METHOD_NOT_ALLOWED,
            Error::Body(BodyError::Slow(_)) => StatusCode::REQUEST_TIMEOUT,
            Error::Body(BodyError::Long(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Body(BodyError::NoRoom) => StatusCode::SERVICE_UNAVAILABLE,
            other => StatusCode::from_u16(status::http_of(other.kind()))
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        };
        Self { status: http, code: status::name_of(error.kind()), message: error.to_string() }
    }
}

impl Rejection {
    /// Returns the error as the last event of a stream.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        json!({ "status": self.code, "message": self.message })
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let body = self.to_json().to_string();
        let mut response =
            (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            let methods = axum::http::HeaderValue::from_static(METHODS);
            response.headers_mut().insert(ALLOW, methods);
        }
        response
    }
}
