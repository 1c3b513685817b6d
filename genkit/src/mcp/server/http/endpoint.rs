//! The HTTP endpoint: what is settled before a request reaches the protocol.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{self, HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use http_body_util::Full;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::bearer::BearerToken;
use super::refusal::HttpRefusal;
use crate::http_server::{AllowedHosts, AllowedOrigins, Drain, read_body};
use crate::mcp::jsonrpc::Envelope;
use crate::mcp::server::handler::McpHandler;

/// How many sessions may be open at once. Default is 10,000; one more is refused.
const MAX_SESSIONS: usize = 10_000;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// The header that repeats the method of a request.
const METHOD: &str = "mcp-method";

/// The protocol and what stands before it.
pub(super) struct McpEndpoint {
    pub(super) hosts: AllowedHosts,
    pub(super) origins: AllowedOrigins,
    pub(super) bearer: BearerToken,
    pub(super) max_body: usize,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) drain: Drain,
    pub(super) service: StreamableHttpService<McpHandler, LocalSessionManager>,
}

impl McpEndpoint {
    /// Answers a request, or has the protocol answer it.
    pub(super) async fn answer(&self, request: Request) -> Response {
        if let Err(refusal) = self.hosts.check(request.headers(), request.uri()) {
            return HttpRefusal::from(refusal).into_response();
        }
        if !self.origins.allow(request.headers(), request.uri()) {
            return HttpRefusal::Origin.into_response();
        }
        if !self.bearer.allows(request.headers()) {
            return HttpRefusal::Bearer.into_response();
        }
        let answered = match *request.method() {
            // A stream that waits for changes is nothing to wait for.
            Method::POST if is_stream(request.headers()) => self.post(request).await,
            Method::POST => {
                let running = self.drain.begin();
                let answered = self.post(request).await;
                return running.until_sent(answered.into_response());
            }
            Method::DELETE => self.delete(request).await,
            _ => Ok(self.protocol(request).await),
        };
        answered.into_response()
    }

    /// A message, whose body is read here so that a broken one can be told from a strange one.
    async fn post(&self, request: Request) -> Result<Response, HttpRefusal> {
        let (parts, body) = request.into_parts();
        let bytes = read_body(body, self.max_body).await?;
        if !parts.headers.contains_key(SESSION) && self.is_full().await && opens_session(&bytes) {
            return Err(HttpRefusal::TooManySessions);
        }
        let is_json = parts.headers.get(CONTENT_TYPE).is_some_and(|value| {
            value
                .to_str()
                .is_ok_and(|text| text.to_ascii_lowercase().starts_with("application/json"))
        });
        let request = http::Request::from_parts(parts, Full::new(bytes.clone()));
        let response = self.protocol(request).await;
        if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Err(no_message(&bytes));
        }
        Ok(response)
    }

    async fn is_full(&self) -> bool {
        self.sessions.sessions.read().await.len() >= MAX_SESSIONS
    }

    /// The end of a session; one that is not there is not found.
    async fn delete(&self, request: Request) -> Result<Response, HttpRefusal> {
        let id = request.headers().get(SESSION).and_then(|value| value.to_str().ok());
        if let Some(id) = id
            && !self.sessions.sessions.read().await.contains_key(id)
        {
            return Err(HttpRefusal::NoSuchSession);
        }
        let response = self.protocol(request).await;
        if response.status() == StatusCode::ACCEPTED {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        Ok(response)
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

/// Whether the message is the handshake of a session.
fn opens_session(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Envelope<'_>>(bytes)
        .is_ok_and(|message| message.is_request("initialize"))
}

/// Why a body is not one JSON-RPC message.
fn no_message(bytes: &[u8]) -> HttpRefusal {
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Err(error) => HttpRefusal::NotJson(error),
        Ok(_) => HttpRefusal::NotOneMessage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_opens_a_session_and_no_text_that_names_it() {
        for (body, opens) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, true),
            (r#"{"params":{},"method":"init\u0069alize","id":"a","jsonrpc":"2.0"}"#, true),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"initialize"}}"#,
                false,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"method":"initialize"}}"#, false),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize""#, false),
        ] {
            assert_eq!(opens_session(body.as_bytes()), opens, "{body}");
        }
    }
}
