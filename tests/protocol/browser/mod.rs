//! Pages in a browser: a login at an authorization server, the MCP Inspector's page, and a chat.
//!
//! Screenshots of each step are in `scratch/` of these tests.

mod chat;
mod chromium;
mod inspector;
mod login;
