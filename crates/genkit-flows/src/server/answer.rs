//! Responses: a result or an error with its HTTP status, as JSON.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error as E;
use super::shared::METHODS;
use genkit_core::internal::disclosure::for_callers;
use genkit_core::internal::error::Topic as _;
use genkit_core::internal::status;
use genkit_core::{Error, ErrorKind};
use genkit_http_server::internal::{FairLimit, NoMemory};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The initial capacity of a body, in bytes.
const USUAL: usize = 128;

/// Builds the response for a result.
pub(super) fn result_response(value: &Value) -> Response {
    #[derive(Serialize)]
    struct ResultBody<'a> {
        result: &'a Value,
    }
    let mut body = Vec::with_capacity(USUAL);
    let written = serde_json::to_writer(&mut body, &ResultBody { result: value });
    written.expect("writing a JSON value to a vector cannot fail");
    json_response(StatusCode::OK, body)
}

/// Builds the response for a result, whose size counts against the memory of `client` until it is sent.
pub(super) fn counted_result(
    value: &Value,
    memory: &Arc<FairLimit<String>>,
    client: String,
) -> Result<Response, NoMemory> {
    let response = result_response(value);
    let length = response.body().size_hint().exact().unwrap_or_default();
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(memory.take_memory(client, length)?.until_sent(response))
}

fn json_response(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// An error as sent to clients.
pub(super) struct FlowErrorResponse {
    http: StatusCode,
    allow: bool,
    /// The body: `{"status", "message", "details"?}`.
    pub(super) json: Value,
}

impl FlowErrorResponse {
    /// Converts an error of `action` to the form sent to clients. A `genkit::Error` keeps its status even if its text
    /// is masked; errors of other libraries are `INTERNAL`, because their status was not meant for clients.
    pub(super) fn from_error(error: Error, action: &str, exposes_errors: bool) -> Self {
        let is_ours = error.text_for_callers().is_some();
        let kind = if is_ours { error.kind() } else { ErrorKind::Internal };
        let error = for_callers(error, action, exposes_errors);
        let message = error.chain();
        let details = error.details().filter(|_| is_ours || exposes_errors).cloned();
        Self::new(kind, message, details)
    }

    fn new(kind: ErrorKind, message: String, details: Option<Value>) -> Self {
        let mut body = Map::new();
        body.insert("status".to_owned(), status::status_name(kind).into());
        body.insert("message".to_owned(), message.into());
        body.extend(details.map(|details| ("details".to_owned(), details)));
        let http = StatusCode::from_u16(status::http_status(kind));
        let http = http.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { http, allow: false, json: Value::Object(body) }
    }
}

/// Errors of the server itself, which clients always receive in full.
impl From<E> for FlowErrorResponse {
    fn from(error: E) -> Self {
        let mut failure = Self::new(error.kind(), error.to_string(), None);
        failure.http = error.http().unwrap_or(failure.http);
        failure.allow = matches!(error, E::Method);
        failure
    }
}

impl IntoResponse for FlowErrorResponse {
    fn into_response(self) -> Response {
        let mut response = json_response(self.http, self.json.to_string().into_bytes());
        if self.allow {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(METHODS));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn internal_error_text_is_masked() {
        let io = || std::io::Error::new(std::io::ErrorKind::NotFound, "/etc/secret");
        let told = |error: Error, exposes| FlowErrorResponse::from_error(error, "f", exposes);
        let public = Error::not_found("no note 7").with_details(json!({"id": 7}));
        let failure = told(public.with_source(io()), false);
        assert_eq!((failure.http.as_u16(), &failure.json["status"]), (404, &json!("NOT_FOUND")));
        let message = failure.json["message"].as_str().unwrap();
        assert!(message.starts_with("no note 7 (reference "), "{message}");
        assert_eq!(failure.json["details"], json!({"id": 7}));

        let failure = told(Error::from(io()), false);
        assert_eq!((failure.http.as_u16(), &failure.json["status"]), (500, &json!("INTERNAL")));
        assert!(!failure.json.to_string().contains("secret"), "{}", failure.json);
        let failure = told(Error::from(io()), true);
        assert_eq!(failure.http.as_u16(), 500);
        assert!(failure.json.to_string().contains("secret"), "{}", failure.json);
    }
}
