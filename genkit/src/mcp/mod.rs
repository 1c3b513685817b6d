//! The registry as an MCP server.
//!
//! [`serve_mcp`](crate::serve_mcp) is the one-liner; [`McpServer`] is what it returns. Both eras
//! of the protocol are served on one endpoint: sessions up to 2025-11-25, stateless requests
//! from 2026-07-28.
//!
//! ```no_run
//! use genkit::tool;
//!
//! /// Adds two numbers.
//! #[tool]
//! async fn add(a: i64, b: i64) -> i64 { a + b }
//!
//! # async fn run() -> genkit::Result<()> {
//! genkit::serve_mcp().name("calculator").await
//! # }
//! ```

#[cfg(feature = "mcp-host")]
#[allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling, roots, logging and subscribe; servers of today have them"
)]
mod host;
mod level;
mod lines;
#[cfg(feature = "mcp-server")]
mod server;

#[cfg(feature = "mcp-host")]
pub use host::*;
#[cfg(feature = "mcp-server")]
pub use server::*;

/// The SDK underneath, for its types: [`McpServer::into_handler`] and the testing client speak
/// them.
///
/// ```
/// use genkit::mcp::rmcp::model::ProtocolVersion;
///
/// assert_eq!(ProtocolVersion::V_2026_07_28.to_string(), "2026-07-28");
/// ```
pub use ::rmcp;
