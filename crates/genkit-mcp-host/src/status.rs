//! Status of a server.

use std::fmt;
use std::time::Duration;

/// State of a server of a host.
///
/// ```
/// use genkit::mcp::host::ServerState;
///
/// assert_eq!(ServerState::Connected.to_string(), "connected");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// Left alone, by its configuration or by [`McpHost::disable`](super::McpHost::disable).
    Disabled,
    /// Being started, and shaken hands with.
    Connecting,
    /// There.
    Connected,
    /// Not there; it is tried again after a while, or when it is called.
    Waiting,
    /// Not there, and not tried again before [`McpHost::reconnect`](super::McpHost::reconnect):
    /// trying would not help.
    Failed,
    /// Ended with its host.
    Closed,
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disabled => "disabled",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Waiting => "waiting to be tried again",
            Self::Failed => "failed",
            Self::Closed => "closed",
        })
    }
}

/// Status of a server of a host, as it is now.
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
    /// Key of the server in the host.
    pub server: String,
    /// State: what it is doing.
    pub state: ServerState,
    /// Last error: why it is not there, or what failed last while it was; `None` once a connection
    /// holds.
    pub last_error: Option<String>,
    /// Retry delay: when it is tried again, from now on.
    pub retry_in: Option<Duration>,
    /// The version of MCP that is spoken.
    pub protocol_version: Option<String>,
    /// Name and version that the server gives itself.
    pub server_name: Option<String>,
    /// Instructions of the server for whoever uses it.
    pub instructions: Option<String>,
    /// Notices: what of it is left out, with the reason: tools without a name, pages without an
    /// end.
    pub notices: Vec<String>,
}
