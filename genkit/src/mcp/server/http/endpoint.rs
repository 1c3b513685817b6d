//! The endpoint: what is settled before a request reaches the protocol.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{self, HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;

use super::drain::Busy;
use super::origin::Guard;
use crate::mcp::server::handler::McpHandler;

/// How many sessions are kept at once. Default is 10,000; one more is refused.
const MAX_SESSIONS: usize = 10_000;

/// How long the body of a request may take to arrive. Default is 30 seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// The header that repeats what is asked for.
const METHOD: &str = "mcp-method";

/// JSON-RPC's codes for what is no message.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const REFUSED: i32 = -32000;

/// The protocol and what stands before it.
pub(crate) struct Endpoint {
    pub(crate) guard: Guard,
    pub(crate) max_body: usize,
    pub(crate) sessions: Arc<LocalSessionManager>,
    pub(crate) busy: Busy,
    pub(crate) service: StreamableHttpService<McpHandler, LocalSessionManager>,
}

impl Endpoint {
    /// Answers a request, or has the protocol answer it.
    pub(crate) async fn answer(&self, request: Request) -> Response {
        if !self.guard.allows_origin(request.headers(), request.uri()) {
            let said =
                "Forbidden: this Origin may not call the server; allow it with `allowed_origins`";
            return refuse(StatusCode::FORBIDDEN, REFUSED, said);
        }
        if !self.guard.allows_bearer(request.headers()) {
            let said = "Unauthorized: a bearer token is required";
            let mut response = refuse(StatusCode::UNAUTHORIZED, REFUSED, said);
            let challenge = axum::http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
            return response;
        }
        match *request.method() {
            // A stream that waits for changes is nothing to wait for.
            Method::POST if is_stream(request.headers()) => self.post(request).await,
            Method::POST => {
                let running = self.busy.begin();
                running.until_sent(self.post(request).await)
            }
            Method::DELETE => self.delete(request).await,
            _ => self.protocol(request).await,
        }
    }

    /// A message, whose body is read here so that a broken one can be told from a strange one.
    async fn post(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let reading = Limited::new(body, self.max_body).collect();
        let Ok(read) = tokio::time::timeout(BODY_TIMEOUT, reading).await else {
            let said = format!("the body did not arrive within {BODY_TIMEOUT:?}");
            return refuse(StatusCode::REQUEST_TIMEOUT, INVALID_REQUEST, &said);
        };
        let bytes = match read {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                let said = format!("the request has more than {} bytes", self.max_body);
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, INVALID_REQUEST, &said);
            }
            Err(_) => {
                return refuse(StatusCode::BAD_REQUEST, INVALID_REQUEST, "the body broke off");
            }
        };
        let opens = !parts.headers.contains_key(SESSION) && contains(&bytes, b"\"initialize\"");
        if opens && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            let said = "too many sessions are open: try again later";
            return refuse(StatusCode::SERVICE_UNAVAILABLE, REFUSED, said);
        }
        let is_json = parts.headers.get(CONTENT_TYPE).is_some_and(|value| {
            value
                .to_str()
                .is_ok_and(|text| text.to_ascii_lowercase().starts_with("application/json"))
        });
        let request = http::Request::from_parts(parts, Full::new(bytes.clone()));
        let response = self.protocol(request).await;
        if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return no_message(&bytes);
        }
        response
    }

    /// The end of a session; one that is not there is not found.
    async fn delete(&self, request: Request) -> Response {
        let id = request.headers().get(SESSION).and_then(|value| value.to_str().ok());
        if let Some(id) = id
            && !self.sessions.sessions.read().await.contains_key(id)
        {
            return refuse(StatusCode::NOT_FOUND, REFUSED, "there is no such session");
        }
        let response = self.protocol(request).await;
        if response.status() == StatusCode::ACCEPTED {
            return StatusCode::NO_CONTENT.into_response();
        }
        response
    }

    async fn protocol<B>(&self, request: http::Request<B>) -> Response
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: std::fmt::Display,
    {
        self.service.handle(request).await.map(Body::new)
    }
}

/// Whether the answer has no end.
fn is_stream(headers: &HeaderMap) -> bool {
    headers.get(METHOD).is_some_and(|method| method == "subscriptions/listen")
}

/// The answer to a body that is not one JSON-RPC message.
fn no_message(bytes: &[u8]) -> Response {
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Err(error) => {
            let said = format!("Parse error: {error}");
            refuse(StatusCode::BAD_REQUEST, PARSE_ERROR, &said)
        }
        Ok(_) => {
            let said = "Invalid Request: the body must be one JSON-RPC 2.0 message";
            refuse(StatusCode::BAD_REQUEST, INVALID_REQUEST, said)
        }
    }
}

fn refuse(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({
        "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message }
    });
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn contains(haystack: &Bytes, needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}
