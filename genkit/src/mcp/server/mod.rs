//! MCP server: the registry served over stdio and streamable HTTP.

mod audit;
mod builder;
mod caller;
mod content;
mod handler;
#[cfg(feature = "mcp-http")]
mod http;
mod lists;
mod log;
mod malformed;
mod rate_limit;
mod results;
mod run;
mod session;
mod settings;
mod state;
mod stdio;

pub use builder::McpServer;
#[cfg(any(feature = "testing", feature = "mcp-host"))]
pub(crate) use builder::serve_pipe;
pub use run::Principal;
pub use settings::ApprovalFallback;
