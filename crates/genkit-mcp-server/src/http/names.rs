//! Names of the wire: the path, and headers.

/// Where the endpoint is mounted.
pub(super) const PATH: &str = "/mcp";

/// The header that names a session.
pub(super) const SESSION: &str = "mcp-session-id";

/// The header that names the last event that a client has.
pub(super) const LAST_EVENT: &str = "last-event-id";
