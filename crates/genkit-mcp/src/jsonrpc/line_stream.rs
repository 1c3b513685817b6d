//! A connection over two byte streams, one message on each line: what the stdio transports of the
//! server and of the host share.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::task::JoinHandle;

use super::frame::{Frame, Framer};
use super::outbox::Outbox;

/// Lines in and lines out.
pub struct LineStream<R, W> {
    reader: R,
    framer: Framer,
    outbox: Arc<Outbox<W>>,
    /// Writes when the other side was slow to read, and at the end.
    stand_by: Option<JoinHandle<io::Result<()>>>,
    ended: bool,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> LineStream<R, W> {
    /// Starts the task that stands by to write, outside of a tokio runtime a panic.
    ///
    /// Lines above `line_bytes` are passed over; above `queued_bytes` the outbox has no room; the
    /// other side has `close_flush` to read what is left at the end.
    pub fn new(
        reader: R,
        writer: W,
        line_bytes: usize,
        queued_bytes: usize,
        close_flush: Duration,
    ) -> Self {
        let outbox = Outbox::new(writer, queued_bytes);
        let stand_by = tokio::spawn(Arc::clone(&outbox).stand_by(close_flush));
        let framer = Framer::new(line_bytes);
        Self { reader, framer, outbox, stand_by: Some(stand_by), ended: false }
    }

    /// What waits to be written.
    pub fn outbox(&self) -> &Arc<Outbox<W>> {
        &self.outbox
    }

    /// The next line that was read whole; `None` is the time to [`read`](Self::read).
    pub fn next_frame(&mut self) -> Option<Frame<'_>> {
        self.framer.next_frame()
    }

    /// Whether the input has ended; the last line needs no newline.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Bytes of memory that the input holds.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.framer.held()
    }

    /// Closes the output once everything was written.
    pub async fn close(&mut self) -> io::Result<()> {
        self.outbox.close();
        match self.stand_by.take() {
            Some(task) => task.await.unwrap_or_else(|error| Err(io::Error::other(error))),
            None => Ok(()),
        }
    }
}

impl<R: AsyncRead + Unpin, W> LineStream<R, W> {
    /// Reads on; an error is the end of the input too. A dropped read loses nothing.
    pub async fn read(&mut self) -> io::Result<()> {
        match self.reader.read(self.framer.spare()).await {
            Ok(count) if count > 0 => {
                self.framer.filled(count);
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
