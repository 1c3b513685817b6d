//! What a person sees in a browser: a login at an authorization server, the MCP Inspector's page.
//!
//! The pictures of each step lie in `scratch/` of these tests.

mod chromium;
mod inspector;
mod login;
