//! What the MCP server and the MCP host share: JSON-RPC framing, spans, log levels.

#![allow(
    missing_docs,
    reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates"
)]

#[doc(hidden)]
pub mod internal;
mod jsonrpc;
mod level;
mod spans;
mod wrapped_result;
