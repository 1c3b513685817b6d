//! A connection over two byte streams with one message per line, shared by the stdio transports of the server and the
//! host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::task::JoinHandle;

use super::frame::{Framer, LongLine};
use super::outbox::Outbox;

/// Reads lines, and writes lines through an outbox.
pub struct LineStream<R, W> {
    reader: R,
    framer: Framer,
    outbox: Arc<Outbox<W>>,
    /// The task that writes while the peer reads slowly, and that flushes the outbox on close.
    stand_by: Option<JoinHandle<io::Result<()>>>,
    ended: bool,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> LineStream<R, W> {
    /// Creates the stream and starts its write task. Panics outside a tokio runtime.
    ///
    /// Lines longer than `line_bytes` are skipped. The outbox is full above `queued_bytes`. After
    /// [`close`](Self::close), the peer has `close_flush` to read the remaining messages.
    pub fn new(
        reader: R,
        writer: W,
        line_bytes: usize,
        queued_bytes: usize,
        close_flush: Duration,
    ) -> Self {
        let outbox = Outbox::new(writer, queued_bytes);
        let stand_by = tokio::spawn(Arc::clone(&outbox).run_write_task(close_flush));
        let framer = Framer::new(line_bytes);
        Self { reader, framer, outbox, stand_by: Some(stand_by), ended: false }
    }

    /// Returns the queue of outgoing messages.
    pub fn outbox(&self) -> &Arc<Outbox<W>> {
        &self.outbox
    }

    /// Returns the next complete line; `None` if more must be [`read`](Self::read).
    pub fn next_line(&mut self) -> Option<Result<&[u8], LongLine>> {
        self.framer.next_line()
    }

    /// Returns whether the input has ended. The last line does not need a newline.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the size of the input buffer, in bytes, for tests of sibling crates.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        self.framer.buffer_size()
    }

    /// Writes all queued messages and closes the output.
    pub async fn close(&mut self) -> io::Result<()> {
        self.outbox.close();
        match self.stand_by.take() {
            Some(task) => task.await.unwrap_or_else(|error| Err(io::Error::other(error))),
            None => Ok(()),
        }
    }
}

impl<R: AsyncRead + Unpin, W> LineStream<R, W> {
    /// Reads more input. An error also ends the input. Cancel safe.
    pub async fn read(&mut self) -> io::Result<()> {
        match self.reader.read(self.framer.spare()).await {
            Ok(count) if count > 0 => {
                self.framer.mark_filled(count);
                Ok(())
            }
            end => {
                self.framer.finish();
                self.ended = true;
                end.map(drop)
            }
        }
    }
}

impl<R, W> Drop for LineStream<R, W> {
    fn drop(&mut self) {
        self.outbox.close();
    }
}
