//! Refusals: what the endpoint answers itself, without asking the protocol.

use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rmcp::model::ErrorCode;
use serde_json::json;

use crate::http_server::{BodyError, HostRefusal};
use crate::mcp::server::error::REFUSED;

#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpRefusal {
    #[error(transparent)]
    Host(#[from] HostRefusal),
    #[error("Forbidden: this Origin may not call the server; allow it with `allowed_origins`")]
    Origin,
    #[error("Unauthorized: a bearer token is required")]
    Bearer,
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error("too many sessions are open: try again later")]
    TooManySessions,
    #[error("there is no such session")]
    NoSuchSession,
    #[error("Parse error: {0}")]
    NotJson(serde_json::Error),
    #[error("Invalid Request: the body must be one JSON-RPC 2.0 message")]
    NotOneMessage,
}

impl HttpRefusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Host(HostRefusal::Unknown(_)) | Self::Origin => StatusCode::FORBIDDEN,
            Self::Bearer => StatusCode::UNAUTHORIZED,
            Self::Body(BodyError::Slow(_)) => StatusCode::REQUEST_TIMEOUT,
            Self::Body(BodyError::Long(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManySessions => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoSuchSession => StatusCode::NOT_FOUND,
            Self::Host(HostRefusal::Malformed)
            | Self::Body(BodyError::Broken)
            | Self::NotJson(_)
            | Self::NotOneMessage => StatusCode::BAD_REQUEST,
        }
    }

    fn code(&self) -> ErrorCode {
        match self {
            Self::Host(HostRefusal::Unknown(_))
            | Self::Origin
            | Self::Bearer
            | Self::TooManySessions
            | Self::NoSuchSession => REFUSED,
            Self::NotJson(_) => ErrorCode::PARSE_ERROR,
            Self::Host(HostRefusal::Malformed) | Self::Body(_) | Self::NotOneMessage => {
                ErrorCode::INVALID_REQUEST
            }
        }
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        let error = json!({ "code": self.code(), "message": self.to_string() });
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
        let json = [(CONTENT_TYPE, "application/json")];
        let mut response = (self.status(), json, body.to_string()).into_response();
        if matches!(self, Self::Bearer) {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
