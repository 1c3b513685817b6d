//! The builder that `serve_flows()` returns: its options.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use crate::provider::ContextProvider;
use crate::store::{MemoryStreams, StreamStore};
use genkit_core::BoxFuture;
use genkit_core::internal::BoundRegistry;
use genkit_http_server::internal::{GRACE, ListenPlace, Listening};

/// How long a flow may run. Default is 10 minutes.
const FLOW_TIMEOUT: Duration = Duration::from_secs(600);

/// How large the body of a request may be, in bytes. Default is 4 MiB.
const MAX_FLOW_BODY: usize = 4 * 1024 * 1024;

/// How many flows may run at once. Default is 1,024; one more is refused.
const MAX_RUNNING: usize = 1_024;

/// Runs when serving begins, with the registry that is served.
pub type OnStart = std::sync::Arc<dyn Fn(&BoundRegistry) + Send + Sync>;

/// A flow server over a registry, about to be started: await it.
///
/// ```no_run
/// use genkit::flow;
///
/// /// Greets somebody.
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
/// Every option, with a value other than its default:
///
/// ```
/// use genkit::flows::MemoryStreams;
/// use genkit::{Genkit, Registry, flow, flows};
/// use std::time::Duration;
///
/// /// Greets somebody.
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
///     .max_body(64 * 1024)
///     .max_running(100)
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
/// Awaiting it fails with [`FailedPrecondition`] where the registry is unsound, state is missing or there
/// is no flow, with [`InvalidArgument`] where [`only`](Self::only) names none, `$PORT` is no port or
/// an address is none, and with [`Unavailable`] where it cannot listen.
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
    /// Ends the server when it resolves.
    pub(super) shutdown: Option<BoxFuture<'static, ()>>,
}

/// Everything that can be set on a flow server.
pub(super) struct FlowSettings {
    /// Empty, or with a `/` in front and none at its end.
    pub(super) prefix: String,
    pub(super) only: Vec<String>,
    pub(super) providers: Vec<Arc<dyn ContextProvider>>,
    pub(super) store: Option<Arc<dyn StreamStore>>,
    pub(super) timeout: Duration,
    pub(super) grace: Duration,
    pub(super) max_body: usize,
    pub(super) max_running: usize,
    pub(super) origins: Vec<String>,
    pub(super) hosts: Option<Vec<String>>,
    /// `None` is: where `GENKIT_ENV` is `dev`.
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
            max_body: MAX_FLOW_BODY,
            max_running: MAX_RUNNING,
            origins: Vec::new(),
            hosts: None,
            expose_errors: None,
        };
        Self { genkit, on_start, settings, listening: Listening::default(), shutdown: None }
    }

    /// Address: where it listens. Default is `127.0.0.1` at the port of the environment variable `PORT`,
    /// or 3400. Port 0 takes a free one: [`on_listening`](Self::on_listening) is told which, and the log
    /// has it (`log_to_stderr`). In a container that is `0.0.0.0:8080`, say.
    pub fn http(mut self, address: impl Into<String>) -> Self {
        self.listening.place = Some(ListenPlace::Address(address.into()));
        self
    }

    /// Listener: serves on one that is bound already, instead of [`http`](Self::http). It is the
    /// standard library's; one of tokio becomes it by `.into_std()?`.
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listening.place = Some(ListenPlace::Listener(listener));
        self
    }

    /// Listening address: calls `told` with it once the server accepts connections.
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
        self.listening.told = Some(Box::new(told));
        self
    }

    /// Path prefix: one in front of the flows' names: with `/api` the flow `greet` is at
    /// `/api/greet`.
    pub fn prefix(mut self, prefix: impl AsRef<str>) -> Self {
        let prefix = prefix.as_ref().trim_matches('/');
        self.settings.prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        self
    }

    /// Filter: serves only flows of these names; `*` stands for any text. A name that fits no flow is
    /// an error when the server starts.
    pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.only.extend(names.into_iter().map(Into::into));
        self
    }

    /// Context provider: adds a [`ContextProvider`], which reads each request before its flow runs. Of
    /// several all are asked, in their order, and what a later one says of a key wins. Default is none:
    /// everybody may call.
    pub fn context_provider(mut self, provider: impl ContextProvider) -> Self {
        self.settings.providers.push(Arc::new(provider));
        self
    }

    /// Durable streams: whether streams are kept in memory ([`MemoryStreams`]), so that a client that lost
    /// one goes on, with the id that the answer has in `x-genkit-stream-id`. A flow then runs on where its
    /// client leaves. Default is `false`.
    ///
    /// A stream is given only to whom it was opened for: the same flow, and the same `auth` in the action
    /// context, compared as a whole, or the same whole context where there is no `auth`, unless a provider
    /// says its [`owner`](ContextProvider::owner). To anyone else it is not there (204), like one that
    /// expired. An `auth` with `iat` and `exp` is another once its token is renewed: say the owner then.
    pub fn durable_streams(self, yes: bool) -> Self {
        if yes {
            return self.stream_store(MemoryStreams::new());
        }
        let mut this = self;
        this.settings.store = None;
        this
    }

    /// Stream store: [durable streams](Self::durable_streams) in this store.
    pub fn stream_store(mut self, store: impl StreamStore) -> Self {
        self.settings.store = Some(Arc::new(store));
        self
    }

    /// Timeout: how long a flow may run. Default is 10 minutes; one that takes longer ends with
    /// [`DeadlineExceeded`](genkit_core::ErrorKind::DeadlineExceeded).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Body limit: how large the body of a request may be, in bytes. Default is 4 MiB.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.max_body = bytes;
        self
    }

    /// Concurrency limit: how many flows may run at once. Default is 1,024; one more is refused
    /// with 429.
    pub fn max_running(mut self, flows: usize) -> Self {
        self.settings.max_running = flows;
        self
    }

    /// CORS: web pages of these origins may call, for example `https://app.example.com`; `*` is every web
    /// page. Pages of the server's own origin and, for a server on loopback, of loopback always may.
    /// Default is no other: they are refused with 403.
    pub fn cors(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Allowed hosts: those that requests may name in `Host`, with or without a port; `*` is any. Default
    /// is loopback for a [`router`](Self::router) and for a server that listens there, so that a web page
    /// that points its own name at this machine (DNS rebinding) is refused, and any for a server that
    /// listens on an address that others reach.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Error masking: whether clients read errors whole, with the texts of other libraries and all causes.
    /// Default is `false`, and `true` where the environment variable `GENKIT_ENV` is `dev`.
    ///
    /// Masked, a client reads what was written for it: the text of a [`genkit::Error`](genkit_core::Error) and of
    /// an error that is a `String` or `&str`, without causes. Errors of other libraries become `INTERNAL`
    /// with a reference, under which the log has them whole.
    pub fn expose_errors(mut self, expose: bool) -> Self {
        self.settings.expose_errors = Some(expose);
        self
    }

    /// Grace period: how long running flows may take to finish when the server stops. Default is 10
    /// seconds; what is left then ends with an error, and has one more second to say so.
    pub fn grace(mut self, time: Duration) -> Self {
        self.settings.grace = time;
        self
    }

    /// Graceful shutdown: ends the server when this future resolves: no new requests, and the running
    /// ones may finish within [`grace`](Self::grace). Ctrl-C and SIGTERM do the same.
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.shutdown = Some(Box::pin(signal));
        self
    }
}

impl std::fmt::Debug for FlowServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Providers may hold keys: they are not shown.
        let mut shown = f.debug_struct("FlowServer");
        shown.field("prefix", &self.settings.prefix).field("registry", &self.genkit.registry);
        shown.finish_non_exhaustive()
    }
}
