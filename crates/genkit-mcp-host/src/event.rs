//! Events of a host: notifications and log messages of servers, and changes of their state.

use std::sync::Arc;

use serde_json::Value;

use super::status::ServerState;
use genkit_core::{LogLevel, Progress};

/// An event from an MCP server: a message that it sent, or a change of its state.
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
    /// The state of a server changed, for example because its connection was opened or lost.
    #[non_exhaustive]
    State {
        /// The key of the server.
        server: String,
        /// The new state.
        state: ServerState,
    },
    /// The list of tools of the server changed.
    #[non_exhaustive]
    ToolsChanged {
        /// The key of the server.
        server: String,
    },
    /// The definition of a tool changed under the same name: its title, description, schemas or annotations. A user who
    /// trusted the tool trusted the previous definition.
    #[non_exhaustive]
    ToolChanged {
        /// The key of the server.
        server: String,
        /// The server's own name for the tool.
        tool: String,
        /// The previous fingerprint.
        before: String,
        /// The new fingerprint: SHA-256 of the tool's definition, for [`accept_tool`](super::McpClient::accept_tool).
        fingerprint: String,
        /// If true, the tool is held back until it is accepted.
        held: bool,
    },
    /// Two servers offer a resource with the same URI. [`McpClient::read_resource`](super::McpClient::read_resource) of
    /// each client reads the resource of its own server; registries contain only the first.
    #[non_exhaustive]
    SameResource {
        /// The URI of the resource.
        uri: String,
        /// The key of the server whose resource is registered.
        server: String,
        /// The key of the other server.
        other: String,
    },
    /// The list of prompts of the server changed.
    #[non_exhaustive]
    PromptsChanged {
        /// The key of the server.
        server: String,
    },
    /// The list of resources of the server changed.
    #[non_exhaustive]
    ResourcesChanged {
        /// The key of the server.
        server: String,
    },
    /// The content of a resource that was [subscribed to](super::McpClient::subscribe) changed.
    #[non_exhaustive]
    ResourceUpdated {
        /// The key of the server.
        server: String,
        /// The URI of the resource, or of a resource within it.
        uri: String,
    },
    /// The user has finished on a page of the server; see [`ElicitRequest::id`](super::ElicitRequest::id).
    #[non_exhaustive]
    UrlCompleted {
        /// The key of the server.
        server: String,
        /// The id of the question.
        id: String,
    },
    /// A log message from the server, which is also sent to `tracing` at the same level.
    #[non_exhaustive]
    Log {
        /// The key of the server.
        server: String,
        /// The level of the message.
        level: LogLevel,
        /// The name of the logger, if the server reports it.
        logger: Option<String>,
        /// The message, usually a string.
        data: Value,
    },
    /// The progress of a request to the server.
    #[non_exhaustive]
    Progress {
        /// The key of the server.
        server: String,
        /// The server's own name for the tool or prompt, or the URI of the resource.
        of: String,
        /// The progress of the request.
        progress: Progress,
    },
}

/// A handler of events.
pub(crate) type EventHandler = Arc<dyn Fn(&McpEvent) + Send + Sync>;
