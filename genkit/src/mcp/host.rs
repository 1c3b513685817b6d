//! MCP host and client: the tools, prompts and resources of other MCP servers, for a model or for a program.
//!
//! An [`McpHost`] manages connections to several servers; an [`McpClient`] is the connection to one of them. A server is
//! a local program, a URL, or part of this program ([`ServerConfig`]), and it provides ordinary [`Tool`](crate::Tool)s,
//! [`Prompt`](crate::Prompt)s and [`Resource`](crate::Resource)s.
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
//! names, `list_directory`, unless it is [namespaced](McpClientBuilder::namespaced). URIs have no prefix:
//! [`McpHost::read_resource`] finds the server that has the resource.
//!
//! | you want | see |
//! |---|---|
//! | a server that is a program, at a URL, or behind byte streams | [`ServerConfig`] |
//! | the servers of Claude Desktop, Cursor, Claude Code, VS Code | [`McpHost::from_config_file`], [`McpHostBuilder::config_json`] |
//! | fewer tools, or approval before some of them run | [`McpTools`], [`StdioTransport::only`], [`StdioTransport::needs_approval`] |
//! | access with a token, with OAuth, or per user | `HttpTransport`, `OAuth` (feature `mcp-host-http`) |
//! | to call a tool, get a prompt, read a resource, complete an argument | [`McpHost`], [`McpClient`], [`Complete`] |
//! | to answer questions of servers (elicitation), offer them a model (sampling), share folders (roots) | [`McpHostBuilder::on_elicit`], [`Sampling`], [`McpHostBuilder::roots`] |
//! | the status of servers, and their log messages and other events | [`McpHost::status`], [`McpHostBuilder::on_event`] |
//! | the skills of servers | `McpHost::skills` (feature `skills`) |
//! | the pages of MCP Apps that belong to tool calls | [`McpHost::apps`], [`McpHost::call_app_tool`] |
//! | to configure or disable reconnection | [`Reconnect`] |
//! | one server that proxies several | `McpServer::host` (feature `mcp-server`) |
//! | the types of rmcp: its peers, tools, results and transports | the module `genkit::mcp::rmcp` |

#[doc(inline)]
pub use genkit_mcp_host::{
    AppRights, Complete, CustomTransport, ElicitRequest, InProcessServer, McpApp, McpClient,
    McpClientBuilder, McpEvent, McpHost, McpHostBuilder, McpPrompts, McpResources, McpTools,
    ProtocolEra, Reconnect, RequestMeta, Sampling, SamplingRequest, ServerConfig, ServerState,
    ServerStatus, StderrTo, StdioTransport, TaskWait, add_usage_mark,
};
#[cfg(feature = "mcp-host-http")]
#[doc(inline)]
pub use genkit_mcp_host::{
    CredentialStore, FileCredentials, HttpTransport, IdentityProvider, OAuth, SigningAlgorithm,
};
#[doc(inline)]
pub use genkit_mcp_host::{LoadedSkill, RemoteSkill};
