//! MCP server: the registry served over stdio and streamable HTTP.

mod audit;
#[cfg(feature = "mcp-http")]
mod auth;
mod builder;
mod caller;
#[cfg(feature = "cli")]
mod cli;
mod content;
mod engine;
mod error;
mod handler;
mod hosts;
#[cfg(feature = "mcp-http")]
mod http;
#[cfg(feature = "mcp-host")]
mod in_process;
#[cfg(feature = "jwt")]
mod jwt;
mod lists;
mod middleware;
mod permission;
mod principal;
mod quota;
mod results;
mod rounds;
mod run;
mod serve;
mod session;
#[cfg(feature = "mcp-http")]
mod session_store;
mod settings;
mod state;
mod stdio;
#[cfg(feature = "durable")]
mod tasks;
mod tool_call;
#[cfg(feature = "generate")]
mod tool_middleware;

#[cfg(feature = "mcp-http")]
pub use crate::http_server::HttpStream;
#[cfg(feature = "mcp-http")]
pub use auth::{ProtectedResource, TokenError, TokenVerifier};
pub use builder::McpServer;
#[cfg(feature = "cli")]
pub use cli::McpCli;
#[cfg(feature = "jwt")]
pub use jwt::{JwtAlgorithm, JwtVerifier, JwtVerifierBuilder};
pub use middleware::{
    NextRequest, RequestMiddleware, ServedAnswer, ServedRequest, on_call, on_get, on_list, on_read,
    on_request,
};
pub use permission::{Caller, Item};
pub use principal::Principal;
#[cfg(feature = "testing")]
pub(crate) use serve::serve_pipe;
#[cfg(all(feature = "mcp-http", feature = "durable"))]
pub use session_store::RunSessions;
#[cfg(feature = "mcp-http")]
pub use session_store::{MemorySessions, SessionStore, StoredSession};
pub use settings::ApprovalFallback;
