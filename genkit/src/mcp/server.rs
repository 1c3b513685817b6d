//! The MCP server, which serves the registry over stdio and streamable HTTP.

#[cfg(feature = "jwt")]
#[doc(inline)]
pub use genkit_jwt::{JwtAlgorithm, JwtVerifier, JwtVerifierBuilder};
#[cfg(feature = "mcp-http")]
#[doc(inline)]
pub use genkit_mcp_server::HttpStream;
#[cfg(feature = "cli")]
#[doc(inline)]
pub use genkit_mcp_server::McpCli;
#[cfg(all(feature = "mcp-http", feature = "durable"))]
#[doc(inline)]
pub use genkit_mcp_server::RunSessions;
#[doc(inline)]
pub use genkit_mcp_server::{
    ApprovalFallback, Caller, Item, McpServer, NextRequest, Package, Principal, RequestMiddleware,
    ServedRequest, ServedResponse, Variable, on_call, on_get, on_list, on_read, on_request,
};
#[cfg(feature = "mcp-http")]
#[doc(inline)]
pub use genkit_mcp_server::{
    MemorySessions, ProtectedResource, SessionStore, StoredSession, TokenError, TokenVerifier,
};

#[doc(hidden)]
#[deprecated(note = "renamed to `ServedResponse`")]
pub type ServedAnswer = ServedResponse;
