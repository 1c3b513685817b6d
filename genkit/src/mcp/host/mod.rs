//! Other MCP servers, and what they offer.

mod builder;
mod catalog;
mod client;
mod config;
mod error;
mod event;
mod fingerprint;
mod input;
mod lifecycle;
mod limits;
mod mcp_host;
mod request;
mod session;
mod settings;
mod status;
mod transport;

pub use builder::McpHostBuilder;
pub use catalog::peer::peer_tools;
pub use catalog::selection::{McpPrompts, McpResources, McpTools};
pub use client::McpClient;
#[cfg(feature = "mcp-host-http")]
pub use config::HttpTransport;
pub use config::{CustomTransport, ProtocolEra, Reconnect, ServerConfig, StderrTo, StdioTransport};
pub use event::McpEvent;
pub use input::elicit::ElicitRequest;
pub use input::sampling::{Sampling, SamplingRequest};
pub use mcp_host::McpHost;
pub use request::meta::RequestMeta;
pub use status::{ServerState, ServerStatus};
#[cfg(feature = "mcp-host-http")]
pub use transport::oauth::{CredentialStore, FileCredentials, OAuth, SigningAlgorithm};
