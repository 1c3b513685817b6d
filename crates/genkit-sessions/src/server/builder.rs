//! The builder of a server of agents.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use genkit_core::BoxFuture;
use genkit_flows::ContextProvider;
use genkit_http_server::internal::{GRACE, ListenPlace, Listening};

use crate::agent::Agent;

/// The maximum size of a request body, in bytes. Default is 8 MiB.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// The maximum number of requests at once. Default is 1,024; further requests are rejected.
const MAX_RUNNING: usize = 1_024;

/// A server of agents that is about to start: await it to serve the agents to Genkit's clients (`remoteAgent` of
/// `genkit/beta/client`).
///
/// | request | response |
/// |---|---|
/// | `POST /NAME` with `{"data": AgentInput, "init": AgentInit}` | `{"result": AgentOutput}`, or a stream with `Accept: text/event-stream` |
/// | `POST /NAME/getSnapshot` with `{"data": {"snapshotId"}}` or `{"sessionId"}` | `{"result": Snapshot}`, or null |
/// | `POST /NAME/abort` with `{"data": {"snapshotId"}}` | `{"result": {"snapshotId", "status"}}` |
/// | `POST /NAME/wait` with `{"data": {"snapshotId", "timeoutMs"}}` | `{"result": Snapshot}` at the end of its turn or of the time |
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
/// Awaiting it fails with [`InvalidArgument`] if two agents have the same name, `$PORT` is not a port number or an
/// address is invalid; and with [`Unavailable`] if it cannot listen.
///
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct AgentServer {
    pub(crate) settings: AgentSettings,
    pub(crate) listening: Listening,
    /// Stops the server when it resolves.
    pub(crate) shutdown: Option<BoxFuture<'static, ()>>,
}

/// The settings of a server of agents.
pub(crate) struct AgentSettings {
    pub(crate) agents: Vec<Agent>,
    /// Empty, or a path with a leading `/`.
    pub(crate) path: String,
    pub(crate) providers: Vec<Arc<dyn ContextProvider>>,
    pub(crate) grace: Duration,
    pub(crate) max_message: usize,
    pub(crate) max_in_flight: usize,
    pub(crate) origins: Vec<String>,
    pub(crate) hosts: Option<Vec<String>>,
    /// `None` means true if `GENKIT_ENV` is `dev`.
    pub(crate) expose_errors: Option<bool>,
}

/// Serves agents over HTTP, each at its name: see [`AgentServer`].
pub fn serve_agents(agents: impl IntoIterator<Item = Agent>) -> AgentServer {
    let settings = AgentSettings {
        agents: agents.into_iter().collect(),
        path: String::new(),
        providers: Vec::new(),
        grace: GRACE,
        max_message: MAX_BODY,
        max_in_flight: MAX_RUNNING,
        origins: Vec::new(),
        hosts: None,
        expose_errors: None,
    };
    AgentServer { settings, listening: Listening::default(), shutdown: None }
}

impl AgentServer {
    /// Sets the address to listen on. Default is `127.0.0.1` with the port of the environment variable `PORT`, or 3400.
    /// Port 0 selects a free port, which is passed to [`on_listening`](Self::on_listening) and logged.
    pub fn http(mut self, address: impl Into<String>) -> Self {
        self.listening.place = Some(ListenPlace::Address(address.into()));
        self
    }

    /// Serves on a listener that is already bound, instead of [`http`](Self::http).
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listening.place = Some(ListenPlace::Listener(listener));
        self
    }

    /// Sets a function that receives the listening address once the server accepts connections.
    pub fn on_listening(mut self, notify: impl FnOnce(SocketAddr) + Send + 'static) -> Self {
        self.listening.told = Some(Box::new(notify));
        self
    }

    /// Sets a path before the names of the agents. Default is empty.
    pub fn path(mut self, path: impl AsRef<str>) -> Self {
        let path = path.as_ref().trim_matches('/');
        self.settings.path = if path.is_empty() { String::new() } else { format!("/{path}") };
        self
    }

    /// Adds a [`ContextProvider`], which reads each request before its turn starts, identifies the caller and creates
    /// the action context. Default is none: every client can call the agents.
    ///
    /// A session belongs to the [`owner`](ContextProvider::owner) that the providers return, by default the whole value
    /// of `auth`. For another caller it does not exist. Without providers, a session belongs to every client that knows
    /// its id.
    pub fn context_provider(mut self, provider: impl ContextProvider) -> Self {
        self.settings.providers.push(Arc::new(provider));
        self
    }

    /// Sets the message limit: the maximum size of a request, in bytes. Default is 8 MiB. A request contains the whole
    /// conversation.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.settings.max_message = bytes;
        self
    }

    /// Sets the concurrency limit: the maximum number of runs at the same time. Default is 1,024; further requests are
    /// rejected with 429. A client is identified by its context provider, or else by its address. It cannot hold more
    /// slots than it leaves free for the others, so a single client gets at most half.
    pub fn max_in_flight(mut self, runs: usize) -> Self {
        self.settings.max_in_flight = runs;
        self
    }

    /// Sets the origins whose web pages can call the agent (CORS), for example `https://app.example.com`; `*` allows
    /// all. Pages of the server's own origin are always allowed and, if the server listens on loopback, pages from
    /// loopback. Default is none; requests from other origins are rejected with 403.
    pub fn cors(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Sets the hosts that requests can name in `Host`, with or without a port; `*` allows any. Default is loopback for
    /// a [`router`](Self::router) and for a server that listens on loopback, and any host for a server that listens on
    /// another address.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether clients receive full errors, including the texts of other libraries and all causes. Default is
    /// `false`, or `true` if the environment variable `GENKIT_ENV` is `dev`.
    pub fn expose_errors(mut self, expose: bool) -> Self {
        self.settings.expose_errors = Some(expose);
        self
    }

    /// Sets the grace period: how long active runs have to finish when the server stops. Default is 10 seconds.
    pub fn grace(mut self, time: Duration) -> Self {
        self.settings.grace = time;
        self
    }

    /// Shuts down gracefully when this future resolves. Ctrl-C and SIGTERM do the same.
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.shutdown = Some(Box::pin(signal));
        self
    }
}

impl std::fmt::Debug for AgentServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Providers are secret, so they are not shown.
        f.debug_struct("AgentServer").field("agents", &self.settings.agents).finish_non_exhaustive()
    }
}
