//! Tools of OpenAPI documents, tested with a real HTTP server, through the loop and through an MCP client.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

mod documents;
mod hostile;
mod logged;
mod loops;
mod requests;
mod server;
