//! The options of a server over streamable HTTP.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use super::McpServer;
use crate::http::auth::{Authentication, ProtectedResource, TokenVerifier};
use crate::http::session_store::SessionStore;
use crate::http::settings::HealthCheck;
use genkit_core::Error;
use genkit_core::internal::error::BoxError;
use genkit_http_server::HttpStream;
use genkit_http_server::internal::ListenAddress;

impl McpServer {
    /// Serves streamable HTTP at `http://ADDRESS/mcp` instead of stdio, for example `.http("127.0.0.1:8000")`, or on a
    /// Unix socket: `.http("unix:/run/notes.sock")`. Port 0 selects a free port, which is passed to
    /// [`on_listening`](Self::on_listening) and logged.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("0.0.0.0:8000")
    ///     .bearer_token("secret")
    ///     .allowed_hosts(["tools.example.com"])
    ///     .allowed_origins(["https://app.example.com"])
    ///     .stateless(true)
    ///     .await
    /// # }
    /// ```
    pub fn http(mut self, address: impl Into<String>) -> Self {
        self.listening.listen_address = Some(ListenAddress::Address(address.into()));
        self
    }

    /// Serves streamable HTTP at `/mcp` on a listener that is already bound, instead of
    /// [`http`](Self::http): for example in a test, or with a socket passed by a supervisor. Convert a
    /// tokio listener with `.into_std()?`.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// println!("http://{}/mcp", listener.local_addr()?);
    /// genkit::serve_mcp().listener(listener).await
    /// # }
    /// ```
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listening.listen_address = Some(ListenAddress::Listener(listener));
        self
    }

    /// Serves streamable HTTP at `/mcp` on a Unix socket that is already bound, for example by systemd.
    /// `.http("unix:/run/notes.sock")` creates the socket instead, and removes it when the server stops;
    /// the folder's permissions and the process's umask decide who can connect.
    ///
    /// All clients of a Unix socket count as one client at 127.0.0.1, unless a proxy reports their
    /// addresses ([`client_address_from`](Self::client_address_from)).
    ///
    /// ```no_run
    /// # #[cfg(unix)]
    /// # async fn run() -> genkit::Result<()> {
    /// let socket = std::os::unix::net::UnixListener::bind("/run/notes.sock")?;
    /// genkit::serve_mcp().unix_listener(socket).await
    /// # }
    /// ```
    #[cfg(unix)]
    pub fn unix_listener(mut self, listener: std::os::unix::net::UnixListener) -> Self {
        self.listening.listen_address = Some(ListenAddress::UnixListener(listener));
        self
    }

    /// Sets a custom acceptor, for example for TLS, which processes each connection before HTTP. It has no effect on a
    /// `router()`. A connection is closed if the acceptor returns an error or does not finish within 30 seconds.
    ///
    /// With `tokio-rustls` the closure is
    /// `move |stream| { let tls = tls.clone(); async move { tls.accept(stream).await } }`.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("0.0.0.0:8443")
    ///     .accept_with(|stream| async move { Ok(stream) }) // unchanged
    ///     .await
    /// # }
    /// ```
    pub fn accept_with<F, Fut, S>(mut self, accept: F) -> Self
    where
        F: Fn(HttpStream) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::io::Result<S>> + Send + 'static,
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        self.listening.acceptor = Some(Arc::new(move |stream| {
            let accepting = accept(stream);
            Box::pin(async move { accepting.await.map(HttpStream::other) })
        }));
        self
    }

    /// Sets a function that is called with the listening address once the server accepts connections over HTTP. Use it
    /// to find out the port that replaces port 0, or to open a browser.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("127.0.0.1:0")
    ///     .on_listening(|address| println!("http://{address}/mcp"))
    ///     .await
    /// # }
    /// ```
    pub fn on_listening(mut self, told: impl FnOnce(SocketAddr) + Send + 'static) -> Self {
        self.listening.on_listening = Some(Box::new(told));
        self
    }

    /// Requires this bearer token (`Authorization: Bearer TOKEN`) in every request over HTTP. Default is no
    /// authentication.
    ///
    /// All clients share the token, so the server cannot distinguish them; use
    /// [`authenticate`](Self::authenticate) for that. If you call both methods, the last call applies.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.settings.http.authentication =
            Authentication::SharedToken(token.into().into_boxed_str().into());
        self
    }

    /// Requires authentication: every request over HTTP needs a bearer token that `verifier` accepts. Default is no
    /// authentication.
    ///
    /// The [`Principal`](crate::Principal) that the verifier returns owns the sessions that it opens, has its own quota
    /// and rate limit, appears in the audit events, and is available to functions as `#[arg(extension)] user:
    /// &Principal`. The token itself is not available: the header is removed from the request, so that no function can
    /// forward it.
    ///
    /// ```no_run
    /// use genkit::mcp::server::{Principal, TokenError};
    ///
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("127.0.0.1:8000")
    ///     .authenticate(|token: String| async move {
    ///         match token.as_str() {
    ///             "k-7f3a" => Ok(Principal::new("ada").with_scopes(["notes:write"])),
    ///             _ => Err(TokenError::invalid("the key is unknown")),
    ///         }
    ///     })
    ///     .await
    /// # }
    /// ```
    pub fn authenticate(mut self, verifier: impl TokenVerifier) -> Self {
        self.settings.http.authentication = Authentication::Verifier(Arc::new(verifier));
        self
    }

    /// Sets the OAuth protected resource metadata (RFC 9728). The server publishes it and refers to it in its
    /// challenges, so that clients without a token can find the authorization server.
    /// [`authenticate`](Self::authenticate) is also required, and sets the verifier of the tokens.
    pub fn protected_resource(mut self, resource: ProtectedResource) -> Self {
        self.settings.http.resource = Some(resource);
        self
    }

    /// Sets the allowed hosts: the names that requests can use in `Host`, with or without a port. Default is loopback.
    /// The check rejects web pages that point their own domain at this machine (DNS rebinding). An empty list rejects
    /// every request.
    ///
    /// Behind a domain or a proxy, set this to the public name. Otherwise every request is rejected with
    /// 403, and the log contains the host of the request.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.http.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Adds allowed origins (CORS): web pages that can call this server, for example `https://app.example.com`. Default
    /// is none. The server's own origin is always allowed. For a server on loopback, all loopback origins are allowed.
    ///
    /// Origins are compared including the scheme. An `http://` origin counts as the server's own
    /// only if `Origin` and `Host` both specify the same port: without a port, the origin is port 80, but the server is
    /// probably on port 443. Allowed pages receive the CORS headers and can read
    /// `mcp-session-id`.
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.http.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Sets the header in which a reverse proxy reports the client address, for example `x-forwarded-for` or
    /// `x-real-ip`. Default is none: all clients behind a proxy count as one client, with one quota and one rate limit.
    ///
    /// The last address in the header is used, since the proxy wrote it. Set this only if all requests come through the
    /// proxy; any other client could forge the header.
    pub fn client_address_from(mut self, header: impl Into<String>) -> Self {
        self.settings.http.client_address_from = Some(header.into());
        self
    }

    /// Adds health routes for orchestrators and load balancers, for example `.health("/health")`. Default
    /// is none. `GET /health` returns 200 while the process responds, and `GET /health/ready` while the
    /// server is ready for clients.
    ///
    /// The server is not ready (503, with a short reason) while it connects to the servers [behind](Self::host) it,
    /// while none of them is connected, or while a [`ready_when`](Self::ready_when) check fails. Neither route requires
    /// a token, a session or an allowed `Host`, because probes do not send them.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp().http("0.0.0.0:8000").health("/health").await
    /// # }
    /// ```
    pub fn health(mut self, path: impl Into<String>) -> Self {
        self.settings.http.health.get_or_insert_default().path = path.into();
        self
    }

    /// Adds a readiness check, for example that a database responds. The check runs at most once a second
    /// and fails after 5 seconds. The log contains the error. Without [`health`](Self::health), the routes
    /// are `/health` and `/health/ready`.
    ///
    /// ```
    /// # #[derive(Clone)] struct Db;
    /// # impl Db { async fn ping(&self) -> std::io::Result<()> { Ok(()) } }
    /// # let db = Db;
    /// let server = genkit::serve_mcp().health("/health").ready_when(move || {
    ///     let db = db.clone();
    ///     async move { db.ping().await }
    /// });
    /// ```
    pub fn ready_when<F, Fut, E>(mut self, check: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let check: HealthCheck = Arc::new(move || {
            let checking = check();
            Box::pin(async move { checking.await.map_err(Error::from_failure) })
        });
        let health = self.settings.http.health.get_or_insert_default();
        health.checks = health.checks.iter().cloned().chain([check]).collect();
        self
    }

    /// Sets the session limit: the maximum number of open sessions. Default is 10,000. When the limit is reached, a new
    /// session ends the longest idle session of the client with the most sessions.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.settings.max_sessions = sessions;
        self
    }

    /// Sets the session timeout: the time that a session can be idle before it ends. Default is 5 minutes. When the
    /// session ends, the pending questions of its functions fail.
    ///
    /// A session is idle while it has no running requests and the client reads none of its streams. A function that
    /// waits for an answer from a disconnected client does not keep the session alive: the client can answer over
    /// another connection, but must reconnect within this time.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp().http("127.0.0.1:8000").session_timeout(Duration::from_secs(3600)).await
    /// # }
    /// ```
    pub fn session_timeout(mut self, idle: Duration) -> Self {
        self.settings.http.session_timeout = Some(idle);
        self
    }

    /// Sets the session store, which lets sessions survive a restart and move to another instance. Use
    /// [`MemorySessions`](crate::MemorySessions), `RunSessions` (feature `durable`) with any store of durable runs, or
    /// a custom store. Default is none: after a restart, clients open new sessions.
    ///
    /// See [`SessionStore`](crate::SessionStore#what-does-not-move-to-another-instance) for
    /// the contents of a session, and the state that cannot move.
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        self.settings.http.session_store = Some(Arc::new(store));
        self
    }

    /// Makes the server stateless: it keeps no sessions for clients of older protocols, so any instance can
    /// serve any request, but functions cannot ask these clients questions. Default is `false`.
    ///
    /// These clients also receive no notifications outside a request: the server does not offer them `listChanged` and
    /// subscriptions, and does not store the log level that they set. Clients of the 2026-07-28 protocol have none of
    /// these limits.
    pub fn stateless(mut self, stateless: bool) -> Self {
        self.settings.http.sessions = !stateless;
        self
    }
}
