//! The client's end of a session over two byte streams, with one JSON message per line.
//!
//! Unlike in rmcp's own transport, a call does not wait forever if its response cannot be read: its caller receives an
//! error that describes the malformed response.

mod error;
mod incoming;
mod open_requests;
mod stray_output;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, io, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::transport::redact::Redactor;
use error::Error;
use genkit_core::internal::visible::Logged;
use genkit_mcp::internal::jsonrpc::{LineStream, LongLine};
use incoming::LineOutcome;
use open_requests::OpenRequests;
pub(crate) use open_requests::ResultFormat;
use stray_output::StrayOutput;

/// The maximum size of the queue for a server that does not read its input, 64 MiB. Sending fails beyond it.
///
/// Reading continues in the meantime. Otherwise a server that writes a long response before it reads again would never
/// finish.
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;

/// How long closing a session waits for the server to read the queued messages.
const CLOSE_FLUSH: Duration = Duration::from_millis(500);

/// The client's end of a session over two byte streams.
pub(crate) struct PipeTransport<R, W> {
    lines: LineStream<R, W>,
    max_line: usize,
    open: OpenRequests,
    stray: StrayOutput,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> PipeTransport<R, W> {
    /// Creates a session with the server `key`, whose lines may be at most `max_line` bytes long.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub(crate) fn new(key: &str, reader: R, writer: W, max_line: usize) -> Self {
        Self {
            lines: LineStream::new(reader, writer, max_line, MAX_QUEUED_BYTES, CLOSE_FLUSH),
            max_line,
            open: OpenRequests::default(),
            stray: StrayOutput::new(key),
        }
    }

    /// Sets the redactor for the server's text in errors and logs.
    pub(crate) fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.stray.redactor = redactor;
        self
    }

    /// Handles the next line; returns `None` if it was ignored or rejected.
    fn next_message(&mut self) -> Result<Option<ServerJsonRpcMessage>, NoCompleteLine> {
        let line = match self.lines.next_line().ok_or(NoCompleteLine)? {
            Ok(line) => incoming::read(line, &self.open),
            Err(LongLine(outline, bytes)) => {
                incoming::handle_long_line(outline, bytes, self.max_line, &self.open)
            }
        };
        match line {
            LineOutcome::Message(mut message) => {
                if let JsonRpcMessage::Error(failed) = &mut *message {
                    // The error about an unreadable response quotes a part of it.
                    failed.error.message =
                        self.stray.redactor.redact_text(&failed.error.message).into_owned().into();
                }
                self.open.record_received(&message);
                return Ok(Some(*message));
            }
            LineOutcome::Refused(refusal) => self.send_refusal(&refusal),
            LineOutcome::Stray(error, excerpt) => {
                self.stray.record_line(&error.to_string(), &excerpt)
            }
        }
        Ok(None)
    }

    fn send_refusal(&self, refusal: &ClientJsonRpcMessage) {
        let server = self.stray.key();
        let text = format!("{refusal:?}");
        let refusal_text = Logged::text(self.stray.redactor.redact_text(&text));
        tracing::debug!(target: "genkit::mcp", server, refusal = %refusal_text, "rejected a request");
        let outbox = self.lines.outbox();
        match outbox.push(refusal) {
            Ok(()) => outbox.flush(),
            Err(error) => {
                tracing::debug!(target: "genkit::mcp", %error, "cannot send the rejection");
            }
        }
    }

    fn queue_message(&self, item: &ClientJsonRpcMessage) -> io::Result<()> {
        let outbox = self.lines.outbox();
        if !outbox.has_capacity()? {
            return Err(io::Error::other(Error::InputFull(MAX_QUEUED_BYTES)));
        }
        outbox.push(item)
    }
}

/// No complete line is available.
struct NoCompleteLine;

impl<R, W> Transport<RoleClient> for PipeTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        // Appears in rmcp's errors.
        Cow::Borrowed("stdio")
    }

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let queued = self.queue_message(&item);
        if queued.is_ok() {
            self.open.record_sent(&item);
        }
        let outbox = Arc::clone(self.lines.outbox());
        async move {
            queued?;
            // Flush only now, so that messages queued before this future runs are sent in the same write.
            outbox.flush();
            // Fails if the server has exited; does not wait for a slow server.
            outbox.has_capacity().map(drop)
        }
    }

    // Cancel safe: only the read is awaited, and it loses no data.
    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            match self.next_message() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => continue,
                Err(NoCompleteLine) if self.lines.has_ended() => return None,
                Err(NoCompleteLine) => {}
            }
            if let Err(error) = self.lines.read().await {
                tracing::debug!(target: "genkit::mcp", %error, "cannot read the server's output");
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await
    }
}
