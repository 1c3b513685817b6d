//! Other MCP servers, and what they offer.

mod config;
#[cfg(feature = "mcp-host-http")]
mod http;

pub use config::{ProtocolEra, ServerConfig, StderrTo, StdioServer};
#[cfg(feature = "mcp-host-http")]
pub use http::{CredentialStore, FileCredentials, HttpServer, OAuth, SigningAlgorithm, Storing};
