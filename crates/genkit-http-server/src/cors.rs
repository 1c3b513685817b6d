//! CORS: the web pages that can call the server, and what they can read.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Uri};

use super::origin::AllowedOrigins;

/// The time that a page can cache a preflight response, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The allowed origins, and the rights of their pages.
pub struct Cors {
    any: bool,
    origins: AllowedOrigins,
    /// The supported methods.
    methods: HeaderValue,
    /// The response headers that a page can read.
    exposed: HeaderValue,
}

/// The value of `Access-Control-Allow-Origin`; `None` if the request has no origin.
pub struct PageRights(Option<HeaderValue>);

impl Cors {
    pub fn new(origins: Vec<String>, methods: &'static str, exposed: &'static str) -> Self {
        Self {
            any: origins.iter().any(|origin| origin == "*"),
            origins: AllowedOrigins(origins),
            methods: HeaderValue::from_static(methods),
            exposed: HeaderValue::from_static(exposed),
        }
    }

    /// Returns the rights of the page that sent a request; `None` rejects the request.
    pub fn check(&self, headers: &HeaderMap, uri: &Uri) -> Option<PageRights> {
        let Some(origin) = headers.get(ORIGIN) else { return Some(PageRights(None)) };
        if self.any && headers.get_all(ORIGIN).iter().count() == 1 {
            return Some(PageRights(Some(HeaderValue::from_static("*"))));
        }
        self.origins.allow(headers, uri).then(|| PageRights(Some(origin.clone())))
    }

    /// Returns the supported methods.
    pub(crate) fn methods(&self) -> HeaderValue {
        self.methods.clone()
    }

    /// Adds the headers of a preflight response. All requested headers are allowed.
    pub fn preflight(&self, asked: &HeaderMap, headers: &mut HeaderMap) {
        headers.insert(ALLOW, self.methods());
        if asked.contains_key(ORIGIN) {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, self.methods());
            headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
            if let Some(wanted) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
                headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
                headers.append(VARY, HeaderValue::from_static("access-control-request-headers"));
            }
        }
    }

    /// Adds the headers that allow the page to read a response.
    pub fn grant(&self, rights: PageRights, headers: &mut HeaderMap) {
        let Some(origin) = rights.0 else { return };
        if origin != "*" {
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, self.exposed.clone());
    }
}
