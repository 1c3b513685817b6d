//! The builder of a server of agents.

use genkit_core::BoxFuture;
use genkit_flows::ContextProvider;
use genkit_flows::internal::GateSettings;
use genkit_http_server::internal::Listening;

use crate::agent::Agent;

/// A server of agents for Genkit's clients (`remoteAgent` of `genkit/beta/client`), created by [`serve_agents`]. It
/// starts when it is awaited.
///
/// | request | response |
/// |---|---|
/// | `POST /NAME` with `{"data": AgentInput, "init": AgentInit}` | `{"result": AgentOutput}`, or a stream with `Accept: text/event-stream` |
/// | `POST /NAME/getSnapshot` with `{"data": {"snapshotId"}}` or `{"sessionId"}` | `{"result": Snapshot}`, or null |
/// | `POST /NAME/abort` with `{"data": {"snapshotId"}}` | `{"result": {"snapshotId", "status"}}` |
/// | `POST /NAME/wait` with `{"data": {"snapshotId", "timeoutMs"}}` | `{"result": Snapshot}`, once the turn has ended or the timeout has elapsed |
///
/// ```
/// use genkit::sessions::{Agent, serve_agents};
///
/// # fn main() -> genkit::Result<()> {
/// let agent = Agent::builder("guide").instructions("You plan trips.").build()?;
/// let router = serve_agents([agent])
///     .path("/agents")
///     .max_in_flight(100)
///     .cors(["https://app.example.com"])
///     .allowed_hosts(["chat.example.com"])
///     .router()?; // or `.await`
/// # let _ = router;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Awaiting the server fails with [`InvalidArgument`] if two agents have the same name, the sealing key is too short,
/// `$PORT` is not a port number or an address is invalid; and with [`Unavailable`] if it cannot listen.
///
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct AgentServer {
    pub(crate) agents: Vec<Agent>,
    /// Empty, or a path with a leading `/`.
    pub(crate) path: String,
    pub(crate) sealing_key: Option<Vec<u8>>,
    pub(crate) gate: GateSettings,
    pub(crate) listening: Listening,
    /// Stops the server when it resolves.
    pub(crate) shutdown: Option<BoxFuture<'static, ()>>,
}

/// Serves agents over HTTP, each at the path `/NAME`: see [`AgentServer`].
pub fn serve_agents(agents: impl IntoIterator<Item = Agent>) -> AgentServer {
    AgentServer {
        agents: agents.into_iter().collect(),
        path: String::new(),
        sealing_key: None,
        gate: GateSettings::default(),
        listening: Listening::default(),
        shutdown: None,
    }
}

impl AgentServer {
    /// Sets the path prefix before the names of the agents. Default is empty.
    pub fn path(mut self, path: impl AsRef<str>) -> Self {
        let path = path.as_ref().trim_matches('/');
        self.path = if path.is_empty() { String::new() } else { format!("/{path}") };
        self
    }

    /// Sets the key that seals the states of [client-managed](crate::AgentBuilder::client_managed) agents, at least 32
    /// random bytes. Default is a random key of this process.
    ///
    /// Set a key if several processes serve the same clients, or if conversations must survive a restart.
    pub fn sealing_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.sealing_key = Some(key.into());
        self
    }
}

genkit_flows::agent_server_options!(AgentServer);

impl std::fmt::Debug for AgentServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Context providers may contain secrets, so they are not printed.
        f.debug_struct("AgentServer").field("agents", &self.agents).finish_non_exhaustive()
    }
}
