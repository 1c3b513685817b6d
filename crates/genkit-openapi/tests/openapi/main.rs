//! Tools of OpenAPI documents, tested with a real HTTP server, through the loop and through an MCP client.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod documents;
mod hostile;
mod logged;
mod loops;
mod requests;
mod server;
