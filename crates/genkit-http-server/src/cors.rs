//! CORS: which web pages may call, and what they may read.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Uri};

use super::origin::AllowedOrigins;

/// How long a page may remember what it was allowed, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The origins that may call, and what their pages may do.
pub struct Cors {
    any: bool,
    origins: AllowedOrigins,
    /// The methods that there are.
    methods: HeaderValue,
    /// What a page may read of an answer beside its body.
    exposed: HeaderValue,
}

/// What an answer says to a web page: nothing where none asked.
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

    /// The rights of the page that a request comes from; `None` refuses it.
    pub fn check(&self, headers: &HeaderMap, uri: &Uri) -> Option<PageRights> {
        let Some(origin) = headers.get(ORIGIN) else { return Some(PageRights(None)) };
        if self.any {
            return Some(PageRights(Some(HeaderValue::from_static("*"))));
        }
        self.origins.allow(headers, uri).then(|| PageRights(Some(origin.clone())))
    }

    /// The methods that there are.
    pub(crate) fn methods(&self) -> HeaderValue {
        self.methods.clone()
    }

    /// What the answer to OPTIONS says: what may be done, with the headers that were asked for.
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

    /// What lets the page read an answer.
    pub fn grant(&self, rights: PageRights, headers: &mut HeaderMap) {
        let Some(origin) = rights.0 else { return };
        if origin != "*" {
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, self.exposed.clone());
    }
}
