//! Other MCP servers, and what they offer.

mod ask;
mod builder;
mod call;
mod catalog;
mod child;
mod client;
mod config;
mod connection;
mod desk;
mod elicit;
mod event;
mod fault;
mod fetch;
mod file;
mod fingerprint;
mod handle;
mod handler;
#[cfg(feature = "mcp-host-http")]
mod http;
mod inbox;
mod inputs;
mod limits;
mod listen;
mod mirror;
mod open;
mod peer;
mod pipe;
mod requests;
mod results;
mod sampling;
mod select;
mod server;
mod settings;
mod status;
mod supervisor;
mod tap;

pub use builder::McpHostBuilder;
pub use client::McpClient;
pub use config::{CustomServer, ProtocolEra, ServerConfig, StderrTo, StdioServer};
pub use elicit::{ElicitAnswer, ElicitRequest};
pub use event::McpEvent;
pub use handle::McpHost;
#[cfg(feature = "mcp-host-http")]
pub use http::{CredentialStore, FileCredentials, HttpServer, OAuth, SigningAlgorithm, Storing};
pub use peer::peer_tools;
pub use requests::RequestMeta;
pub use sampling::{Sampling, SamplingRequest};
pub use select::{McpPrompts, McpResources, McpTools};
pub use status::{ServerState, ServerStatus};
