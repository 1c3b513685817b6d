//! Shared parts of the MCP server and the MCP host: JSON-RPC framing, spans, log levels.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod client_answer;
mod content;
mod error_status;
mod extras;
mod fields;
#[doc(hidden)]
pub mod internal;
mod jsonrpc;
mod level;
mod spans;
mod wrapped_result;
