//! MCP (Model Context Protocol) from both sides: servers, and hosts with their clients.
//!
//! **Serving**: `serve_mcp` returns an `McpServer`. Await it to serve the registry over MCP (features `mcp-server`,
//! `mcp-http`).
//!
//! **Using**: `McpHost` connects to other servers and provides their tools, prompts and resources (features `mcp-host`,
//! `mcp-host-http`). `McpClient` is a connection to a single server.
//!
//! Both support sessions (protocol versions up to 2025-11-25) and stateless requests (from 2026-07-28).
//!
#![cfg_attr(
    feature = "mcp-server",
    doc = r#"```no_run
use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 { a + b }

# async fn run() -> genkit::Result<()> {
genkit::serve_mcp().name("calculator").await
# }
```"#
)]

#[cfg(feature = "mcp-host")]
#[allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling, roots, logging and subscribe, which current servers still use"
)]
pub mod host;
pub mod rmcp;
#[cfg(feature = "mcp-server")]
pub mod server;

#[cfg(feature = "mcp-host")]
#[doc(inline)]
pub use host::{McpClient, McpHost};
#[cfg(feature = "mcp-server")]
#[doc(inline)]
pub use server::McpServer;
