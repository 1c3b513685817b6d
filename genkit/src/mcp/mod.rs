//! MCP (Model Context Protocol) from both sides: servers, and hosts with their clients.
//!
//! **Serving**: `serve_mcp` is the one-liner, and `McpServer` what it returns:
//! the registry as an MCP server (features `mcp-server`, `mcp-http`).
//!
//! **Using**: `McpHost` keeps other servers connected, and what they offer are ordinary tools,
//! prompts and resources (features `mcp-host`, `mcp-host-http`). `McpClient` is one of them.
//!
//! Both eras of the protocol are spoken on either side: sessions up to 2025-11-25, stateless
//! requests from 2026-07-28.
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
    reason = "SEP-2577 deprecates sampling, roots, logging and subscribe; servers of today have them"
)]
pub mod host;
#[cfg(feature = "mcp-server")]
pub mod server;

#[cfg(feature = "mcp-host")]
#[doc(inline)]
pub use host::{McpClient, McpHost};
#[cfg(feature = "mcp-server")]
#[doc(inline)]
pub use server::McpServer;

/// The SDK underneath, for its types: `McpServer::into_handler` (feature `rmcp-handler`), `McpClient::peer` and the testing
/// client speak them.
///
/// ```
/// use genkit::mcp::rmcp::model::ProtocolVersion;
///
/// assert_eq!(ProtocolVersion::V_2026_07_28.to_string(), "2026-07-28");
/// ```
pub use ::rmcp;
