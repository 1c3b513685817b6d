//! Transports to servers: child processes, streamable HTTP with OAuth.

#[cfg(feature = "mcp-host-http")]
pub(crate) mod http;
#[cfg(feature = "mcp-host-http")]
pub(crate) mod oauth;
pub(crate) mod stdio;
