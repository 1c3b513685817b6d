//! Options of a server over streamable HTTP.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use super::McpServer;
use crate::auth::{Authentication, ProtectedResource, TokenVerifier};
use crate::session_store::SessionStore;
use crate::settings::HealthCheck;
use genkit_core::Error;
use genkit_core::internal::error::BoxError;
use genkit_http_server::HttpStream;
use genkit_http_server::internal::ListenPlace;

impl McpServer {
    /// Streamable HTTP: serves it at `http://ADDRESS/mcp` instead of stdio, for example `.http("127.0.0.1:8000")`, or
    /// on a Unix socket: `.http("unix:/run/notes.sock")`. Port 0 takes a free one:
    /// [`on_listening`](Self::on_listening) is told which, and the log has it
    /// (`log_to_stderr`).
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
        self.listening.place = Some(ListenPlace::Address(address.into()));
        self
    }

    /// Listener: serves streamable HTTP at `/mcp` on one that is bound already, instead of
    /// [`http`](Self::http): one of a test, or one that a supervisor handed over. It is the standard
    /// library's; one of tokio becomes it by `.into_std()?`.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// println!("http://{}/mcp", listener.local_addr()?);
    /// genkit::serve_mcp().listener(listener).await
    /// # }
    /// ```
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listening.place = Some(ListenPlace::Listener(listener));
        self
    }

    /// Unix socket: serves streamable HTTP at `/mcp` on one that is bound already: one that systemd handed
    /// over. `.http("unix:/run/notes.sock")` makes one, and takes it away at the end; who may open it is what
    /// the folder and the process's umask say.
    ///
    /// All clients of a Unix socket are one, at 127.0.0.1, unless a proxy says who they are
    /// ([`client_address_from`](Self::client_address_from)).
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
        self.listening.place = Some(ListenPlace::UnixListener(listener));
        self
    }

    /// TLS, and what else each connection goes through before HTTP is spoken, for a server that listens by
    /// itself: by an acceptor of your own. A connection that it refuses is ended; it has 30 seconds.
    ///
    /// With `tokio-rustls` the closure is
    /// `move |stream| { let tls = tls.clone(); async move { tls.accept(stream).await } }`.
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("0.0.0.0:8443")
    ///     .accept_with(|stream| async move { Ok(stream) }) // as it is
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

    /// Listening address: calls `told` with it once the server over HTTP accepts connections: for
    /// port 0, or to open a browser.
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
        self.listening.told = Some(Box::new(told));
        self
    }

    /// Bearer token: requires `Authorization: Bearer TOKEN` of every request over HTTP. Default is
    /// to require nothing.
    ///
    /// It tells nobody apart: for that there is [`authenticate`](Self::authenticate), in whose place it
    /// stands, as that in its.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.settings.http.authentication =
            Authentication::SharedToken(token.into().into_boxed_str().into());
        self
    }

    /// Authentication: requires a bearer token of every request over HTTP that `verifier` takes.
    /// Default is to require nothing.
    ///
    /// The [`Principal`](crate::Principal) that the verifier finds owns the sessions that it
    /// opens, has a share and a rate of its own, stands in the audit events, and is at hand in functions
    /// by `#[arg(extension)] user: &Principal`. The token is not: the header is taken out of the request,
    /// so that no function passes it on.
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

    /// OAuth protected resource: tells clients without a token where they get one, by the metadata of RFC
    /// 9728 and the challenges of MCP's authorization. What checks the tokens is
    /// [`authenticate`](Self::authenticate).
    pub fn protected_resource(mut self, resource: ProtectedResource) -> Self {
        self.settings.http.resource = Some(resource);
        self
    }

    /// Allowed hosts: those that requests may name in `Host`, with or without a port. Behind a
    /// domain or a proxy that is the public name: without it every request is refused with 403, and
    /// the log names the host that came. Default is loopback, so that a web page that points its
    /// own name at this machine (DNS rebinding) is refused. An empty list is nobody.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.http.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Allowed origins (CORS): web pages that may call this server, for example
    /// `https://app.example.com`. The server's own origin and, for a server on loopback, loopback
    /// origins always may. Default is no other, and so is an empty list.
    ///
    /// An origin is compared with its scheme. A page of `http://` is the server's own only where both name
    /// the same port: without one it is a page of port 80, and the server one of 443. Pages that may call
    /// get the answers of CORS, and read `mcp-session-id`.
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.http.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Client address behind a reverse proxy: the header in which it writes that, for example
    /// `x-forwarded-for` or `x-real-ip`. Default is none: all clients of a proxy are one, which has one
    /// share and one rate.
    ///
    /// The last address of the header counts, since that is what the proxy itself wrote. Only for a
    /// server that nobody reaches but through the proxy: anybody else could write what they like.
    pub fn client_address_from(mut self, header: impl Into<String>) -> Self {
        self.settings.http.client_address_from = Some(header.into());
        self
    }

    /// Health routes for orchestrators and load balancers, for example `.health("/health")`: `GET /health` is
    /// 200 while the process answers, and `GET /health/ready` while clients may come. Default is none.
    ///
    /// Not ready (503, with the reason in a word) is a server while those [behind](Self::host) it are being
    /// connected, while none of them is, or while a [`ready_when`](Self::ready_when) fails. Neither route needs
    /// a token, a session or an allowed `Host`: probes have none.
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

    /// Readiness: one more condition of it, for example that a database answers: asked once a second at
    /// most, for 5 seconds at most. Why it fails is in the log. Without a [`health`](Self::health) the
    /// routes are `/health` and `/health/ready`.
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

    /// Session limit: how many sessions may be open. Default is 10,000; for one more the client with
    /// the most loses the one that is idle the longest.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.settings.max_sessions = sessions;
        self
    }

    /// Session timeout: how long a session may be idle before it ends, with what its functions still
    /// ask. Default is 5 minutes.
    ///
    /// A session is idle while no request of it runs and no stream of it is read. A function that waits
    /// for the answer of a client whose connection is gone does not keep it alive: the client may answer
    /// over another connection, but has to be heard of in this time.
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

    /// Session store: where sessions are kept beside this process, so that they go on after a
    /// restart or at another instance: [`MemorySessions`](crate::MemorySessions); with
    /// the feature `durable` `RunSessions`, on any store of durable runs; or a store of your own.
    /// Default is none: the clients of a server that was started again open new sessions.
    ///
    /// What a session takes along, and what cannot move, says
    /// [`SessionStore`](crate::SessionStore#what-does-not-move-to-another-instance).
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        self.settings.http.session_store = Some(Arc::new(store));
        self
    }

    /// Stateless: keeps no sessions for clients of the older protocols: any instance serves any
    /// request, and nothing can be asked of those clients. Default is `false`.
    ///
    /// Nor can anything be told to them later: `listChanged` and subscriptions are not offered to them, and
    /// the level of logs that they set is forgotten. Clients of 2026-07-28 have none of these limits.
    pub fn stateless(mut self, stateless: bool) -> Self {
        self.settings.http.sessions = !stateless;
        self
    }
}
