//! Servers over streamable HTTP.

use super::config::{Controls, controls};

/// A server over streamable HTTP.
///
/// ```
/// use genkit::mcp::HttpServer;
///
/// let docs = HttpServer::new("https://example.com/mcp").disabled(true);
/// # let _ = docs;
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server is connected by a host"]
pub struct HttpServer {
    pub(super) endpoint: Endpoint,
    pub(super) controls: Controls,
}

/// Where it is and how it is asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Endpoint {
    url: String,
}

impl HttpServer {
    /// The server at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        Self { endpoint: Endpoint { url: url.into() }, controls: Controls::default() }
    }
}

controls!(HttpServer);
