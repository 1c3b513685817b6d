//! What is settled before a request reaches the protocol: who may call, and what is no message.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;

use super::busy::Busy;

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

/// What requests are checked against.
pub(super) struct Guard {
    origins: Vec<String>,
    bearer: Option<String>,
    max_body: usize,
    sessions: Arc<LocalSessionManager>,
    busy: Busy,
}

impl Guard {
    pub(super) fn new(
        origins: Vec<String>,
        bearer: Option<String>,
        max_body: usize,
        sessions: Arc<LocalSessionManager>,
        busy: Busy,
    ) -> Self {
        Self { origins, bearer, max_body, sessions, busy }
    }

    /// Whether a web page of this origin may call: one that is named, the server's own, or one
    /// of this machine where the server is called by a name of this machine.
    fn allows_origin(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let Some(origin) = headers.get(ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((_, authority)) = origin.split_once("://") else { return false };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let Some(host) = host.or_else(|| uri.authority().map(|a| a.as_str())) else { return false };
        authority.eq_ignore_ascii_case(host) || (is_loopback(authority) && is_loopback(host))
    }

    fn allows_bearer(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.bearer else { return true };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        given.is_some_and(|given| same(given.as_bytes(), token.as_bytes()))
    }
}

/// Compares in a time that does not tell how much was right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (x, y)| differs | (x ^ y)) == 0
}

/// Whether an authority (`host` or `host:port`) is this machine.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The middleware.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    if !guard.allows_origin(request.headers(), request.uri()) {
        let said =
            "Forbidden: this Origin may not call the server; allow it with `allowed_origins`";
        return refuse(StatusCode::FORBIDDEN, REFUSED, said);
    }
    if !guard.allows_bearer(request.headers()) {
        let mut response =
            refuse(StatusCode::UNAUTHORIZED, REFUSED, "Unauthorized: a bearer token is required");
        let challenge = axum::http::HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        return response;
    }
    match *request.method() {
        // A stream that waits for changes is nothing to wait for.
        Method::POST if is_stream(request.headers()) => post(&guard, request, next).await,
        Method::POST => {
            let running = guard.busy.begin();
            running.until_sent(post(&guard, request, next).await)
        }
        Method::DELETE => delete(&guard, request, next).await,
        _ => next.run(request).await,
    }
}

/// Whether the answer has no end.
fn is_stream(headers: &HeaderMap) -> bool {
    headers.get(METHOD).is_some_and(|method| method == "subscriptions/listen")
}

/// A message, whose body is read here so that a broken one can be told from a strange one.
async fn post(guard: &Guard, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let reading = Limited::new(body, guard.max_body).collect();
    let Ok(read) = tokio::time::timeout(BODY_TIMEOUT, reading).await else {
        let said = format!("the body did not arrive within {BODY_TIMEOUT:?}");
        return refuse(StatusCode::REQUEST_TIMEOUT, INVALID_REQUEST, &said);
    };
    let bytes = match read {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            let said = format!("the request has more than {} bytes", guard.max_body);
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, INVALID_REQUEST, &said);
        }
        Err(_) => return refuse(StatusCode::BAD_REQUEST, INVALID_REQUEST, "the body broke off"),
    };
    let opens = !parts.headers.contains_key(SESSION) && contains(&bytes, b"\"initialize\"");
    if opens && guard.sessions.sessions.read().await.len() >= MAX_SESSIONS {
        let said = "too many sessions are open: try again later";
        return refuse(StatusCode::SERVICE_UNAVAILABLE, REFUSED, said);
    }
    let is_json = parts.headers.get(CONTENT_TYPE).is_some_and(|value| {
        value.to_str().is_ok_and(|text| text.to_ascii_lowercase().starts_with("application/json"))
    });
    let request = Request::from_parts(parts, Body::from(bytes.clone()));
    let response = next.run(request).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return no_message(&bytes);
    }
    response
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

/// The end of a session; one that is not there is not found.
async fn delete(guard: &Guard, request: Request, next: Next) -> Response {
    let id = request.headers().get(SESSION).and_then(|value| value.to_str().ok());
    if let Some(id) = id {
        if !guard.sessions.sessions.read().await.contains_key(id) {
            return refuse(StatusCode::NOT_FOUND, REFUSED, "there is no such session");
        }
    }
    let response = next.run(request).await;
    if response.status() == StatusCode::ACCEPTED {
        return StatusCode::NO_CONTENT.into_response();
    }
    response
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

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(origins: &[&str]) -> Guard {
        let origins = origins.iter().map(ToString::to_string).collect();
        Guard::new(origins, Some("secret".into()), 1024, Arc::default(), Busy::default())
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let name = axum::http::HeaderName::from_static(name);
            (name, value.parse().expect("a header value"))
        });
        pairs.collect()
    }

    #[test]
    fn origins_of_strangers_are_refused() {
        for (origin, host, allowed) in [
            ("http://localhost:8000", "localhost:8000", true),
            ("http://127.0.0.1:6274", "localhost:8000", true),
            ("http://[::1]:6274", "127.0.0.1:8000", true),
            ("https://mcp.example.com", "mcp.example.com", true),
            ("http://evil.example", "localhost:8000", false),
            ("http://localhost.evil.example", "localhost:8000", false),
            ("http://localhost:8000", "mcp.example.com", false),
            ("https://app.example", "mcp.example.com", true),
            ("null", "localhost:8000", false),
        ] {
            let headers = headers(&[("origin", origin), ("host", host)]);
            let uri = Uri::from_static("/mcp");
            let guard = guard(&["https://app.example"]);
            assert_eq!(guard.allows_origin(&headers, &uri), allowed, "{origin} at {host}");
        }
    }

    #[test]
    fn a_token_is_compared_whole() {
        let guard = guard(&[]);
        for (given, allowed) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secre", false),
            ("Bearer secrets", false),
            ("Basic secret", false),
        ] {
            let headers = headers(&[("authorization", given)]);
            assert_eq!(guard.allows_bearer(&headers), allowed, "{given}");
        }
        assert!(!guard.allows_bearer(&HeaderMap::new()));
    }
}
