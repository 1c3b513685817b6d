//! The MCP server, which serves the registry over stdio and streamable HTTP.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod audit;
mod builder;
mod caller;
#[cfg(feature = "cli")]
mod cli;
mod engine;
mod error;
mod handler;
mod hosts;
#[cfg_attr(not(feature = "http"), path = "http_off.rs")]
mod http;
#[cfg(feature = "host")]
mod in_process;
mod instance;
#[doc(hidden)]
pub mod internal;
mod lists;
mod middleware;
mod package;
mod permission;
mod principal;
mod quota;
mod results;
mod rounds;
mod run;
mod serve;
mod session;
mod settings;
mod state;
mod stdio;
#[cfg_attr(not(feature = "durable"), path = "tasks_off/mod.rs")]
mod tasks;
#[cfg(feature = "testing")]
pub mod testing;
mod tool_search;

pub use builder::McpServer;
#[cfg(feature = "cli")]
pub use cli::McpCli;
#[cfg(all(feature = "http", feature = "durable"))]
pub use http::session_store::RunSessions;
#[cfg(feature = "http")]
pub use http::{
    HttpStream, MemorySessions, ProtectedResource, SessionStore, StoredSession, TokenError,
    TokenVerifier,
};
pub use middleware::{
    NextRequest, RequestMiddleware, ServedRequest, ServedResponse, on_call, on_get, on_list,
    on_read, on_request,
};
pub use package::{Package, Variable};
pub use permission::{Caller, Item};
pub use principal::Principal;
pub use settings::ApprovalFallback;
