//! CORS: which web pages may call, and what they may read.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};

use super::error::Error as E;
use crate::http_server::AllowedOrigins;

/// What a page may do.
pub(super) const METHODS: HeaderValue = HeaderValue::from_static("POST, OPTIONS");

/// What a page may read of an answer beside its body.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("x-genkit-stream-id, x-genkit-trace-id, x-genkit-span-id");

/// How long a page may remember what it was allowed, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The origins that may call.
pub(super) struct Cors {
    any: bool,
    origins: AllowedOrigins,
}

/// What an answer says to a web page: nothing where none asked.
pub(super) struct PageRights(Option<HeaderValue>);

impl Cors {
    pub(super) fn new(origins: Vec<String>) -> Self {
        Self { any: origins.iter().any(|origin| origin == "*"), origins: AllowedOrigins(origins) }
    }

    /// The rights of the page that a request comes from.
    pub(super) fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<PageRights, E> {
        let Some(origin) = headers.get(ORIGIN) else { return Ok(PageRights(None)) };
        if self.any {
            return Ok(PageRights(Some(HeaderValue::from_static("*"))));
        }
        match self.origins.allow(headers, uri) {
            true => Ok(PageRights(Some(origin.clone()))),
            false => Err(E::Origin),
        }
    }
}

impl PageRights {
    /// The answer, which the page may read.
    pub(super) fn grant(self, mut response: Response) -> Response {
        if let Some(origin) = self.0 {
            let headers = response.headers_mut();
            if origin != "*" {
                headers.append(VARY, HeaderValue::from_static("origin"));
            }
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        response
    }
}

/// The answer to OPTIONS: what may be done, with the headers that were asked for.
pub(super) fn preflight(asked: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(ALLOW, METHODS);
    if asked.contains_key(ORIGIN) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        if let Some(wanted) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
            headers.append(VARY, HeaderValue::from_static("access-control-request-headers"));
        }
    }
    response
}
