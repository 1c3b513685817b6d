//! How one server is reached, and what of it is wanted.

mod controls;
mod custom;
pub(crate) mod file;
#[cfg(feature = "http")]
mod http;
mod in_process;
mod keys;
mod reconnect;
mod stdio;

use std::ffi::OsString;
use std::future::Future;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::transport::IntoTransport;

pub(crate) use controls::{Controls, controls};
pub use controls::{ProtocolEra, TaskWait};
pub use custom::CustomTransport;
use custom::TransportFactory;
#[cfg(feature = "http")]
pub use http::HttpTransport;
pub use in_process::InProcessServer;
pub(crate) use keys::{alike_keys, check_keys};
pub use reconnect::Reconnect;
pub use stdio::StdioTransport;

#[cfg(feature = "http")]
use super::transport::http::Endpoint;
use super::transport::stdio::command::Command;
pub use super::transport::stdio::command::StderrTo;
use genkit_core::{Error, Result};

/// Server configuration of a host: the transport to one server, and what of it is wanted.
///
/// | the server is | write | and get |
/// |---|---|---|
/// | a program of this machine | [`ServerConfig::stdio`] | [`StdioTransport`] |
/// | at a URL | `ServerConfig::http` (feature `mcp-host-http`) | `HttpTransport` |
/// | in this program | `ServerConfig::in_process` (feature `mcp-server`) | [`CustomTransport`] |
/// | behind a transport of your own | [`ServerConfig::custom`] | [`CustomTransport`] |
///
/// Each of these has the settings of its way, and those that every server has; `.server(key, ..)` of a
/// host takes them as they are.
///
/// Two are equal if nothing of them would make the connection or its tools another: what
/// [`McpHost::update_servers`](super::McpHost::update_servers) compares. Closures are equal if they are
/// one and the same.
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

/// The ways to a server.
#[derive(Clone, Debug)]
pub(crate) enum Launch {
    Stdio(Command),
    #[cfg(feature = "http")]
    Http(Endpoint),
    Custom(TransportFactory),
    /// A configuration file names something that cannot be done: the server is there, and failed.
    Broken(Arc<Error>),
}

impl PartialEq for Launch {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stdio(a), Self::Stdio(b)) => a == b,
            #[cfg(feature = "http")]
            (Self::Http(a), Self::Http(b)) => a == b,
            (Self::Custom(a), Self::Custom(b)) => a == b,
            (Self::Broken(a), Self::Broken(b)) => a.to_string() == b.to_string(),
            _ => false,
        }
    }
}

impl ServerConfig {
    /// Stdio: a server that is started as `program`, which is looked for in `PATH`, and talks over its
    /// standard streams.
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

    /// Streamable HTTP: a server at `url`, which begins with `https://` or `http://`. One that cannot
    /// be used fails when the server is connected, and the error says why.
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

    /// A transport of your own: a server over what `connect` gives, any transport of rmcp or a pair of
    /// byte streams. It is called again for each new connection.
    ///
    /// ```no_run
    /// use genkit::mcp::host::ServerConfig;
    /// use tokio::net::TcpStream;
    ///
    /// let server = ServerConfig::custom(|| async {
    ///     Ok(TcpStream::connect("127.0.0.1:9000").await?.into_split())
    /// });
    /// # let _ = server;
    /// ```
    pub fn custom<T, E, A, F, Fut>(connect: F) -> CustomTransport
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
        T: IntoTransport<RoleClient, E, A> + Send + 'static,
        E: std::error::Error + Send + Sync + 'static,
        A: 'static,
    {
        CustomTransport::new(connect)
    }

    /// A server that cannot be tried, for this reason.
    pub(crate) fn broken(error: Error, controls: Controls) -> Self {
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
