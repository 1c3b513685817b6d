//! How one server is reached, and what of it is wanted.

mod controls;
mod custom;
pub(crate) mod file;
#[cfg(feature = "mcp-host-http")]
mod http;
mod keys;
mod stdio;

use std::sync::Arc;

pub use controls::ProtocolEra;
pub(crate) use controls::{Controls, controls};
pub use custom::CustomServer;
use custom::TransportFactory;
#[cfg(feature = "mcp-host-http")]
pub use http::HttpServer;
pub(crate) use keys::check_keys;
pub use stdio::StdioServer;

#[cfg(feature = "mcp-host-http")]
use super::transport::http::Endpoint;
use super::transport::stdio::command::Command;
pub use super::transport::stdio::command::StderrTo;
use crate::error::Error;

/// One server of a host: made from a [`StdioServer`], an [`HttpServer`](super::HttpServer) or a
/// [`CustomServer`].
///
/// Two are equal if nothing of them would make the connection or its tools another: what
/// [`McpHost::update_servers`](super::McpHost::update_servers) compares. Closures are equal if they are
/// one and the same.
///
/// ```
/// use genkit::mcp::{host::ServerConfig, host::StdioServer};
///
/// let fs: ServerConfig = StdioServer::new("mcp-server-filesystem").arg("/tmp").into();
/// assert_eq!(fs, StdioServer::new("mcp-server-filesystem").arg("/tmp").into());
/// assert_ne!(fs, StdioServer::new("mcp-server-filesystem").arg("/home").into());
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
    #[cfg(feature = "mcp-host-http")]
    Http(Endpoint),
    Custom(TransportFactory),
    /// A configuration file names something that cannot be done: the server is there, and failed.
    Broken(Arc<Error>),
}

impl PartialEq for Launch {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stdio(a), Self::Stdio(b)) => a == b,
            #[cfg(feature = "mcp-host-http")]
            (Self::Http(a), Self::Http(b)) => a == b,
            (Self::Custom(a), Self::Custom(b)) => a == b,
            (Self::Broken(a), Self::Broken(b)) => a.to_string() == b.to_string(),
            _ => false,
        }
    }
}

impl ServerConfig {
    /// A server that cannot be tried, for this reason.
    pub(crate) fn broken(error: Error, controls: Controls) -> Self {
        Self { launch: Launch::Broken(Arc::new(error)), controls }
    }
}

impl From<StdioServer> for ServerConfig {
    fn from(server: StdioServer) -> Self {
        Self { launch: Launch::Stdio(server.command), controls: server.controls }
    }
}

#[cfg(feature = "mcp-host-http")]
impl From<HttpServer> for ServerConfig {
    fn from(server: HttpServer) -> Self {
        Self { launch: Launch::Http(server.endpoint), controls: server.controls }
    }
}

impl From<CustomServer> for ServerConfig {
    fn from(server: CustomServer) -> Self {
        Self { launch: Launch::Custom(server.factory), controls: server.controls }
    }
}
