//! The MCP server, which serves the registry over stdio and streamable HTTP.

#![allow(
    missing_docs,
    reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates"
)]

mod audit;
#[cfg(feature = "http")]
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
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod http_settings;
#[cfg(feature = "host")]
mod in_process;
mod instance;
#[doc(hidden)]
pub mod internal;
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
#[cfg(feature = "http")]
mod session_store;
mod settings;
mod state;
mod stdio;
#[cfg_attr(not(feature = "durable"), path = "task_table_off.rs")]
mod task_table;
#[cfg_attr(not(feature = "durable"), path = "tasks_off.rs")]
mod tasks;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "http")]
pub use auth::{ProtectedResource, TokenError, TokenVerifier};
pub use builder::McpServer;
#[cfg(feature = "cli")]
pub use cli::McpCli;
#[cfg(feature = "http")]
pub use genkit_http_server::HttpStream;
#[cfg(feature = "jwt")]
pub use jwt::{JwtAlgorithm, JwtVerifier, JwtVerifierBuilder};
pub use middleware::{
    NextRequest, RequestMiddleware, ServedAnswer, ServedRequest, on_call, on_get, on_list, on_read,
    on_request,
};
pub use permission::{Caller, Item};
pub use principal::Principal;
#[cfg(all(feature = "http", feature = "durable"))]
pub use session_store::RunSessions;
#[cfg(feature = "http")]
pub use session_store::{MemorySessions, SessionStore, StoredSession};
pub use settings::ApprovalFallback;
