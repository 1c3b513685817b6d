//! Names used on the wire: the path, and headers.

/// The path of the endpoint.
pub(super) const PATH: &str = "/mcp";

/// The header that contains the id of a session.
pub(super) const SESSION: &str = "mcp-session-id";

/// The header that contains the id of the last event that a client received.
pub(super) const LAST_EVENT: &str = "last-event-id";
