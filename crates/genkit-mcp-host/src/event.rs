//! Events of a host: what servers tell by themselves, and what becomes of them.

use std::sync::Arc;

use serde_json::Value;

use super::status::ServerState;
use genkit_core::{LogLevel, Progress};

/// MCP event of a server: something that it told, or that became of it.
///
/// ```
/// use genkit::mcp::host::{McpEvent, McpHost, ServerConfig};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .server("fs", ServerConfig::stdio("mcp-server-filesystem").arg("/tmp"))
///     .on_event(|event| match event {
///         McpEvent::Log { server, level, data, .. } => eprintln!("{server}: {level:?}: {data}"),
///         McpEvent::State { server, state, .. } => eprintln!("{server} is {state}"),
///         _ => {}
///     })
///     .build()?;
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpEvent {
    /// A connection was made, lost, closed, or failed.
    #[non_exhaustive]
    State {
        /// Which server.
        server: String,
        /// State: what it is now.
        state: ServerState,
    },
    /// Tools changed: the server's are others than before.
    #[non_exhaustive]
    ToolsChanged {
        /// Which server.
        server: String,
    },
    /// A tool is another than before under the same name: its description, its schemas, or what it says of
    /// its effects. Whoever trusted it trusted the other.
    #[non_exhaustive]
    ToolChanged {
        /// Which server.
        server: String,
        /// The tool, as the server names it.
        tool: String,
        /// Fingerprint that it had before.
        before: String,
        /// Fingerprint that it has now: SHA-256 of its definition, for
        /// [`accept_tool`](super::McpClient::accept_tool).
        fingerprint: String,
        /// Whether it is held back until it is accepted.
        held: bool,
    },
    /// Two servers offer one address: it is read by
    /// [`McpClient::read_resource`](super::McpClient::read_resource) of either, and the first alone is in
    /// registries.
    #[non_exhaustive]
    SameResource {
        /// The address.
        uri: String,
        /// Which server has it.
        server: String,
        /// Which other offers it too.
        other: String,
    },
    /// Prompts changed: the server's are others than before.
    #[non_exhaustive]
    PromptsChanged {
        /// Which server.
        server: String,
    },
    /// Resources changed: the server's are others than before.
    #[non_exhaustive]
    ResourcesChanged {
        /// Which server.
        server: String,
    },
    /// A resource that was [subscribed to](super::McpClient::subscribe) has new content.
    #[non_exhaustive]
    ResourceUpdated {
        /// Which server.
        server: String,
        /// The resource, or one within it.
        uri: String,
    },
    /// A log message; `tracing` has it too, at the same level.
    #[non_exhaustive]
    Log {
        /// Which server.
        server: String,
        /// Log level: how serious it is.
        level: LogLevel,
        /// The part of the server that logs it.
        logger: Option<String>,
        /// The message: usually text.
        data: Value,
    },
    /// Progress: how far one of its requests is.
    #[non_exhaustive]
    Progress {
        /// Which server.
        server: String,
        /// The tool, prompt or resource, as the server names it.
        of: String,
        /// Progress of the request.
        progress: Progress,
    },
}

/// Handler of events.
pub(crate) type EventHandler = Arc<dyn Fn(&McpEvent) + Send + Sync>;
