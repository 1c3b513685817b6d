//! The builder returned by `serve_agui()`.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use genkit_core::BoxFuture;
use genkit_flows::ContextProvider;
use genkit_http_server::internal::{GRACE, ListenPlace, Listening};

use crate::agent::{Agent, IntoAgent};

/// The time limit of a run. Default is 10 minutes.
const RUN_TIMEOUT: Duration = Duration::from_secs(600);

/// The time limit of the function that creates a run. Default is 30 seconds.
pub(crate) const SETUP_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum size of a request body, in bytes. Default is 8 MiB.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// The maximum number of runs at once. Default is 1,024; further requests are rejected.
const MAX_RUNNING: usize = 1_024;

/// An AG-UI server that is about to start: await it to serve an agent to web pages.
///
/// Every option, with a value other than its default:
///
/// ```
/// use genkit::agui::AguiRequest;
/// use std::time::Duration;
///
/// # fn main() -> genkit::Result<()> {
/// let agent = |request: AguiRequest| async move {
///     let locale = request.forwarded_prop("locale").and_then(|it| it.as_str()).unwrap_or("en").to_owned();
///     let language = if locale == "de" { "German" } else { "English" };
///     Ok(genkit::generate(()).system(format!("Respond in {language}.")))
/// };
/// let server = genkit::serve_agui(agent)
///     .path("/chat")
///     .forwarded_props(["locale"])
///     .sealing_key([7; 32]) // the same on all machines, random and secret
///     .timeout(Duration::from_secs(60))
///     .max_message(1024 * 1024)
///     .max_in_flight(100)
///     .grace(Duration::from_secs(5))
///     .cors(["https://app.example.com"])
///     .allowed_hosts(["chat.example.com"])
///     .expose_errors(false)
///     .shutdown(async { std::future::pending().await });
/// server.router()?; // or `.await`
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Awaiting it fails with [`InvalidArgument`] if the sealing key is too short, `$PORT` is not a port number or an
/// address is invalid; and with [`Unavailable`] if it cannot listen.
///
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct AguiServer {
    pub(crate) agent: Agent,
    pub(crate) settings: AguiSettings,
    pub(crate) listening: Listening,
    /// Stops the server when it resolves.
    pub(crate) shutdown: Option<BoxFuture<'static, ()>>,
}

/// The settings of an AG-UI server.
pub(crate) struct AguiSettings {
    /// A path with a leading `/`.
    pub(crate) path: String,
    pub(crate) providers: Vec<Arc<dyn ContextProvider>>,
    pub(crate) forwarded_props: Vec<String>,
    pub(crate) page_tools: Vec<String>,
    pub(crate) sealing_key: Option<Vec<u8>>,
    pub(crate) timeout: Duration,
    pub(crate) grace: Duration,
    pub(crate) max_message: usize,
    pub(crate) max_in_flight: usize,
    pub(crate) origins: Vec<String>,
    pub(crate) hosts: Option<Vec<String>>,
    /// `None` means true if `GENKIT_ENV` is `dev`.
    pub(crate) expose_errors: Option<bool>,
}

impl AguiServer {
    #[doc(hidden)]
    pub fn new<Kind>(agent: impl IntoAgent<Kind>) -> Self {
        let settings = AguiSettings {
            path: "/agui".to_owned(),
            providers: Vec::new(),
            forwarded_props: Vec::new(),
            page_tools: Vec::new(),
            sealing_key: None,
            timeout: RUN_TIMEOUT,
            grace: GRACE,
            max_message: MAX_BODY,
            max_in_flight: MAX_RUNNING,
            origins: Vec::new(),
            hosts: None,
            expose_errors: None,
        };
        let agent = agent.into_agent();
        Self { agent, settings, listening: Listening::default(), shutdown: None }
    }

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

    /// Sets the path of the agent. Default is `/agui`.
    pub fn path(mut self, path: impl AsRef<str>) -> Self {
        self.settings.path = format!("/{}", path.as_ref().trim_matches('/'));
        self
    }

    /// Adds a [`ContextProvider`], which reads each request before its run starts, identifies the caller and creates
    /// the action context. Default is none: every client can call the agent.
    ///
    /// A conversation belongs to the [`owner`](ContextProvider::owner) that the providers return, by default the whole
    /// value of `auth`. Another caller cannot continue it. Without providers, a conversation belongs to every client
    /// that has a copy of it.
    pub fn context_provider(mut self, provider: impl ContextProvider) -> Self {
        self.settings.providers.push(Arc::new(provider));
        self
    }

    /// Sets the names of the `forwardedProps` that the function that creates a run can read. Default is none; all
    /// others are dropped.
    pub fn forwarded_props(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.forwarded_props.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the names of tools of the agent that the page executes: tools that were built with
    /// [`interrupts`](genkit_core::ToolBuilder::interrupts). The model can call them in every request, and their results
    /// are checked against their output schema. Default is none; the tools that a request declares are always executed
    /// by the page.
    pub fn page_tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.page_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the key that seals conversations, at least 32 random bytes. Default is a random key of this process.
    ///
    /// Set it if several processes serve the same clients, or if conversations must survive a restart. Each process
    /// records only the interrupts that it resumed itself, so route a thread to the same process if a tool must not run
    /// twice.
    pub fn sealing_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.settings.sealing_key = Some(key.into());
        self
    }

    /// Sets the time limit of a run. Default is 10 minutes; a run that takes longer ends with `DEADLINE_EXCEEDED`.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
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

impl std::fmt::Debug for AguiServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Providers and the key are secret, so they are not shown.
        f.debug_struct("AguiServer").field("path", &self.settings.path).finish_non_exhaustive()
    }
}
