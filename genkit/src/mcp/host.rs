//! MCP host and client: tools, prompts and resources of other MCP servers, for a model or for a program.
//!
//! An [`McpHost`] keeps several servers connected; an [`McpClient`] is one of them. Servers are programs
//! of this machine, addresses, or parts of this program ([`ServerConfig`]), and what they offer are
//! ordinary [`Tool`](crate::Tool)s, [`Prompt`](crate::Prompt)s and [`Resource`](crate::Resource)s.
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
//!     .build()?; // all servers start side by side
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
//! **Names.** In a host each name has the key of its server before it: `fs/list_directory`. In a client
//! names are the server's own: `list_directory`. A URI is no name: [`McpHost::read_resource`] finds the
//! server that has it.
//!
//! | you want | look at |
//! |---|---|
//! | a server of a program, a URL, a transport of your own | [`ServerConfig`] |
//! | the servers of Claude Desktop, Cursor, Claude Code, VS Code | [`McpHost::from_config_file`], [`McpHostBuilder::config_json`] |
//! | fewer tools, approval before some of them | [`McpTools`], [`StdioTransport::only`], [`StdioTransport::needs_approval`] |
//! | access with a token, with OAuth, for each user | `HttpTransport`, `OAuth` (feature `mcp-host-http`) |
//! | to call a tool, get a prompt, read a resource, complete an argument | [`McpHost`], [`McpClient`], [`Complete`] |
//! | to answer what servers ask (elicitation), lend a model (sampling), share folders (roots) | [`McpHostBuilder::on_elicit`], [`Sampling`], [`McpHostBuilder::roots`] |
//! | to know how servers are, and what they tell | [`McpHost::status`], [`McpHostBuilder::on_event`] |
//! | the skills of servers | `McpHost::skills` (feature `skills`) |
//! | waits between connections, or none | [`Reconnect`] |
//! | one server that fronts many | `McpServer::host` (feature `mcp-server`) |
//! | tools of a connection that rmcp made | [`peer_tools`] |

#[doc(inline)]
pub use genkit_mcp_host::{
    Complete, CustomTransport, ElicitRequest, McpClient, McpEvent, McpHost, McpHostBuilder,
    McpPrompts, McpResources, McpTools, ProtocolEra, Reconnect, RequestMeta, Sampling,
    SamplingRequest, ServerConfig, ServerState, ServerStatus, StderrTo, StdioTransport, TaskWait,
    peer_tools,
};
#[cfg(feature = "mcp-host-http")]
#[doc(inline)]
pub use genkit_mcp_host::{
    CredentialStore, FileCredentials, HttpTransport, IdentityProvider, OAuth, SigningAlgorithm,
};
#[cfg(feature = "skills")]
#[doc(inline)]
pub use genkit_mcp_host::{LoadedSkill, RemoteSkill};
