//! Other MCP servers, and what they offer.

mod child;
mod config;
mod file;
#[cfg(feature = "mcp-host-http")]
mod http;

mod pipe;

pub use config::{ProtocolEra, ServerConfig, StderrTo, StdioServer};
#[cfg(feature = "mcp-host-http")]
pub use http::HttpServer;
