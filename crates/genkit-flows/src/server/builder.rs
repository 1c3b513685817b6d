//! The builder returned by `serve_flows()`.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use crate::server::provider::ContextProvider;
use crate::server::store::{MemoryStreams, StreamStore};
use genkit_core::BoxFuture;
use genkit_core::internal::{BoundRegistry, OnStart};
use genkit_http_server::internal::{GRACE, ListenAddress, Listening};

/// The time limit of a flow. Default is 10 minutes.
const FLOW_TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum size of a request body, in bytes. Default is 4 MiB.
const MAX_FLOW_BODY: usize = 4 * 1024 * 1024;

/// The maximum number of flows running at once. Default is 1,024; further requests are rejected.
const MAX_RUNNING: usize = 1_024;

/// A builder for a flow server. Await it to serve the flows of a registry.
///
/// ```no_run
/// use genkit::flow;
///
/// /// Greets a person.
/// #[flow]
/// async fn greet(who: String) -> String { format!("hello {who}") }
///
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     genkit::serve_flows().http("127.0.0.1:8080").await
/// }
/// ```
///
/// ```text
/// curl http://127.0.0.1:8080/greet -H 'content-type: application/json' -d '{"data": {"who": "Ann"}}'
/// {"result":"hello Ann"}
/// ```
///
/// Common options:
///
/// ```
/// use genkit::flows::MemoryStreams;
/// use genkit::{Genkit, Registry, flow, flows};
/// use std::time::Duration;
///
/// /// Greets a person.
/// #[flow]
/// async fn greet(who: String) -> String { format!("hello {who}") }
///
/// # fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(flows![greet])).build()?;
/// let server = genkit.serve_flows()
///     .prefix("/api")
///     .only(["greet"])
///     .context_provider(flows::api_key("secret"))
///     .stream_store(MemoryStreams::new().max_streams(100))
///     .timeout(Duration::from_secs(60))
///     .max_message(64 * 1024)
///     .max_in_flight(100)
///     .grace(Duration::from_secs(5))
///     .cors(["https://app.example.com"])
///     .allowed_hosts(["flows.example.com"])
///     .expose_errors(false)
///     .shutdown(async { std::future::pending().await });
/// server.router()?; // or `.await`
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Awaiting the server fails with [`FailedPrecondition`] if the registry is invalid, state is missing or there are no
/// flows; with [`InvalidArgument`] if [`only`](Self::only) matches no flow, `$PORT` is not a port number or an address
/// is invalid; and with [`Unavailable`] if it cannot listen.
///
/// [`FailedPrecondition`]: genkit_core::ErrorKind::FailedPrecondition
/// [`InvalidArgument`]: genkit_core::ErrorKind::InvalidArgument
/// [`Unavailable`]: genkit_core::ErrorKind::Unavailable
#[must_use = "a server starts when it is awaited: add `.await`, or `.run()` for a future"]
pub struct FlowServer {
    pub(super) genkit: BoundRegistry,
    pub(super) on_start: Option<OnStart>,
    pub(super) settings: FlowSettings,
    pub(super) listening: Listening,
    /// Stops the server when it resolves.
    pub(super) shutdown: Option<BoxFuture<'static, ()>>,
}

/// The settings of a flow server.
pub(super) struct FlowSettings {
    /// Empty, or a path with a leading `/` and no trailing `/`.
    pub(super) prefix: String,
    pub(super) only: Vec<String>,
    pub(super) providers: Vec<Arc<dyn ContextProvider>>,
    pub(super) store: Option<Arc<dyn StreamStore>>,
    pub(super) timeout: Duration,
    pub(super) grace: Duration,
    pub(super) max_message: usize,
    pub(super) max_in_flight: usize,
    pub(super) origins: Vec<String>,
    pub(super) hosts: Option<Vec<String>>,
    /// `None` means true if `GENKIT_ENV` is `dev`.
    pub(super) expose_errors: Option<bool>,
}

impl FlowServer {
    #[doc(hidden)]
    pub fn new(genkit: BoundRegistry, on_start: Option<OnStart>) -> Self {
        let settings = FlowSettings {
            prefix: String::new(),
            only: Vec::new(),
            providers: Vec::new(),
            store: None,
            timeout: FLOW_TIMEOUT,
            grace: GRACE,
            max_message: MAX_FLOW_BODY,
            max_in_flight: MAX_RUNNING,
            origins: Vec::new(),
            hosts: None,
            expose_errors: None,
        };
        Self { genkit, on_start, settings, listening: Listening::default(), shutdown: None }
    }

    /// Sets the address to listen on. Default is `127.0.0.1` with the port of the environment variable `PORT`, or 3400.
    /// Port 0 selects a free port, which is passed to [`on_listening`](Self::on_listening) and logged
    /// (`log_to_stderr`). In a container, use an address such as `0.0.0.0:8080`.
    pub fn http(mut self, address: impl Into<String>) -> Self {
        self.listening.listen_address = Some(ListenAddress::Address(address.into()));
        self
    }

    /// Serves on a listener that is already bound, instead of [`http`](Self::http). To use a tokio listener, convert it
    /// to a standard library listener with `.into_std()?`.
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listening.listen_address = Some(ListenAddress::Listener(listener));
        self
    }

    /// Sets a function that receives the listening address once the server accepts connections.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_flows()
    ///     .http("127.0.0.1:0")
    ///     .on_listening(|address| println!("http://{address}"))
    ///     .await
    /// # }
    /// ```
    pub fn on_listening(mut self, told: impl FnOnce(SocketAddr) + Send + 'static) -> Self {
        self.listening.on_listening = Some(Box::new(told));
        self
    }

    /// Sets the path prefix of the flows: with `/api`, the flow `greet` is at `/api/greet`.
    pub fn prefix(mut self, prefix: impl AsRef<str>) -> Self {
        let prefix = prefix.as_ref().trim_matches('/');
        self.settings.prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        self
    }

    /// Limits the served flows to these names; `*` matches any text. If a name matches no flow, the server does not
    /// start.
    pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.only.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds a [`ContextProvider`], which reads each request before its flow runs. Several providers run in order, and
    /// later providers override keys of earlier providers. Default is none: every client can call the flows.
    pub fn context_provider(mut self, provider: impl ContextProvider) -> Self {
        self.settings.providers.push(Arc::new(provider));
        self
    }

    /// Sets whether the server stores streams in memory ([`MemoryStreams`]). A client that lost the connection can then
    /// resume its stream with the id in the response header `x-genkit-stream-id`, and a flow continues to run if its
    /// client disconnects. Default is `false`.
    ///
    /// A stream is available only through the flow that created it, and only to its owner: the whole value of `auth` in
    /// the action context, or the whole action context if there is no `auth`. A provider can define another
    /// [`owner`](ContextProvider::owner). The response to all other callers is 204, as for an expired stream. An `auth`
    /// that contains `iat` and `exp` changes when its token is renewed; define the owner in that case.
    pub fn durable_streams(self, yes: bool) -> Self {
        if yes {
            return self.stream_store(MemoryStreams::new());
        }
        let mut this = self;
        this.settings.store = None;
        this
    }

    /// Sets the store of [durable streams](Self::durable_streams), and enables them.
    pub fn stream_store(mut self, store: impl StreamStore) -> Self {
        self.settings.store = Some(Arc::new(store));
        self
    }

    /// Sets the time limit of a flow. Default is 10 minutes; a flow that takes longer ends with
    /// [`DeadlineExceeded`](genkit_core::ErrorKind::DeadlineExceeded).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Sets the message limit: the maximum size of a request, in bytes. Default is 4 MiB.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.settings.max_message = bytes;
        self
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `max_message`")]
    pub fn max_body(self, bytes: usize) -> Self {
        self.max_message(bytes)
    }

    /// Sets the concurrency limit: the maximum number of flows that run at the same time. Default is 1,024; additional
    /// requests are rejected with 429. A client is identified by its context provider, or else by its address. A client
    /// cannot use more slots than it leaves free for other clients, so a single client gets at most half.
    pub fn max_in_flight(mut self, flows: usize) -> Self {
        self.settings.max_in_flight = flows;
        self
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `max_in_flight`")]
    pub fn max_running(self, flows: usize) -> Self {
        self.max_in_flight(flows)
    }

    /// Sets the origins whose web pages can call the flows (CORS), for example `https://app.example.com`; `*` allows
    /// all. Default is none; requests from other origins are rejected with 403. Pages from the server's own origin are
    /// always allowed. If the server listens on loopback, all pages from loopback are allowed.
    pub fn cors(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Sets the hosts that requests can name in `Host`, with or without a port; `*` allows any. Default is loopback for
    /// a [`router`](Self::router) and for a server that listens on loopback, and any host for a server that listens on
    /// another address. The check rejects web pages that point their own host name at this machine (DNS rebinding).
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether clients receive full errors, including the messages of other libraries and all causes, instead of
    /// masked errors. Default is `false`, or `true` if the environment variable `GENKIT_ENV` is `dev`.
    ///
    /// If errors are masked, a client receives only text that was written for it: the text of a
    /// [`genkit::Error`](genkit_core::Error) or of an error that is a `String` or `&str`, without causes. Errors of
    /// other libraries become `INTERNAL` with a reference to the full error in the log.
    pub fn expose_errors(mut self, expose: bool) -> Self {
        self.settings.expose_errors = Some(expose);
        self
    }

    /// Sets the grace period: the time that running flows have to finish when the server stops. Default is 10 seconds.
    /// Flows that are still running then end with an error, which is sent within one more second.
    pub fn grace(mut self, time: Duration) -> Self {
        self.settings.grace = time;
        self
    }

    /// Shuts down gracefully when this future resolves: new requests are rejected, and running requests have the
    /// [`grace`](Self::grace) period to finish. Ctrl-C and SIGTERM do the same.
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.shutdown = Some(Box::pin(signal));
        self
    }
}

impl std::fmt::Debug for FlowServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Providers can contain keys, so they are not shown.
        let mut shown = f.debug_struct("FlowServer");
        shown.field("prefix", &self.settings.prefix).field("registry", &self.genkit.registry);
        shown.finish_non_exhaustive()
    }
}
