//! Starts a server: checks the configuration, then serves over stdio, HTTP or a pair of byte streams
//! until it is stopped.

use std::future::IntoFuture;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::builder::McpServer;
use super::error::Error as E;
#[cfg(feature = "http")]
use super::http;
use super::principal::Principal;
use super::state::SharedState;
use super::stdio::{self, StdioConnection, StdioLimits, StoppableReader};
use genkit_core::BoxFuture;
use genkit_core::Result;
#[cfg(not(feature = "durable"))]
use genkit_core::internal::BoundRegistry;
use genkit_core::internal::shutdown::{cancel_at_shutdown, wait_for_signal};

impl McpServer {
    /// Serves until the client disconnects or the server is stopped. Awaiting the [`McpServer`] does the
    /// same; this method returns a future for `tokio::spawn`, `block_on` and `select!`.
    ///
    /// ```no_run
    /// fn main() -> genkit::Result<()> {
    ///     let runtime = tokio::runtime::Runtime::new()?;
    ///     runtime.block_on(genkit::serve_mcp().run())
    /// }
    /// ```
    ///
    /// # Errors
    /// Fails like awaiting the [`McpServer`].
    pub async fn run(mut self) -> Result<()> {
        let shutdown = self.shutdown.take();
        // Many clients list items only once, at the start.
        self.hosts.registered_in(&self.genkit.registry).await;
        #[cfg(feature = "http")]
        let listening = std::mem::take(&mut self.listening);
        #[cfg(feature = "http")]
        let is_local = listening.place.is_none();
        #[cfg(not(feature = "http"))]
        let is_local = true;
        let served = self.genkit.clone();
        let shared = self.check(is_local)?;
        if let Some(on_start) = &served.on_start {
            on_start(&served);
        }
        let stop = CancellationToken::new();
        let _signals = stop_on(shutdown, wait_for_signal(), &stop);
        #[cfg(feature = "http")]
        if let Some(place) = listening.place {
            warn_unknown_callers(&shared);
            #[cfg(feature = "durable")]
            let tasks = begin_tasks(&shared);
            let served = http::serve(shared, place, listening.told, listening.acceptor, stop).await;
            #[cfg(feature = "durable")]
            tasks.stop().await;
            return served;
        }
        #[cfg(feature = "http")]
        warn_unused(&listening);
        if shared.settings.is_authenticated() {
            tracing::info!(
                "stdio does not require a token, because its client is the user who started this program"
            );
        }
        // Stopping the server ends the input; requests that are already running are still answered.
        let (reader, writer) = stdio::process_streams(stop);
        serve_streams(shared, reader, writer, None).await
    }

    /// Serves one client over a pair of byte streams, such as a TLS connection, a Unix socket or an SSH channel, with
    /// one JSON message per line. Returns when the client disconnects, or when [`shutdown`](Self::shutdown) stops the
    /// server and the running calls have finished.
    ///
    /// Create one server per client: its limits apply to this connection. If you know the user of the client, pass
    /// it as `.extension(Principal::new(..))`. Audit events then contain the [`Principal`](crate::Principal), its
    /// scopes grant access, and its questions and tasks belong to it. Errors are masked unless you set
    /// [`expose_errors`](Self::expose_errors). Ctrl-C and SIGTERM keep their usual effect on your program.
    ///
    /// ```
    /// use genkit::mcp::server::Principal;
    /// use genkit::{Genkit, Registry, tool, tools};
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    /// let (ours, mut client) = tokio::io::duplex(64 * 1024); // in a program: a stream that it accepted
    /// let (read, write) = tokio::io::split(ours);
    /// let server = genkit.serve_mcp().extension(Principal::new("ada"));
    /// let serving = tokio::spawn(server.serve(read, write));
    ///
    /// client.write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n").await?;
    /// client.shutdown().await?;
    /// let mut answer = String::new();
    /// client.read_to_string(&mut answer).await?;
    /// assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /// serving.await.unwrap()
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails like awaiting the [`McpServer`], because the registry is checked first. Also fails if the server has
    /// [`authenticate`](Self::authenticate) but no principal, because a byte stream carries no access tokens.
    pub async fn serve<R, W>(mut self, read: R, write: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let shutdown = self.shutdown.take();
        let principal = self.settings.values.get::<Principal>().cloned();
        #[cfg(feature = "http")]
        {
            warn_unused(&self.listening);
            if self.settings.is_authenticated() && principal.is_none() {
                return Err(E::StreamWithoutToken.into());
            }
        }
        let shared = self.start_for_stream(false)?;
        #[cfg(feature = "http")]
        warn_unknown_callers(&shared);
        let stop = CancellationToken::new();
        let _signals = stop_on(shutdown, std::future::pending(), &stop);
        serve_streams(shared, StoppableReader::new(read, stop), write, principal).await
    }

    /// Serves one local client over an in-memory pipe, in the background, until the client disconnects.
    #[cfg(any(feature = "testing", feature = "host", feature = "cli"))]
    pub(crate) fn serve_pipe(self, pipe: tokio::io::DuplexStream) -> Result<()> {
        let shared = self.start_for_stream(true)?;
        let (reader, writer) = tokio::io::split(pipe);
        tokio::spawn(serve_streams(shared, reader, writer, None));
        Ok(())
    }

    /// Checks the server and starts to register the items of its hosts.
    fn start_for_stream(self, is_local: bool) -> Result<Arc<SharedState>> {
        self.hosts.register_soon(&self.genkit.registry);
        self.check(is_local)
    }

    /// Converts the server into a router, to mount the endpoint in an existing `axum` app.
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
    /// Functions read values that your layers insert into the extensions of a request with
    /// `ctx.extension::<T>()`. A [`Principal`](crate::Principal) owns the sessions that it
    /// opens, and has its own quota and rate limit. Without one, clients are identified by address if you
    /// serve with `into_make_service_with_connect_info::<SocketAddr>()`; otherwise all clients count as
    /// one.
    ///
    /// A router does not manage connections, so you need to limit them yourself. `axum::serve` has no
    /// timeouts for silent and slow clients: use a proxy in front of it, or serve with `hyper-util` and a
    /// timer. Set `TCP_NODELAY` on your listener (`listener.tap_io(..)`), since a response in several
    /// pieces otherwise takes about 40 ms longer.
    ///
    /// # Errors
    /// Fails like serving, because the registry is checked first.
    #[cfg(feature = "http")]
    pub fn router(self) -> Result<axum::Router> {
        self.hosts.register_soon(&self.genkit.registry);
        warn_unused(&self.listening);
        Ok(http::router(self.check(false)?))
    }

    /// Checks everything that can be checked before the first client connects. `is_local` means that the
    /// client belongs to the user who runs the server.
    pub(super) fn check(self, is_local: bool) -> Result<Arc<SharedState>> {
        #[cfg(feature = "skills")]
        for path in &self.settings.skill_dirs {
            for skill in genkit_core::Skill::read_dir(path)? {
                self.genkit.registry.put_skill(skill)?;
            }
        }
        self.genkit.registry.check_with(&self.genkit.states)?;
        #[cfg(feature = "http")]
        if let Some(resource) = &self.settings.http.resource {
            resource.check()?;
            if !self.settings.http.authentication.is_required() {
                return Err(E::NothingVerifies.into());
            }
        }
        #[cfg(not(feature = "durable"))]
        check_tasks(&self.genkit)?;
        let fronts = !self.hosts.is_empty();
        let shared = SharedState::new(self.genkit, self.settings, self.hosts, is_local)?;
        let lists = shared.lists();
        let (tools, prompts) = (lists.tool_count(), lists.prompts.len());
        let resources = lists.resources.len() + lists.templates.len();
        let skills = lists.skills.len();
        if tools + prompts + resources == 0 && !fronts {
            let empty = shared.genkit.registry.is_empty();
            return Err(if empty { E::NothingLinked } else { E::AllFiltered }.into());
        }
        let server = &shared.settings.name;
        tracing::info!(%server, tools, prompts, resources, skills, "serving MCP");
        Ok(Arc::new(shared))
    }
}

impl IntoFuture for McpServer {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

genkit_core::becomes_a_future!(McpServer, Result<()>);

/// Cancels `stop` at the shutdown signal of the program or when `interrupted` resolves, until it is dropped.
fn stop_on(
    shutdown: Option<BoxFuture<'static, ()>>,
    interrupted: impl Future<Output = ()> + Send + 'static,
    stop: &CancellationToken,
) -> JoinSet<()> {
    let mut signals = JoinSet::new();
    signals.spawn(cancel_at_shutdown(shutdown, interrupted, stop.clone()));
    signals
}

/// Serves one client over byte streams, until it disconnects or the input ends.
async fn serve_streams<R, W>(
    shared: Arc<SharedState>,
    reader: R,
    writer: W,
    principal: Option<Principal>,
) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limits = StdioLimits { line_bytes: shared.settings.max_line, ..StdioLimits::default() };
    #[cfg(feature = "durable")]
    let tasks = begin_tasks(&shared);
    let connection = StdioConnection::new(reader, writer, &shared, limits, principal);
    drop(shared);
    // In a task, so that input is processed on the thread that waits for it. The task is aborted
    // when this future is dropped.
    let mut serving = JoinSet::new();
    serving.spawn(connection.run());
    let served = match serving.join_next().await {
        Some(Err(source)) => Err(E::LoopEnded { source }.into()),
        // It is not an error if the client disconnects.
        _ => Ok(()),
    };
    #[cfg(feature = "durable")]
    tasks.stop().await;
    served
}

/// Resumes the tasks in the store, if the server has tools that run as tasks.
#[cfg(feature = "durable")]
fn begin_tasks(shared: &Arc<SharedState>) -> Arc<super::task_table::Tasks> {
    if shared.makes_tasks() {
        super::tasks::sweep_later(shared);
    }
    Arc::clone(&shared.tasks)
}

/// Warns about tools whose calls cannot become tasks, and fails if a tool requires it.
#[cfg(not(feature = "durable"))]
fn check_tasks(genkit: &BoundRegistry) -> Result<(), E> {
    for tool in genkit.registry.tools() {
        let Some(task) = tool.task() else { continue };
        let place = tool.location().map(|place| place.to_string()).unwrap_or_default();
        let tool = tool.name().to_owned();
        if task.is_required() {
            return Err(E::TasksNeedDurable { tool, place });
        }
        tracing::warn!(%tool, %place, "calls to this tool cannot become tasks; enable genkit's feature `durable`");
    }
    Ok(())
}

/// Warns if no caller can have the scopes that functions require.
#[cfg(feature = "http")]
fn warn_unknown_callers(shared: &SharedState) {
    let is_known =
        shared.settings.is_authenticated() || shared.settings.values.get::<Principal>().is_some();
    if !is_known && shared.lists().has_permits() {
        tracing::warn!(
            "`permit = \"..\"` requires scopes, but callers are not authenticated and have none; add \
             `.authenticate(..)`"
        );
    }
}

/// Warns about settings that have no effect because the server does not listen.
#[cfg(feature = "http")]
fn warn_unused(listening: &genkit_http_server::internal::Listening) {
    if listening.is_set() {
        tracing::warn!(
            "`.http(..)`, `.listener(..)`, `.unix_listener(..)`, `.accept_with(..)` and `.on_listening(..)` \
             have no effect here, because a router or a byte stream does not listen, and a server without an \
             address uses stdio; use them with a server over HTTP that is awaited"
        );
    }
}
