//! MCP over the standard streams, or any other pair of byte streams: one JSON message on each line.
//!
//! rmcp serves the session; this transport feeds it. Unlike rmcp's own it answers every line that
//! cannot be a message, outlives notifications that come too early, and writes all that is ready
//! at once.

mod error;
mod handshake;
mod message;
mod standard_streams;
mod stoppable;
#[cfg(test)]
mod tests;
mod unanswered;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::handshake::HandshakePhase;
use self::message::{ClientMessage, Refusal, Rejected};
use self::stoppable::StoppableReader;
use self::unanswered::UnansweredRequests;
use super::session::SubscriptionStreams;
use super::settings::MAX_LINE_BYTES;
use crate::mcp::jsonrpc::LineStream;

/// Bytes that may wait to be written before nothing more is read. Default is 4 MiB.
pub(crate) const MAX_QUEUED_BYTES: usize = 4 * 1024 * 1024;

/// How long the end of a session waits for a client to read what is left. Default is 2 seconds.
pub(crate) const CLOSE_FLUSH: Duration = Duration::from_secs(2);

/// How long the end of input waits for functions that run. Default is 5 seconds.
pub(crate) const FINISH: Duration = Duration::from_secs(5);

/// What a transport holds at most, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StdioLimits {
    /// Longest line that is read, its end not counted.
    pub(crate) line_bytes: usize,
    /// Bytes that may wait to be written before nothing more is read.
    pub(crate) queued_bytes: usize,
    /// How long the end of a session waits for a client to read what is left.
    pub(crate) close_flush: Duration,
    /// How long the end of input waits for requests that are not answered.
    pub(crate) finish: Duration,
}

impl Default for StdioLimits {
    fn default() -> Self {
        Self {
            line_bytes: MAX_LINE_BYTES,
            queued_bytes: MAX_QUEUED_BYTES,
            close_flush: CLOSE_FLUSH,
            finish: FINISH,
        }
    }
}

/// A session over this process's standard streams, without blocking threads where both are pipes
/// or both are sockets. Its input ends when the client closes it or `stop` is cancelled.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub(crate) fn process_stdio(
    limits: StdioLimits,
    stop: CancellationToken,
) -> StdioTransport<impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static> {
    let (reader, writer) = standard_streams::open();
    StdioTransport::new(StoppableReader::new(reader, stop), writer, limits)
}

/// The server's end of a session over two byte streams.
pub(crate) struct StdioTransport<R, W> {
    lines: LineStream<R, W>,
    limits: StdioLimits,
    phase: HandshakePhase,
    unanswered: UnansweredRequests,
    streams: SubscriptionStreams,
    /// When the input ended.
    ended: Option<Instant>,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> StdioTransport<R, W> {
    /// Starts the task that stands by to write.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub(crate) fn new(reader: R, writer: W, limits: StdioLimits) -> Self {
        let StdioLimits { line_bytes, queued_bytes, close_flush, .. } = limits;
        Self {
            lines: LineStream::new(reader, writer, line_bytes, queued_bytes, close_flush),
            limits,
            phase: HandshakePhase::default(),
            unanswered: UnansweredRequests::default(),
            streams: SubscriptionStreams::default(),
            ended: None,
        }
    }

    /// With the session's subscription streams, which end with the input.
    pub(crate) fn with_streams(mut self, streams: SubscriptionStreams) -> Self {
        self.streams = streams;
        self
    }

    /// The message of a line; nothing if it was dropped or refused.
    fn admit(&mut self, read: Result<ClientMessage, Rejected>) -> Option<ClientMessage> {
        match read {
            Ok(message) if self.phase.admits(&message) => {
                self.unanswered.received(&message);
                return Some(message);
            }
            Ok(_) => tracing::debug!("dropped a message that came before the first request"),
            Err(Rejected::Silent(fault)) => tracing::debug!(%fault, "dropped a message"),
            Err(Rejected::Answer(refusal)) => self.refuse(&refusal),
        }
        None
    }

    fn refuse(&self, refusal: &Refusal) {
        tracing::debug!(?refusal, "refused a line");
        match self.lines.outbox().push(refusal) {
            Ok(()) => self.lines.outbox().flush(),
            Err(error) => tracing::debug!(%error, "the refusal cannot be sent"),
        }
    }

    /// Gives what runs some time to be answered, and the answers some time to be written.
    ///
    /// rmcp would wait for what runs by itself, but no longer takes what it reports: a function
    /// that reports progress would never come to its end. Here rmcp still serves: each answer
    /// drops this future, and begins a new one. It may also drop a transport that has ended.
    async fn settle(&mut self, ended: Instant) {
        let finish = ended + self.limits.finish;
        if self.unanswered.any_function() {
            tokio::time::sleep_until(finish).await;
        }
        // rmcp ends no stream before it knows that the acknowledgement was written.
        let established = self.streams.all_established(self.unanswered.streams());
        let _ = tokio::time::timeout_at(finish, established).await;
        let drained = self.lines.outbox().drained();
        if tokio::time::timeout(self.limits.close_flush, drained).await.is_err() {
            tracing::debug!("the client did not read the last messages in time");
        }
    }
}

impl<R, W> Transport<RoleServer> for StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.phase.sent(&item);
        self.unanswered.sent(&item);
        let queued = self.lines.outbox().push(&item);
        let is_error = matches!(item, JsonRpcMessage::Error(_));
        let outbox = Arc::clone(self.lines.outbox());
        async move {
            queued?;
            // Only now: what is sent until this future runs goes out in the same write.
            outbox.flush();
            if is_error {
                // rmcp may give up after an error, and with it the program.
                outbox.drained().await
            } else {
                outbox.room().await
            }
        }
    }

    // Safe to cancel: only the read and the waits are awaited, and none of them loses anything.
    async fn receive(&mut self) -> Option<ClientMessage> {
        loop {
            // A client that does not read is not read from.
            match self.lines.outbox().has_room() {
                Ok(true) => {}
                Ok(false) => self.lines.outbox().room().await.ok()?,
                Err(_) => return None,
            }
            let limit = self.limits.line_bytes;
            if let Some(read) = self.lines.next_frame().map(|frame| message::read(frame, limit)) {
                match self.admit(read) {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            if self.lines.has_ended() {
                let ended = *self.ended.get_or_insert_with(Instant::now);
                self.settle(ended).await;
                // rmcp would wait for subscription streams, which have no end of their own.
                return self.unanswered.cancel_stream();
            }
            if let Err(error) = self.lines.read().await {
                tracing::error!(%error, "the input cannot be read");
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await
    }
}
