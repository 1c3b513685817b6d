//! The errors of an AG-UI server: at start-up, and for requests that are rejected.

use axum::http::StatusCode;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use genkit_core::internal::disclosure::for_callers;
use genkit_core::internal::error::Topic;
use genkit_core::internal::status;
use genkit_core::{Error as CoreError, ErrorKind};
use genkit_http_server::internal::{BodyError, HostRejection};

use crate::endpoint::METHODS;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the sealing key has {0} bytes; use at least {1} random bytes")]
    ShortKey(usize, usize),
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
    #[error("the body is not a `RunAgentInput`: {0}")]
    NotInput(String),
    #[error("`{field}` has {found} {unit}; the limit is {limit}")]
    TooMuch { field: &'static str, found: usize, unit: &'static str, limit: usize },
    #[error("`{0}` is not a valid tool name; use up to 64 letters, digits, `_` and `-`")]
    ToolName(String),
    #[error("duplicate tool name `{0}` in `tools`")]
    DuplicateTool(String),
    #[error("the parameters of the tool `{0}` are not a JSON Schema object")]
    ToolSchema(String),
    #[error("a user message has a content part that is not supported: {0}")]
    Content(String),
    #[error("`messages` has no user message to respond to")]
    NothingAsked,
    #[error("the interrupt `{0}` is not open in this thread")]
    UnknownInterrupt(String),
    #[error("`resume` has more than one entry for the same interrupt")]
    AnsweredTwice,
    #[error("`{0}` has no answer; send one for each open interrupt and each pending tool call")]
    Unanswered(String),
    #[error("the payload for an approval must be an object such as `{{\"approved\": true}}`")]
    ApprovalPayload,
    #[error("this run was already resumed; start a new one")]
    AlreadyResumed,
    #[error("the interrupt has expired; send a new message")]
    Expired,
    #[error("too many interrupts were answered in the last hour; try again later")]
    LedgerFull,
    #[error("{0} runs are already active; try again in a moment")]
    TooManyRunning(usize),
    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("the run did not finish within {0:?}")]
    Overdue(std::time::Duration),
    #[error("the agent failed unexpectedly")]
    Panicked,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Origin | Self::Host(HostRejection::Unknown(_)) => ErrorKind::PermissionDenied,
            Self::NoSuchPath => ErrorKind::NotFound,
            Self::Method => ErrorKind::Unimplemented,
            Self::Body(BodyError::Slow(_)) | Self::Overdue(_) => ErrorKind::DeadlineExceeded,
            Self::TooManyRunning(_) | Self::LedgerFull => ErrorKind::ResourceExhausted,
            Self::ShuttingDown | Self::Body(BodyError::NoRoom) => ErrorKind::Unavailable,
            Self::AlreadyResumed
            | Self::Unanswered(_)
            | Self::Expired
            | Self::UnknownInterrupt(_) => ErrorKind::FailedPrecondition,
            Self::Panicked => ErrorKind::Internal,
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

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let body = json!({ "status": self.code, "message": self.message }).to_string();
        let mut response =
            (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            let methods = axum::http::HeaderValue::from_static(METHODS);
            response.headers_mut().insert(ALLOW, methods);
        }
        response
    }
}
