//! The registry as an MCP server.

mod answers;
mod audit;
mod builder;
mod caller;
mod convert;
mod era;
mod filter;
mod gate;
mod handler;
#[cfg(feature = "mcp-http")]
mod http;
mod hub;
mod lists;
mod log;
mod malformed;
mod run;
mod seal;
mod session;
mod settings;
mod shared;
mod stdio;

pub use builder::McpServer;
#[cfg(any(feature = "testing", feature = "mcp-host"))]
pub(crate) use builder::serve_pipe;
pub use run::Principal;
pub use settings::ApprovalFallback;
