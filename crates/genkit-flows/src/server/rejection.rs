//! Responses of agent servers to rejected requests.

use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use genkit_core::internal::disclosure::for_callers;
use genkit_core::internal::error::Topic;
use genkit_core::internal::status;
use genkit_core::{Error, ErrorKind};
use genkit_http_server::internal::BodyError;

/// The rejection of a request, before its stream starts.
pub struct Rejection {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// The supported methods, if the request has another method.
    allow: Option<&'static str>,
}

impl Rejection {
    /// Creates the rejection for an error of the server itself, which clients always receive in full.
    pub fn from_server_error(
        error: &(impl Topic + std::fmt::Display),
        body: Option<&BodyError>,
    ) -> Self {
        let status = match body {
            Some(BodyError::Slow(_)) => StatusCode::REQUEST_TIMEOUT,
            Some(BodyError::Long(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Some(BodyError::BudgetExceeded) => StatusCode::SERVICE_UNAVAILABLE,
            _ => http_status(error.kind()),
        };
        Self {
            status,
            code: status::status_name(error.kind()),
            message: error.to_string(),
            allow: None,
        }
    }

    /// Creates the rejection of an unsupported method. `allow` lists the supported methods.
    pub fn unsupported_method(
        error: &(impl Topic + std::fmt::Display),
        allow: &'static str,
    ) -> Self {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        Self { status, allow: Some(allow), ..Self::from_server_error(error, None) }
    }

    /// Creates the rejection for an error of application code. It is masked unless errors are
    /// exposed.
    pub fn from_app_error(error: Error, exposes_errors: bool) -> Self {
        let (code, message) = masked_error(error, exposes_errors);
        let kind = status::kind_from_name(code).unwrap_or(ErrorKind::Internal);
        Self { status: http_status(kind), code, message, allow: None }
    }

    /// Returns the error as JSON.
    pub fn to_json(&self) -> Value {
        json!({ "status": self.code, "message": self.message })
    }
}

fn http_status(kind: ErrorKind) -> StatusCode {
    StatusCode::from_u16(status::http_status(kind)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Returns the status name and the text of an error that a client is allowed to read.
pub fn masked_error(error: Error, exposes_errors: bool) -> (&'static str, String) {
    let is_ours = error.text_for_callers().is_some();
    let kind = if is_ours { error.kind() } else { ErrorKind::Internal };
    (status::status_name(kind), for_callers(error, "agent", exposes_errors).chain())
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let body = self.to_json().to_string();
        let mut response =
            (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if let Some(allow) = self.allow {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}
