//! Streamable HTTP: the same server for many clients, mounted at `/mcp`.

mod drain;
mod endpoint;
mod origin;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::serve::ListenerExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::error::{Error, ErrorKind, Result};
use crate::mcp::server::builder::McpServer;
use crate::mcp::server::handler::McpHandler;
use crate::mcp::server::settings::DEFAULT_MAX_BODY;
use drain::Busy;
use endpoint::Endpoint;
use origin::Guard;

/// Where the endpoint is mounted.
const PATH: &str = "/mcp";

/// How long running requests may take to finish when the server stops. Default is 10 seconds.
const GRACE: Duration = Duration::from_secs(10);

/// Hosts that a server on loopback answers for.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// What can be set on a server over HTTP.
pub(crate) struct HttpSettings {
    pub(crate) address: Option<String>,
    pub(crate) max_body: usize,
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
    bearer: Option<String>,
    sessions: bool,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            address: None,
            max_body: DEFAULT_MAX_BODY,
            hosts: None,
            origins: Vec::new(),
            bearer: None,
            sessions: true,
        }
    }
}

impl McpServer {
    /// Serves streamable HTTP at `http://ADDRESS/mcp` instead of stdio, for example
    /// `.http("127.0.0.1:8000")`. Port 0 takes a free one; the log says which.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("0.0.0.0:8000")
    ///     .bearer_token("secret")
    ///     .allowed_hosts(["tools.example.com"])
    ///     .allowed_origins(["https://app.example.com"])
    ///     .stateless()
    ///     .await
    /// # }
    /// ```
    pub fn http(mut self, address: impl Into<String>) -> Self {
        self.http.address = Some(address.into());
        self
    }

    /// Requires `Authorization: Bearer TOKEN` of every request. Default is to require nothing.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.http.bearer = Some(token.into());
        self
    }

    /// The hosts that requests may name, with or without a port; behind a proxy that is its
    /// public name. Default is loopback: a web page that points its own name at this machine is
    /// refused.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.http.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Web pages that may call this server, for example `https://app.example.com`. The server's
    /// own origin and, for a server on loopback, loopback origins always may. Default is no other.
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.http.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Keeps no sessions for clients of the older protocols: any instance serves any request,
    /// and nothing can be asked of those clients. Default is sessions.
    pub fn stateless(mut self) -> Self {
        self.http.sessions = false;
        self
    }

    /// The endpoint as a router, to mount it in an existing `axum` app:
    ///
    /// ```
    /// # use genkit::{Genkit, Registry, tool, tools};
    /// # /// Adds.
    /// # #[tool] async fn add(a: i64, b: i64) -> i64 { a + b }
    /// # fn main() -> genkit::Result<()> {
    /// # let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    /// let app = axum::Router::<()>::new().nest("/ai", genkit.serve_mcp().router()?);
    /// // `POST /ai/mcp`
    /// # let _ = app;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What your layers put into a request's extensions is at hand in `ctx.get::<T>()`. Set
    /// `TCP_NODELAY` on your listener (`listener.tap_io(..)`): without it each answer of a session
    /// takes some 40 ms.
    ///
    /// # Errors
    /// As serving: the registry is checked first.
    pub fn router(self) -> Result<Router> {
        #[cfg(feature = "mcp-host")]
        self.register_hosts();
        let (handler, rest) = self.check()?;
        Ok(router(handler, rest.http, Busy::default(), CancellationToken::new()))
    }
}

/// Serves until `stop`, then lets what runs finish.
pub(crate) async fn serve(
    handler: McpHandler,
    settings: HttpSettings,
    address: &str,
    stop: CancellationToken,
) -> Result<()> {
    let bind = |e: std::io::Error| {
        Error::new(ErrorKind::Unavailable, format!("cannot listen on {address}")).with_source(e)
    };
    let listener = tokio::net::TcpListener::bind(address).await.map_err(bind)?;
    let local = listener.local_addr().map_err(bind)?;
    let (busy, streams) = (Busy::default(), CancellationToken::new());
    let app = router(handler, settings, busy.clone(), streams.clone());
    // Without it every answer of a session waits some 40 ms for the acknowledgement of its
    // first half (Nagle's algorithm).
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    tracing::info!("listening on http://{local}{PATH}");
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, app).with_graceful_shutdown({
        let stop = stop.clone();
        async move { stop.cancelled().await }
    });
    let overdue = async {
        stop.cancelled().await;
        let deadline = tokio::time::Instant::now() + GRACE;
        let _ = tokio::time::timeout_at(deadline, busy.over()).await;
        // Streams that wait for changes never end by themselves. Not earlier: this also ends
        // what still runs.
        streams.cancel();
        tokio::time::sleep_until(deadline).await;
    };
    tokio::select! {
        served = async { serving.await } => served.map_err(|e| {
            Error::new(ErrorKind::Unavailable, "the server's listener failed").with_source(e)
        }),
        () = overdue => Ok(()),
    }
}

fn router(
    handler: McpHandler,
    settings: HttpSettings,
    busy: Busy,
    streams: CancellationToken,
) -> Router {
    let sessions = Arc::new(LocalSessionManager::default());
    let hosts = settings.hosts.unwrap_or_else(|| LOOPBACK.map(str::to_owned).to_vec());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_legacy_session_mode(settings.sessions)
        .with_json_response(true)
        .with_max_request_body_bytes(settings.max_body)
        .with_cancellation_token(streams);
    let shared = Arc::clone(&handler.shared);
    let service = StreamableHttpService::new(
        move || Ok(McpHandler::new(Arc::clone(&shared))),
        Arc::clone(&sessions),
        config,
    );
    let guard = Guard { origins: settings.origins, bearer: settings.bearer };
    let max_body = settings.max_body;
    let endpoint = Arc::new(Endpoint { guard, max_body, sessions, busy, service });
    let answer = move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.answer(request).await }
    };
    Router::new().route(PATH, axum::routing::any(answer))
}
