//! A server over streamable HTTP.

use std::sync::Arc;

use super::{Controls, controls};
use crate::transport::by_identity::ByIdentity;
use crate::transport::http::Endpoint;
use crate::transport::oauth::OAuth;
use genkit_core::Context;

/// HTTP transport (streamable HTTP) to a server, with its headers and its access:
/// [`ServerConfig::http`](super::ServerConfig::http) makes it.
///
/// Redirects are followed only within the same origin, servers of this machine are never reached
/// through a proxy, and a connection is made within 10 seconds or not at all.
///
/// ```
/// use genkit::mcp::host::{OAuth, ServerConfig};
///
/// // A token that is always the same, a login in the browser, a token for each user.
/// let docs = ServerConfig::http("https://example.com/mcp").bearer_token("token");
/// let mail = ServerConfig::http("https://mail.example.com/mcp").oauth(OAuth::new());
///
/// struct UserToken(String);
/// let files = ServerConfig::http("https://files.example.com/mcp").headers_from(|ctx| {
///     let token = ctx.extension::<UserToken>()?;
///     Some(("authorization".to_owned(), format!("Bearer {}", token.0)))
/// });
/// # let _ = (docs, mail, files);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server is connected by a host"]
pub struct HttpTransport {
    pub(crate) endpoint: Endpoint,
    pub(crate) controls: Controls,
}

impl HttpTransport {
    /// HTTP transport, as [`ServerConfig::http`](super::ServerConfig::http) gives it.
    pub fn new(url: impl Into<String>) -> Self {
        Self { endpoint: Endpoint::new(url.into()), controls: Controls::default() }
    }

    /// Adds a header to every request. Names and values that HTTP does not allow, and headers that
    /// the protocol writes itself, fail when the server is connected.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.endpoint.headers.push((name.into(), value.into()));
        self
    }

    /// Adds headers to every request.
    pub fn headers(
        mut self,
        headers: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.endpoint.headers.extend(headers);
        self
    }

    /// Bearer token: sends `Authorization: Bearer <token>` with every request.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.endpoint.bearer = Some(token.into());
        self
    }

    /// Headers for each request, made from the context of whoever calls, for example the token of
    /// the user that [`Context::extension`] gives. They go before those of [`header`](Self::header).
    ///
    /// Requests of the host itself (the handshake, the lists) are sent without them.
    pub fn headers_from<F, H>(mut self, make: F) -> Self
    where
        F: Fn(&Context) -> H + Send + Sync + 'static,
        H: IntoIterator<Item = (String, String)>,
    {
        let make = move |ctx: &Context| make(ctx).into_iter().collect();
        self.endpoint.headers_from = Some(ByIdentity(Arc::new(make)));
        self
    }

    /// OAuth: gets access with it where the server asks for it.
    ///
    /// A request that carries an `Authorization` header from [`headers_from`](Self::headers_from)
    /// is sent with that one.
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        self.endpoint.oauth = Some(Box::new(oauth));
        self
    }

    /// Message limit: the longest message that is read, from a stream or as one JSON document, in
    /// bytes. Default is 16 MiB.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.endpoint.max_message = bytes;
        self
    }
}

controls!(HttpTransport);
