//! The configuration of a server: its transport and settings.

mod controls;
mod custom;
pub(crate) mod file;
#[cfg_attr(not(feature = "http"), path = "http_off.rs")]
mod http;
mod in_process;
mod keys;
mod reconnect;
mod stdio;

use std::ffi::OsString;
use std::future::Future;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

pub(crate) use controls::{Controls, controls};
pub use controls::{ProtocolEra, TaskWait};
pub use custom::CustomTransport;
use custom::TransportFactory;
#[cfg(feature = "http")]
pub use http::HttpTransport;
pub use in_process::InProcessServer;
pub(crate) use keys::{check_keys, find_similar_keys};
pub use reconnect::Reconnect;
pub use stdio::StdioTransport;

use super::transport::http::Endpoint;
use super::transport::stdio::command::Command;
pub use super::transport::stdio::command::StderrTo;
use genkit_core::{Error, Result};

/// The configuration of a server in a host: its transport and settings.
///
/// | the server is | call | which returns |
/// |---|---|---|
/// | a local program | [`ServerConfig::stdio`] | [`StdioTransport`] |
/// | at a URL | `ServerConfig::http` (feature `mcp-host-http`) | `HttpTransport` |
/// | in this program | `ServerConfig::in_process` (feature `mcp-server`) | [`CustomTransport`] |
/// | behind a pair of byte streams | [`ServerConfig::streams`] | [`CustomTransport`] |
///
/// Each returned type has the settings of its transport and the settings common to all servers, and can be passed to
/// `.server(key, ..)` of a host directly.
///
/// Two configurations are equal if they describe the same connection and the same tools;
/// [`McpHost::update_servers`](super::McpHost::update_servers) uses this comparison. Closures are equal only if they
/// are the same instance.
///
/// ```
/// use genkit::mcp::host::ServerConfig;
///
/// let fs: ServerConfig = ServerConfig::stdio("mcp-server-filesystem").arg("/tmp").into();
/// assert_eq!(fs, ServerConfig::stdio("mcp-server-filesystem").arg("/tmp").into());
/// assert_ne!(fs, ServerConfig::stdio("mcp-server-filesystem").arg("/home").into());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    pub(crate) launch: Launch,
    pub(crate) controls: Controls,
}

/// The transport of a server and its settings.
#[derive(Clone, Debug)]
pub(crate) enum Launch {
    Stdio(Command),
    #[cfg_attr(not(feature = "http"), expect(unused, reason = "no endpoint exists"))]
    Http(Endpoint),
    Custom(TransportFactory),
    /// An invalid entry of a configuration file. The server is listed in the state `Failed`.
    Broken(Arc<Error>),
}

impl Launch {
    /// Returns the endpoint of a server over HTTP.
    pub(crate) fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Self::Http(endpoint) => Some(endpoint),
            _ => None,
        }
    }
}

impl PartialEq for Launch {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stdio(a), Self::Stdio(b)) => a == b,
            (Self::Http(a), Self::Http(b)) => a == b,
            (Self::Custom(a), Self::Custom(b)) => a == b,
            (Self::Broken(a), Self::Broken(b)) => a.to_string() == b.to_string(),
            _ => false,
        }
    }
}

impl ServerConfig {
    /// Creates a stdio transport, which starts `program`, found in `PATH`, and communicates with it over its standard
    /// streams.
    ///
    /// ```
    /// use genkit::mcp::host::ServerConfig;
    ///
    /// let fs = ServerConfig::stdio("npx").args(["-y", "@modelcontextprotocol/server-filesystem", "."]);
    /// # let _ = fs;
    /// ```
    pub fn stdio(program: impl Into<OsString>) -> StdioTransport {
        StdioTransport::new(program)
    }

    /// Creates a streamable HTTP transport to a server at `url`, which starts with `https://` or `http://`. An invalid
    /// URL is reported as an error when the server is connected.
    ///
    /// ```
    /// use genkit::mcp::host::ServerConfig;
    ///
    /// let docs = ServerConfig::http("https://example.com/mcp").bearer_token("token");
    /// # let _ = docs;
    /// ```
    #[cfg(feature = "http")]
    pub fn http(url: impl Into<String>) -> HttpTransport {
        HttpTransport::new(url)
    }

    /// Creates a transport over byte streams, such as a TLS connection, a Unix socket or an SSH channel, with one JSON
    /// message per line. `connect` returns the reading and the writing half, and is called for each new connection.
    /// `custom_transport` of the module `genkit::mcp::rmcp` does the same for an rmcp transport.
    ///
    /// ```no_run
    /// use genkit::mcp::host::ServerConfig;
    /// use tokio::net::TcpStream;
    ///
    /// let server = ServerConfig::streams(|| async {
    ///     Ok(TcpStream::connect("127.0.0.1:9000").await?.into_split())
    /// });
    /// # let _ = server;
    /// ```
    pub fn streams<R, W, F, Fut>(connect: F) -> CustomTransport
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(R, W)>> + Send + 'static,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        CustomTransport::new(connect)
    }

    /// Creates the configuration of a server that fails with this error instead of connecting.
    pub(crate) fn from_error(error: Error, controls: Controls) -> Self {
        Self { launch: Launch::Broken(Arc::new(error)), controls }
    }
}

impl From<StdioTransport> for ServerConfig {
    fn from(server: StdioTransport) -> Self {
        Self { launch: Launch::Stdio(server.command), controls: server.controls }
    }
}

#[cfg(feature = "http")]
impl From<HttpTransport> for ServerConfig {
    fn from(server: HttpTransport) -> Self {
        Self { launch: Launch::Http(server.endpoint), controls: server.controls }
    }
}

impl From<CustomTransport> for ServerConfig {
    fn from(server: CustomTransport) -> Self {
        Self { launch: Launch::Custom(server.factory), controls: server.controls }
    }
}
