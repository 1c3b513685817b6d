//! What waits to be written: messages go in as bytes at once, and whoever sends next to an idle
//! writer writes all that is there. A task stands by for a reader that is slow.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, TryLockError},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use genkit_core::internal::sync::lock;
use serde::Serialize;
use tokio::{io::AsyncWrite, sync::Notify};

/// A buffer above this size is given back once it is written.
const KEPT_BYTES: usize = 256 * 1024;

/// The queue between those who send and the stream they share.
pub struct Outbox<W> {
    queue: Mutex<Queue>,
    stream: Mutex<Stream<W>>,
    limit: usize,
    /// Calls the task that stands by.
    call: Notify,
    /// Something was written, or nothing ever will be.
    progress: Notify,
    /// The time to write the rest has begun.
    closing: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<u8>,
    /// Bytes that the stream has taken over, written or not.
    writing: usize,
    closed: bool,
    failure: Option<(io::ErrorKind, String)>,
}

struct Stream<W> {
    writer: W,
    bytes: Vec<u8>,
    /// So many of `bytes` are written.
    sent: usize,
    /// The other side does not read; the task writes when it does.
    stalled: bool,
}

impl<W> Outbox<W> {
    /// A queue that asks its senders to wait above `limit` bytes.
    pub(crate) fn new(writer: W, limit: usize) -> Arc<Self> {
        let stream = Stream { writer, bytes: Vec::new(), sent: 0, stalled: false };
        Arc::new(Self {
            queue: Mutex::default(),
            stream: Mutex::new(stream),
            limit,
            call: Notify::new(),
            progress: Notify::new(),
            closing: Notify::new(),
        })
    }

    /// Puts a message on a line of its own behind what waits. Order is the order of these calls.
    pub fn push(&self, message: &impl Serialize) -> io::Result<()> {
        let mut queue = self.open_queue()?;
        let before = queue.waiting.len();
        if let Err(error) = serde_json::to_writer(&mut queue.waiting, message) {
            // Half a message must not get out.
            queue.waiting.truncate(before);
            return Err(error.into());
        }
        queue.waiting.push(b'\n');
        Ok(())
    }

    /// Puts a message, that is JSON already, on a line of its own behind what waits.
    pub fn push_line(&self, message: &[u8]) -> io::Result<()> {
        let mut queue = self.open_queue()?;
        queue.waiting.reserve(message.len() + 1);
        queue.waiting.extend_from_slice(message);
        queue.waiting.push(b'\n');
        Ok(())
    }

    /// Whether the queue is below its limit.
    pub fn has_room(&self) -> io::Result<bool> {
        let queue = self.queue();
        queue.usable()?;
        Ok(queue.queued() < self.limit)
    }

    /// Waits until the queue is below its limit.
    pub async fn room(&self) -> io::Result<()> {
        self.until(|queued| queued < self.limit).await
    }

    /// Waits until everything was written.
    pub async fn drained(&self) -> io::Result<()> {
        self.until(|queued| queued == 0).await
    }

    /// Takes no more messages; the task writes the rest and ends.
    pub(crate) fn close(&self) {
        self.queue().closed = true;
        self.call.notify_one();
        self.closing.notify_one();
    }

    async fn until(&self, enough: impl Fn(usize) -> bool) -> io::Result<()> {
        loop {
            // Listens before it looks, so that no wake-up falls between.
            let progress = self.progress.notified();
            {
                let queue = self.queue();
                queue.usable()?;
                if enough(queue.queued()) {
                    return Ok(());
                }
            }
            progress.await;
        }
    }

    async fn overdue(&self, flush: Duration) -> io::Error {
        self.closing.notified().await;
        tokio::time::sleep(flush).await;
        io::Error::new(
            io::ErrorKind::TimedOut,
            "the other side did not read the last messages in time",
        )
    }

    fn fail(&self, error: &io::Error) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.waiting = Vec::new();
        queue.failure = Some((error.kind(), error.to_string()));
        drop(queue);
        self.progress.notify_waiters();
    }

    /// The queue, where messages can still be sent.
    fn open_queue(&self) -> io::Result<MutexGuard<'_, Queue>> {
        let queue = self.queue();
        queue.usable()?;
        if queue.closed {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the transport is closed"));
        }
        Ok(queue)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Every change leaves the queue whole, so that a panic elsewhere does no harm.
        lock(&self.queue)
    }
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    /// Writes all that waits, unless someone else does or the other side does not read.
    pub fn flush(&self) {
        // Looks again after each turn: who found the stream taken has left without writing.
        while !self.queue().waiting.is_empty() {
            let mut stream = match self.stream.try_lock() {
                Ok(stream) => stream,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            if stream.stalled {
                return;
            }
            if self.poll_write(&mut stream, &mut Context::from_waker(Waker::noop())).is_pending() {
                stream.stalled = true;
                self.call.notify_one();
                return;
            }
        }
    }

    /// Stands by until the queue is closed, then writes the rest for at most `patience`.
    pub(crate) async fn stand_by(self: Arc<Self>, patience: Duration) -> io::Result<()> {
        let result = tokio::select! {
            biased;
            result = self.serve_calls() => result,
            error = self.overdue(patience) => Err(error),
        };
        if let Err(error) = &result {
            self.fail(error);
        }
        result
    }

    async fn serve_calls(&self) -> io::Result<()> {
        loop {
            self.call.notified().await;
            poll_fn(|context| {
                let mut stream = self.stream();
                ready!(self.poll_write(&mut stream, context));
                stream.stalled = false;
                Poll::Ready(())
            })
            .await;
            // Catches up with those who saw the stream stalled and left.
            self.flush();
            let queue = self.queue();
            queue.usable()?;
            if queue.closed && queue.queued() == 0 {
                break;
            }
        }
        poll_fn(|context| Pin::new(&mut self.stream().writer).poll_shutdown(context)).await
    }

    /// Writes and flushes all that waits; ready when nothing is left or nothing can be written.
    fn poll_write(&self, stream: &mut Stream<W>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Err(error) = ready!(stream.poll_write(context)) {
                self.fail(&error);
                return Poll::Ready(());
            }
            let more = self.queue().exchange(&mut stream.bytes);
            stream.sent = 0;
            self.progress.notify_waiters();
            if !more {
                return Poll::Ready(());
            }
        }
    }

    fn stream(&self) -> MutexGuard<'_, Stream<W>> {
        lock(&self.stream)
    }
}

impl<W: AsyncWrite + Unpin> Stream<W> {
    /// Writes and flushes the bytes that were taken over.
    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut writer = Pin::new(&mut self.writer);
        while self.sent < self.bytes.len() {
            match ready!(writer.as_mut().poll_write(context, &self.bytes[self.sent..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.sent += count,
            }
        }
        if self.bytes.is_empty() { Poll::Ready(Ok(())) } else { writer.poll_flush(context) }
    }
}

impl Queue {
    fn queued(&self) -> usize {
        self.waiting.len() + self.writing
    }

    fn usable(&self) -> io::Result<()> {
        match &self.failure {
            Some((kind, text)) => Err(io::Error::new(*kind, text.clone())),
            None => Ok(()),
        }
    }

    /// Gets back a written buffer and gives one with all that waits; false if nothing does.
    fn exchange(&mut self, bytes: &mut Vec<u8>) -> bool {
        bytes.clear();
        if bytes.capacity() > KEPT_BYTES {
            *bytes = Vec::new();
        }
        std::mem::swap(&mut self.waiting, bytes);
        self.writing = bytes.len();
        self.writing > 0
    }
}
