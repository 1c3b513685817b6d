//! MCP over the standard streams, or any other pair of byte streams: one JSON message on each line.
//!
//! rmcp serves the session; this transport feeds it. Unlike rmcp's own it answers every line that
//! cannot be a message, outlives notifications that come too early, and writes all that is ready
//! at once.

mod handshake;
mod message;
mod stoppable;
mod streams;
#[cfg(test)]
mod tests;
mod unanswered;

use std::{io, sync::Arc, time::Duration};

use rmcp::{
    RoleServer,
    model::{ErrorCode, JsonRpcMessage},
    service::TxJsonRpcMessage,
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    task::JoinHandle,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use self::{
    handshake::Opening,
    message::{Incoming, Refusal, Rejected},
    stoppable::Until,
    unanswered::Unanswered,
};
use crate::mcp::jsonrpc::{Frame, Framer, Outbox, Outline};

/// Longest line that is read. Default is 16 MiB.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Bytes that may wait to be written before nothing more is read. Default is 4 MiB.
pub(crate) const MAX_QUEUED_BYTES: usize = 4 * 1024 * 1024;

/// How long the end of a session waits for a client to read what is left. Default is 2 seconds.
pub(crate) const CLOSE_FLUSH: Duration = Duration::from_secs(2);

/// How long the end of input waits for functions that run. Default is 5 seconds.
pub(crate) const FINISH: Duration = Duration::from_secs(5);

/// rmcp learns that an acknowledgement was written a moment after the client has read it, and
/// cannot end a stream before it knows.
const MOMENT: Duration = Duration::from_millis(20);

/// What a transport holds at most, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Longest line that is read, its end not counted.
    pub(crate) line_bytes: usize,
    /// Bytes that may wait to be written before nothing more is read.
    pub(crate) queued_bytes: usize,
    /// How long the end of a session waits for a client to read what is left.
    pub(crate) close_flush: Duration,
    /// How long the end of input waits for requests that are not answered.
    pub(crate) finish: Duration,
}

impl Default for Limits {
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
/// or both are sockets.
/// Its input ends when the client closes it or `stop` is cancelled.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub(crate) fn process_stdio(
    limits: Limits,
    stop: CancellationToken,
) -> StdioTransport<Until<streams::Input>, streams::Output> {
    let (reader, writer) = streams::streams();
    StdioTransport::new(Until::new(reader, stop), writer, limits)
}

/// The server's end of a session over two byte streams.
pub(crate) struct StdioTransport<R, W> {
    reader: R,
    framer: Framer,
    opening: Opening,
    outbox: Arc<Outbox<W>>,
    /// Writes when the client was slow to read, and at the end.
    stand_by: Option<JoinHandle<io::Result<()>>>,
    limits: Limits,
    unanswered: Unanswered,
    /// When the input ended.
    ended: Option<Instant>,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> StdioTransport<R, W> {
    /// Starts the task that stands by to write.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub(crate) fn new(reader: R, writer: W, limits: Limits) -> Self {
        let outbox = Outbox::new(writer, limits.queued_bytes);
        let stand_by = Arc::clone(&outbox).stand_by(limits.close_flush);
        Self {
            reader,
            framer: Framer::new(limits.line_bytes),
            opening: Opening::default(),
            outbox,
            stand_by: Some(tokio::spawn(stand_by)),
            limits,
            unanswered: Unanswered::default(),
            ended: None,
        }
    }

    /// What the next line amounts to; nothing if it was dropped or refused.
    fn step(&mut self) -> Result<Option<Incoming>, Starved> {
        let message = match self.framer.next_frame().ok_or(Starved)? {
            Frame::Line(line) => message::parse(line),
            Frame::TooLong(outline, _) => self.too_long(outline),
        };
        match message {
            Ok(message) if self.opening.admits(&message) => {
                self.unanswered.came(&message);
                return Ok(Some(message));
            }
            Ok(_) => tracing::debug!("dropped a message that came before the first request"),
            Err(Rejected::Silent(fault)) => tracing::debug!(%fault, "dropped a message"),
            Err(Rejected::Answer(refusal)) => self.refuse(&refusal),
        }
        Ok(None)
    }

    fn too_long(&self, outline: Outline) -> Result<Incoming, Rejected> {
        let limit = self.limits.line_bytes;
        let fault = format!("the line is longer than {limit} bytes");
        message::rejected(outline, ErrorCode::INVALID_REQUEST, fault)
    }

    fn refuse(&self, refusal: &Refusal) {
        tracing::debug!(?refusal, "refused a line");
        match self.outbox.push(refusal) {
            Ok(()) => self.outbox.flush(),
            Err(error) => tracing::debug!(%error, "the refusal cannot be sent"),
        }
    }

    /// No more input: what waits is the last line.
    fn end(&mut self) {
        self.framer.finish();
        self.ended = Some(Instant::now());
    }

    /// Leaves what runs some time to be answered, and the answers some time to be written.
    ///
    /// rmcp would wait for what runs by itself, but no longer takes what it reports: a function
    /// that tells how far it is would never come to its end. Here rmcp still serves: each answer
    /// drops this future, and begins a new one. It may also drop a transport that has ended.
    async fn settle(&mut self, ended: Instant) {
        if self.unanswered.functions() {
            tokio::time::sleep_until(ended + self.limits.finish).await;
        }
        if self.unanswered.streams() {
            tokio::time::sleep_until(ended + MOMENT).await;
        }
        let drained = tokio::time::timeout(self.limits.close_flush, self.outbox.drained()).await;
        if drained.is_err() {
            tracing::debug!("the client did not read the last messages in time");
        }
    }
}

/// No whole line is here.
struct Starved;

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
        self.opening.answered(&item);
        self.unanswered.went(&item);
        let queued = self.outbox.push(&item);
        let is_error = matches!(item, JsonRpcMessage::Error(_));
        let outbox = Arc::clone(&self.outbox);
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
    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            // A client that does not read is not read from.
            match self.outbox.has_room() {
                Ok(true) => {}
                Ok(false) => self.outbox.room().await.ok()?,
                Err(_) => return None,
            }
            match self.step() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => continue,
                Err(Starved) => {}
            }
            if let Some(ended) = self.ended {
                self.settle(ended).await;
                // rmcp would wait for streams of changes, which have no end of their own.
                return self.unanswered.cancel_stream();
            }
            match self.reader.read(self.framer.spare()).await {
                Ok(0) => self.end(),
                Ok(count) => self.framer.filled(count),
                Err(error) => {
                    tracing::error!(%error, "the input cannot be read");
                    self.end();
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.close();
        match self.stand_by.take() {
            Some(task) => task.await.unwrap_or_else(|error| Err(io::Error::other(error))),
            None => Ok(()),
        }
    }
}

impl<R, W> Drop for StdioTransport<R, W> {
    fn drop(&mut self) {
        self.outbox.close();
    }
}
