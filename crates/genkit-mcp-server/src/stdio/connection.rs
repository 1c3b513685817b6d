//! A client over two byte streams: reads its lines and performs the actions that the engine returns.

use std::io;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::StdioLimits;
use super::line_outlet::LineOutlet;
use crate::engine;
use crate::engine::{
    Action, Call, Engine, FirstPoll, ListenStream, MessageError, MessageRejection, Outlet, Request,
    SlowFunctions,
};
use crate::principal::{Principal, RequestHead};
use crate::quota::ClientKey;
use crate::session::{Session, Subscription};
use crate::state::SharedState;
use genkit_core::internal::registry::RegistryChange;
use genkit_core::internal::visible::Logged;
use genkit_mcp::internal::jsonrpc::{LineStream, LongLine};

/// The server side of a session over two byte streams.
pub(crate) struct StdioConnection<R, W> {
    lines: LineStream<R, W>,
    limits: StdioLimits,
    client: Client<W>,
}

/// The state for serving the lines of a client.
struct Client<W> {
    engine: Engine,
    session: Arc<Session>,
    /// The user of the client, if the program has identified it.
    principal: Option<Principal>,
    lines: LineOutlet<W>,
    outlet: Outlet,
    slow: SlowFunctions,
    /// The functions that did not finish in their first poll.
    calls: JoinSet<()>,
    /// Streams of notifications, which end only with the connection or by cancellation.
    streams: JoinSet<()>,
    changes: Option<Subscription>,
    /// Ends the streams, which then send their responses.
    end: CancellationToken,
}

impl<R, W> StdioConnection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Creates the connection and spawns its writer task.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub(crate) fn new(
        reader: R,
        writer: W,
        shared: &Arc<SharedState>,
        limits: StdioLimits,
        principal: Option<Principal>,
    ) -> Self {
        let StdioLimits { line_bytes, queued_bytes, close_flush, .. } = limits;
        let lines = LineStream::new(reader, writer, line_bytes, queued_bytes, close_flush);
        let out = LineOutlet(Arc::clone(lines.outbox()));
        let client = Client {
            engine: Engine { shared: Arc::clone(shared) },
            session: Arc::new(shared.session_of(ClientKey::stream(principal.as_ref()))),
            principal,
            outlet: Outlet::new(Arc::new(out.clone())),
            lines: out,
            slow: SlowFunctions::default(),
            calls: JoinSet::new(),
            streams: JoinSet::new(),
            changes: None,
            end: CancellationToken::new(),
        };
        Self { lines, limits, client }
    }

    /// Serves until the input ends or the output is closed.
    ///
    /// # Errors
    /// Returns the error if the last bytes could not be written.
    pub(crate) async fn serve_messages(mut self) -> io::Result<()> {
        while self.take_lines().await.is_ok() {
            if self.lines.has_ended() {
                self.finish().await;
                break;
            }
            tokio::select! {
                biased;
                read = self.lines.read() => {
                    if let Err(error) = read {
                        tracing::error!(%error, "cannot read the input");
                    }
                }
                change = next(&mut self.client.changes) => self.client.send_change(&change),
            }
        }
        self.client.session.connection.cancel_all();
        self.lines.close().await
    }

    /// Serves all lines that have been received, and writes their immediate responses together.
    async fn take_lines(&mut self) -> io::Result<()> {
        let Self { lines, client, limits } = self;
        loop {
            // Backpressure: stop reading while the client does not read.
            if !client.lines.0.has_capacity()? {
                client.lines.0.flush();
                client.lines.0.wait_for_capacity().await?;
            }
            // A client that sends many lines must not starve other tasks.
            tokio::task::consume_budget().await;
            let Some(line) = lines.next_line() else { break };
            client.serve_line(line, limits.line_bytes)?;
        }
        client.lines.0.flush();
        while client.calls.try_join_next().is_some() {}
        while client.streams.try_join_next().is_some() {}
        Ok(())
    }

    /// Waits a limited time for running functions to finish, and for their responses to be written.
    async fn finish(&mut self) {
        let client = &mut self.client;
        let finish = Instant::now() + self.limits.finish;
        // No more answers can arrive, so functions that wait for an answer receive an error.
        client.session.connection.end_questions();
        client.end.cancel();
        let ended = async {
            while client.calls.join_next().await.is_some() {}
            while client.streams.join_next().await.is_some() {}
        };
        if tokio::time::timeout_at(finish, ended).await.is_err() {
            tracing::debug!("some functions did not finish in time");
            client.session.connection.cancel_all();
            client.calls.abort_all();
        }
        let drained = client.lines.0.wait_until_written();
        if tokio::time::timeout(self.limits.close_flush, drained).await.is_err() {
            tracing::debug!("the client did not read the last messages in time");
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Client<W> {
    /// Serves one line. `limit` is its maximum length, in bytes.
    fn serve_line(&mut self, line: Result<&[u8], LongLine>, limit: usize) -> io::Result<()> {
        let message = match line {
            Ok(line) => {
                tracing::trace!(bytes = line.len(), "read a line");
                engine::read_message(line)
            }
            Err(LongLine(outline, _)) => {
                engine::reject_message(outline, &MessageError::TooLong(limit))
            }
        };
        let message = match message {
            Ok(message) => message,
            Err(MessageRejection::Silent(fault)) => {
                tracing::debug!(fault = %Logged::text(&fault), "dropped a message");
                return Ok(());
            }
            Err(MessageRejection::Answer(refusal)) => {
                tracing::debug!("rejected a line");
                return self.lines.0.push_line(&refusal);
            }
        };
        let request = Request::new(
            &self.session,
            self.outlet.clone(),
            RequestHead::for_stream(self.principal.clone()),
            self.session.quota().client(),
            CancellationToken::new(),
        );
        match self.engine.handle_message(message, request) {
            Action::Accepted => Ok(()),
            Action::Reply(answer) => self.lines.0.push_line(&answer.bytes),
            Action::Run(call) => match call.poll_first(&self.slow) {
                FirstPoll::Ended(Some(answer)) => self.lines.0.push_line(&answer.bytes),
                FirstPoll::Ended(None) => Ok(()),
                FirstPoll::Waits(call) => {
                    self.go_on(call);
                    Ok(())
                }
            },
            Action::Listen(stream) => self.start_listening(*stream),
            Action::Changes(changes) => {
                self.changes = Some(changes);
                Ok(())
            }
        }
    }

    fn go_on(&mut self, call: Call) {
        let lines = self.lines.clone();
        self.calls.spawn(async move {
            if let Some(answer) = call.await {
                lines.send_line(&answer.bytes).await;
            }
        });
    }

    fn start_listening(&mut self, mut stream: ListenStream) -> io::Result<()> {
        // Queue the acknowledgement before later messages from the client are served.
        if let Some(Some(first)) = stream.next().now_or_never() {
            self.lines.0.push_line(&first)?;
        }
        let (lines, end) = (self.lines.clone(), self.end.clone());
        self.streams.spawn(async move {
            let told = async {
                while let Some(message) = stream.next().await {
                    if !lines.send_line(&message).await {
                        break;
                    }
                }
            };
            tokio::select! {
                () = end.cancelled() => {}
                () = told => {}
            }
            if let Some(answer) = stream.finish() {
                lines.send_line(&answer.bytes).await;
            }
        });
        Ok(())
    }

    fn send_change(&self, change: &RegistryChange) {
        // Ignore the error here, because serving the next line returns it again.
        if self.lines.0.push_line(&engine::notifications::encode_change(change, None)).is_ok() {
            self.lines.0.flush();
        }
    }
}

async fn next(changes: &mut Option<Subscription>) -> RegistryChange {
    match changes {
        Some(changes) => changes.next().await,
        None => std::future::pending().await,
    }
}
