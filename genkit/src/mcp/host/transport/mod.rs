//! Transports to servers: child processes, streamable HTTP with OAuth, the program's own.

pub(crate) mod custom;
#[cfg(feature = "mcp-host-http")]
pub(crate) mod http;
#[cfg(feature = "mcp-host-http")]
pub(crate) mod oauth;
pub(crate) mod stdio;

/// Marks a request, in its extensions, whose result is read as it is. rmcp tells results apart by their
/// members, and one member too many makes a list of tools of what a tool said.
#[derive(Clone)]
pub(crate) struct UntypedResult;
