//! Servers over streamable HTTP.

use std::sync::Arc;

use super::{Controls, ServerConfig, controls};
use crate::transport::by_identity::ByIdentity;
use crate::transport::http::Endpoint;
use crate::transport::oauth::OAuth;
use genkit_core::Context;

/// An HTTP transport (streamable HTTP) to a server, with its headers and authorization; created by
/// [`ServerConfig::http`](super::ServerConfig::http).
///
/// Redirects are followed only within the same origin, requests to local servers bypass proxies from the environment,
/// and connecting times out after 10 seconds.
///
/// ```
/// use genkit::mcp::host::{OAuth, ServerConfig};
///
/// // A fixed token, a login in the browser, a token per user.
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
#[must_use = "a transport does nothing until a host connects to it"]
pub struct HttpTransport {
    pub(crate) endpoint: Endpoint,
    pub(crate) controls: Controls,
}

/// Returns the configuration for an entry of a file.
pub(super) fn configure_entry(
    _: String,
    url: String,
    headers: Vec<(String, String)>,
    controls: Controls,
) -> ServerConfig {
    ServerConfig { controls, ..ServerConfig::http(url).headers(headers).into() }
}

impl HttpTransport {
    /// Creates an HTTP transport, like [`ServerConfig::http`](super::ServerConfig::http).
    pub fn new(url: impl Into<String>) -> Self {
        Self { endpoint: Endpoint::new(url.into()), controls: Controls::default() }
    }

    /// Adds a header to every request. Names and values that are invalid in HTTP, and headers that the protocol sets
    /// itself, cause an error when the server is connected.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.endpoint.headers.push((name.into(), value.into()));
        self
    }

    /// Adds several headers to every request.
    pub fn headers(
        mut self,
        headers: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.endpoint.headers.extend(headers);
        self
    }

    /// Sends a bearer token, `Authorization: Bearer <token>`, with every request.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.endpoint.bearer = Some(token.into());
        self
    }

    /// Sets a function that creates headers for each request from the context of its caller, for example from the
    /// user's token in [`Context::extension`]. These headers take precedence over those set with
    /// [`header`](Self::header).
    ///
    /// The host's own requests (handshake, lists) do not have these headers.
    pub fn headers_from<F, H>(mut self, make: F) -> Self
    where
        F: Fn(&Context) -> H + Send + Sync + 'static,
        H: IntoIterator<Item = (String, String)>,
    {
        let make = move |ctx: &Context| make(ctx).into_iter().collect();
        self.endpoint.headers_from = Some(ByIdentity(Arc::new(make)));
        self
    }

    /// Sets the OAuth configuration, used if the server requires authorization.
    ///
    /// If a request has an `Authorization` header from [`headers_from`](Self::headers_from), that header is sent
    /// instead of the OAuth token.
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        self.endpoint.oauth = Some(Box::new(oauth));
        self
    }

    /// Adds root certificates in PEM, such as those of a company's certificate authority, to the certificates of the
    /// system. An invalid certificate causes an error when the server is connected.
    ///
    /// Root certificates and the [proxy](Self::proxy) are also used for requests to the server's authorization server.
    pub fn root_certificate(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.endpoint.network.roots.push(pem.as_ref().to_vec());
        self
    }

    /// Sets the client certificate (mTLS): its chain and its private key, both in the same PEM. An invalid certificate
    /// causes an error when the server is connected. The certificate is sent only to the origin of this server; for an
    /// authorization server with another origin, set [`OAuth::client_certificate`].
    ///
    /// ```no_run
    /// use genkit::mcp::host::ServerConfig;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let server = ServerConfig::http("https://mcp.internal.example.com/mcp")
    ///     .root_certificate(std::fs::read("company-ca.pem")?)
    ///     .client_certificate(std::fs::read("client-and-key.pem")?)
    ///     .proxy("http://proxy.example.com:3128");
    /// # let _ = server;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_certificate(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.endpoint.network.identity = Some(pem.as_ref().to_vec());
        self
    }

    /// Sets the proxy for requests to this server and its authorization server: an `http://` or `https://` URL, with a
    /// user and a password if needed. It replaces the proxies from the environment, and is also used if the server is
    /// local. An invalid URL causes an error when the server is connected.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.endpoint.network.proxy = Some(url.into());
        self
    }

    /// Sets the message limit, the maximum size of a message from an event stream or in a JSON response, in bytes.
    /// Default is 16 MiB.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.endpoint.max_message = bytes;
        self
    }
}

controls!(HttpTransport);
