//! Starts a server: checks the configuration, then serves over stdio, HTTP or a pair of byte streams
//! until it is stopped.

use std::future::IntoFuture;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::builder::McpServer;
use super::error::Error as E;
use super::package::check_variables;
use super::principal::Principal;
use super::state::SharedState;
use super::stdio::{self, StdioConnection, StdioLimits, StoppableReader};
use super::tasks;
use genkit_core::internal::shutdown::{cancel_at_shutdown, wait_for_signal};
use genkit_core::{BoxFuture, Result};

impl McpServer {
    /// Serves until the client disconnects or the server is stopped. Awaiting the [`McpServer`] does the same; this
    /// `async fn` is for `tokio::spawn`, `block_on` and `select!`.
    ///
    /// ```no_run
    /// fn main() -> genkit::Result<()> {
    ///     let runtime = tokio::runtime::Runtime::new()?;
    ///     runtime.block_on(genkit::serve_mcp().run())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`McpServer`].
    pub async fn run(mut self) -> Result<()> {
        let shutdown = self.shutdown.take();
        // Register the items of the hosts first, because many clients list items only once, at the start.
        self.hosts.registered_in(&self.genkit.registry).await;
        if self.listening.listen_address.is_some() {
            return self.run_http(shutdown).await;
        }
        super::http::warn_unused(&self.listening);
        let (shared, stop, _signals) = self.start(shutdown, true)?;
        if shared.settings.is_authenticated() {
            tracing::info!(
                "stdio does not require a token, because its client is the user who started this program"
            );
        }
        // Stopping the server ends the input; requests that are already running are still answered.
        let (reader, writer) = stdio::process_streams(stop);
        serve_streams(shared, reader, writer, None).await
    }

    /// Checks the server and notifies the program that serving starts. The returned token is cancelled when the server
    /// must stop, as long as the returned signal task is not dropped.
    pub(super) fn start(
        self,
        shutdown: Option<BoxFuture<'static, ()>>,
        is_local: bool,
    ) -> Result<(Arc<SharedState>, CancellationToken, JoinSet<()>)> {
        let served = self.genkit.clone();
        let shared = self.check(is_local)?;
        if let Some(on_start) = &served.on_start {
            on_start(&served);
        }
        let stop = CancellationToken::new();
        let signals = stop_on(shutdown, wait_for_signal(), &stop);
        Ok((shared, stop, signals))
    }

    /// Serves one client over a pair of byte streams, such as a TLS connection, a Unix socket or an SSH channel, with
    /// one JSON message per line. Returns when the client disconnects, or when [`shutdown`](Self::shutdown) stops the
    /// server and the running calls have finished.
    ///
    /// Create one server per client, because the limits of the server apply to this connection. If you know the user of
    /// the client, pass `.extension(Principal::new(..))`. Audit events then contain the
    /// [`Principal`](crate::Principal), its scopes grant access, and it owns the questions and tasks of the client.
    /// Errors are masked unless you set [`expose_errors`](Self::expose_errors). Ctrl-C and SIGTERM have their usual
    /// effect on your program.
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
    /// Returns the same errors as awaiting the [`McpServer`]. Also returns an error if
    /// [`authenticate`](Self::authenticate) is set without a principal, because a byte stream has no access tokens.
    pub async fn serve<R, W>(mut self, read: R, write: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let shutdown = self.shutdown.take();
        let principal = self.settings.values.get::<Principal>().cloned();
        self.check_stream(principal.as_ref())?;
        let shared = self.start_for_stream(false)?;
        super::http::warn_unknown_callers(&shared);
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

    /// Performs all checks that are possible before the first client connects. `is_local` specifies whether the
    /// client belongs to the user who runs the server.
    pub(super) fn check(self, is_local: bool) -> Result<Arc<SharedState>> {
        for path in &self.settings.skill_dirs {
            for skill in genkit_core::Skill::read_dir(path)? {
                self.genkit.registry.put_skill(skill)?;
            }
        }
        check_variables(&self.settings.variables, |name| std::env::var_os(name))?;
        self.genkit.registry.check_with(&self.genkit.states)?;
        self.settings.http.check()?;
        tasks::check_tools(&self.genkit)?;
        let fronts = !self.hosts.is_empty();
        let shared = SharedState::new(self.genkit, self.settings, self.hosts, is_local)?;
        shared.check_tool_search()?;
        let lists = shared.all_lists();
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

/// Spawns a task that cancels `stop` at the shutdown signal of the program or when `interrupted` resolves.
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
    let tasks = tasks::resume_stored(&shared);
    let connection = StdioConnection::new(reader, writer, &shared, limits, principal);
    drop(shared);
    // Serve in a task, so that input is processed on the thread that waits for it. The task is aborted when this
    // future is dropped.
    let mut serving = JoinSet::new();
    serving.spawn(connection.serve_messages());
    let served = match serving.join_next().await {
        Some(Err(source)) => Err(E::LoopEnded { source }.into()),
        // A disconnecting client is not an error.
        _ => Ok(()),
    };
    tasks.stop().await;
    served
}
