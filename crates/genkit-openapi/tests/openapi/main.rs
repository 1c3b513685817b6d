//! Tools of OpenAPI documents, against a real HTTP server: through the loop and through an MCP client.

mod documents;
mod hostile;
mod loops;
mod requests;
mod server;
