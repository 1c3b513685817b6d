//! The client's end of a session over two byte streams, one JSON message on each line.
//!
//! Unlike rmcp's own it lets no call wait for an answer that came and cannot be read: whoever asked
//! gets an error that says what the server did wrong.

mod in_flight;
mod incoming;
mod redact;
mod stray_output;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, io, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    task::JoinHandle,
};

use crate::mcp::lines::{Frame, Framer, Outbox};
use in_flight::Open;
use incoming::Line;
pub(crate) use redact::Mask;
use stray_output::Noise;

/// Bytes that may wait for a server that does not read, 64 MiB: what comes then is not sent.
///
/// Reading goes on in the meantime. A server that writes a long answer before it reads on would
/// never come to its end otherwise.
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;

/// How long the end of a session waits for a server to read what is left.
const CLOSE_FLUSH: Duration = Duration::from_millis(500);

/// A message from the server.
type Incoming = RxJsonRpcMessage<RoleClient>;

/// A message to the server.
type Outgoing = TxJsonRpcMessage<RoleClient>;

/// The client's end of a session over two byte streams.
pub(crate) struct PipeTransport<R, W> {
    reader: R,
    framer: Framer,
    outbox: Arc<Outbox<W>>,
    /// Writes when the server was slow to read, and at the end.
    stand_by: Option<JoinHandle<io::Result<()>>>,
    max_line: usize,
    open: Open,
    noise: Noise,
    ended: bool,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> PipeTransport<R, W> {
    /// A session with the server that is called `key`, whose lines have at most `max_line` bytes.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub(crate) fn new(key: &str, reader: R, writer: W, max_line: usize) -> Self {
        let outbox = Outbox::new(writer, MAX_QUEUED_BYTES);
        let stand_by = Arc::clone(&outbox).stand_by(CLOSE_FLUSH);
        Self {
            reader,
            framer: Framer::new(max_line),
            outbox,
            stand_by: Some(tokio::spawn(stand_by)),
            max_line,
            open: Open::default(),
            noise: Noise::new(key),
            ended: false,
        }
    }

    /// Does not repeat what this hides.
    pub(crate) fn masked(mut self, mask: Mask) -> Self {
        self.noise.mask = mask;
        self
    }

    /// What the next line amounts to; nothing if it was passed over or refused.
    fn step(&mut self) -> Result<Option<Incoming>, Starved> {
        let line = match self.framer.next_frame().ok_or(Starved)? {
            Frame::Line(line) => incoming::read(line, &self.open),
            Frame::TooLong(outline, bytes) => {
                incoming::too_long(outline, bytes, self.max_line, &self.open)
            }
        };
        match line {
            Line::Message(mut message) => {
                if let JsonRpcMessage::Error(failed) = &mut *message {
                    // What is wrong with an answer is told with a part of it.
                    failed.error.message =
                        self.noise.mask.hide(&failed.error.message).into_owned().into();
                }
                self.open.came(&message);
                return Ok(Some(*message));
            }
            Line::Refused(refusal) => self.refuse(&refusal),
            Line::Noise(fault, excerpt) => self.noise.came(&fault, &excerpt),
        }
        Ok(None)
    }

    fn refuse(&self, refusal: &Outgoing) {
        tracing::debug!(target: "genkit::mcp", server = %self.noise.key(), ?refusal, "refused a request");
        match self.outbox.has_room().and_then(|_| self.outbox.push(refusal)) {
            Ok(()) => self.outbox.flush(),
            Err(error) => {
                tracing::debug!(target: "genkit::mcp", %error, "the refusal cannot be sent");
            }
        }
    }

    fn queue(&self, item: &Outgoing) -> io::Result<()> {
        if !self.outbox.has_room()? {
            let full = format!(
                "the server does not read its input: {MAX_QUEUED_BYTES} bytes wait for it already"
            );
            return Err(io::Error::other(full));
        }
        self.outbox.push(item)
    }

    /// No more input: what waits is the last line.
    fn end(&mut self) {
        self.framer.finish();
        self.ended = true;
    }
}

/// No whole line is here.
struct Starved;

impl<R, W> Transport<RoleClient> for PipeTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        // It stands in the text of rmcp's errors.
        Cow::Borrowed("stdio")
    }

    fn send(&mut self, item: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let queued = self.queue(&item);
        if queued.is_ok() {
            self.open.went(&item);
        }
        let outbox = Arc::clone(&self.outbox);
        async move {
            queued?;
            // Only now: what is sent until this future runs goes out in the same write.
            outbox.flush();
            // A server that is gone is told of here; one that is slow is not waited for.
            outbox.has_room().map(drop)
        }
    }

    // Safe to cancel: only the read is awaited, and it loses nothing.
    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            match self.step() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => continue,
                Err(Starved) if self.ended => return None,
                Err(Starved) => {}
            }
            match self.reader.read(self.framer.spare()).await {
                Ok(0) => self.end(),
                Ok(count) => self.framer.filled(count),
                Err(error) => {
                    tracing::debug!(target: "genkit::mcp", %error, "the server's output cannot be read");
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

impl<R, W> Drop for PipeTransport<R, W> {
    fn drop(&mut self) {
        self.outbox.close();
    }
}
