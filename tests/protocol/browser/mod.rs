//! Pages in a browser: a login at an authorization server, and the MCP Inspector's page.
//!
//! Screenshots of each step are in `scratch/` of these tests.

mod chromium;
mod inspector;
mod login;
