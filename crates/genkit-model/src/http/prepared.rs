//! The head of a call: the URL and the headers, which most calls of an endpoint share.

use std::borrow::Cow;

use http::Uri;
use reqwest::Url;
use reqwest::header::HeaderMap;
use tokio::runtime::{Handle, Id};

use super::direct::{OriginRoute, find_route};
use genkit_core::Result;
use genkit_http_client::internal::net::client_error;

pub(super) struct PreparedHead {
    path: String,
    own: Vec<(&'static str, Cow<'static, str>)>,
    pub(super) url: Url,
    /// The path and query.
    pub(super) target: Uri,
    pub(super) headers: HeaderMap,
    /// The route to the server in this runtime.
    pub(super) way: OriginRoute,
    runtime: Id,
}

impl PreparedHead {
    /// Creates the head for calls to `path` with their `own` headers. Calls are sent to `url` with
    /// all of `headers`.
    pub(super) fn new(
        path: &str,
        own: &[(&'static str, Cow<'static, str>)],
        url: Url,
        headers: HeaderMap,
    ) -> Result<Self> {
        let target = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        Ok(Self {
            path: path.to_owned(),
            own: own.to_vec(),
            target: target.parse().map_err(|error| client_error(&error))?,
            headers,
            way: find_route(&url)?,
            url,
            runtime: Handle::current().id(),
        })
    }

    /// Returns whether this head can be used for a call with this path and these headers.
    pub(super) fn matches(&self, path: &str, own: &[(&'static str, Cow<'static, str>)]) -> bool {
        self.runtime == Handle::current().id() && self.path == path && self.own == own
    }
}
