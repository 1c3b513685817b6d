//! MCP host and client: the tools, prompts and resources of other MCP servers, for a model or for a program.
//!
//! An [`McpHost`] maintains connections to several servers; an [`McpClient`] is the connection to one of them. A server
//! is a local program, is reached at a URL, or is part of this program ([`ServerConfig`]). It provides ordinary
//! [`Tool`](genkit_core::Tool)s, [`Prompt`](genkit_core::Prompt)s and [`Resource`](genkit_core::Resource)s.
//!
//! ```no_run
//! use genkit::mcp::host::{McpHost, ServerConfig};
//! use serde_json::json;
//!
//! # #[tokio::main]
//! # async fn main() -> genkit::Result<()> {
//! let host = McpHost::builder()
//!     .server(
//!         "fs",
//!         ServerConfig::stdio("npx").args(["-y", "@modelcontextprotocol/server-filesystem", "."]),
//!     )
//!     .build()?; // all servers start concurrently
//!
//! // For a model: all tools, live.
//! let answer = genkit::generate("What is in this folder?")
//!     .model("gemini/gemini-2.5-flash")
//!     .tools(host.tools())
//!     .await?;
//! println!("{}", answer.text());
//!
//! // For a program: one tool by its name.
//! println!("{}", host.call_tool("fs/list_directory", json!({"path": "."})).await?);
//! host.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! **Names.** A host prefixes each name with the key of its server: `fs/list_directory`. A client uses the server's own
//! names: `list_directory`. URIs have no prefix: [`McpHost::read_resource`] finds the server that has the resource.
//!
//! | you want | look at |
//! |---|---|
//! | a server that is a program, at a URL, or behind byte streams | [`ServerConfig`] |
//! | the servers of Claude Desktop, Cursor, Claude Code, VS Code | [`McpHost::from_config_file`], [`McpHostBuilder::config_json`] |
//! | fewer tools, or approval before some of them run | [`McpTools`], [`StdioTransport::only`], [`StdioTransport::needs_approval`] |
//! | access with a token, with OAuth, or per user | `HttpTransport`, `OAuth` (feature `mcp-host-http`) |
//! | to call a tool, get a prompt, read a resource, complete an argument | [`McpHost`], [`McpClient`], [`Complete`] |
//! | to answer questions of servers (elicitation), offer them a model (sampling), share folders (roots) | [`McpHostBuilder::on_elicit`], [`Sampling`], [`McpHostBuilder::roots`] |
//! | the status of servers, and their log messages and other events | [`McpHost::status`], [`McpHostBuilder::on_event`] |
//! | the skills of servers | `McpHost::skills` (feature `skills`) |
//! | to configure or disable reconnection | [`Reconnect`] |
//! | one server that proxies several | `McpServer::host` (feature `mcp-server`) |
//! | the types of rmcp: its peers, tools, results and transports | the module `genkit::mcp::rmcp` |

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling, roots, logging and subscribe; servers of today have them"
)]
#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod apps;
mod backoff;
mod builder;
mod catalog;
mod client;
mod client_builder;
mod complete;
mod config;
mod error;
mod event;
mod fingerprint;
mod input;
mod lifecycle;
mod limits;
mod mcp_host;
mod request;
mod rmcp_types;
mod session;
mod settings;
mod skills;
mod status;
mod transport;

#[cfg(feature = "http")]
pub use self::{
    config::HttpTransport,
    transport::oauth::{
        CredentialStore, FileCredentials, IdentityProvider, OAuth, SigningAlgorithm,
    },
};
pub use apps::{AppRights, McpApp};
pub use builder::McpHostBuilder;
pub use catalog::selection::{McpPrompts, McpResources, McpTools};
pub use client::McpClient;
pub use client_builder::McpClientBuilder;
pub use complete::Complete;
pub use config::{
    CustomTransport, InProcessServer, ProtocolEra, Reconnect, ServerConfig, StderrTo,
    StdioTransport, TaskWait,
};
pub use event::McpEvent;
pub use input::elicit::ElicitRequest;
pub use input::sampling::{Sampling, SamplingRequest};
pub use mcp_host::McpHost;
pub use request::meta::RequestMeta;
pub use request::usage_mark::add_usage_mark;
pub use rmcp_types::{FromMcp, custom_transport, peer, peer_tools, tool_definitions};
pub use skills::{LoadedSkill, RemoteSkill};
pub use status::{ServerState, ServerStatus};
