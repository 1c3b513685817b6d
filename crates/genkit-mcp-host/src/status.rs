//! The status of a server.

use std::fmt;
use std::time::Duration;

/// The state of a server in a host.
///
/// ```
/// use genkit::mcp::host::ServerState;
///
/// assert_eq!(ServerState::Connected.to_string(), "connected");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// Not connected, because of its configuration or [`McpHost::disable`](super::McpHost::disable).
    Disabled,
    /// Starting, or performing the handshake.
    Connecting,
    /// Connected and usable.
    Connected,
    /// Not connected; the host retries after a delay, or when the server is called.
    Waiting,
    /// Not connected, and not retried until [`McpHost::reconnect`](super::McpHost::reconnect) is called, because a
    /// retry would not help or the maximum number of retries is reached.
    Failed,
    /// Closed by the program, alone or together with its host.
    Closed,
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disabled => "disabled",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Waiting => "waiting to retry",
            Self::Failed => "failed",
            Self::Closed => "closed",
        })
    }
}

/// The current status of a server in a host.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// use genkit::mcp::host::{McpHost, ServerConfig, ServerState};
///
/// let host = McpHost::builder()
///     .server("fs", ServerConfig::stdio("mcp-server-filesystem").arg("/tmp").disabled(true))
///     .build()?;
/// let status = &host.status()[0];
/// assert_eq!((status.server.as_str(), status.state), ("fs", ServerState::Disabled));
/// assert_eq!(status.last_error, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The key of the server in the host.
    pub server: String,
    /// The state of its connection.
    pub state: ServerState,
    /// The last error: the reason why the server is not connected, or the last failure while it was connected. `None`
    /// after a connection is established.
    pub last_error: Option<String>,
    /// The time until the next connection attempt.
    pub retry_in: Option<Duration>,
    /// The negotiated version of MCP.
    pub protocol_version: Option<String>,
    /// The server's own name and version.
    pub server_name: Option<String>,
    /// The server's instructions for its clients.
    pub instructions: Option<String>,
    /// Notices about omitted parts of the server, with the reason: for example tools without a name, or endless lists.
    pub notices: Vec<String>,
}
