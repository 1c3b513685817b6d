//! A queue of outgoing messages. Senders add bytes without waiting; if the writer is idle, the sender writes everything
//! that is queued. A task takes over if the peer reads slowly.

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

/// The capacity above which a buffer is freed after it was written, in bytes.
const KEPT_BYTES: usize = 256 * 1024;

/// A queue between several senders and the stream that they share.
pub struct Outbox<W> {
    queue: Mutex<Queue>,
    stream: Mutex<Stream<W>>,
    limit: usize,
    /// Wakes the write task.
    call: Notify,
    /// Notified when something was written, or when writing failed.
    progress: Notify,
    /// Notified when the time limit for the remaining messages starts.
    closing: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<u8>,
    /// The number of bytes in the stream's buffer, including those already written.
    writing: usize,
    closed: bool,
    failure: Option<(io::ErrorKind, String)>,
}

struct Stream<W> {
    writer: W,
    bytes: Vec<u8>,
    /// The length of the part of `bytes` that has been written.
    sent: usize,
    /// Whether the peer has stopped reading. If so, only the write task writes, as soon as the peer reads again.
    stalled: bool,
}

impl<W> Outbox<W> {
    /// Creates a queue that counts as full above `limit` bytes.
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

    /// Appends a message as a line. Messages are written in the order of these calls.
    pub fn push(&self, message: &impl Serialize) -> io::Result<()> {
        let mut queue = self.open_queue()?;
        let before = queue.waiting.len();
        if let Err(error) = serde_json::to_writer(&mut queue.waiting, message) {
            // Do not send an incomplete message.
            queue.waiting.truncate(before);
            return Err(error.into());
        }
        queue.waiting.push(b'\n');
        Ok(())
    }

    /// Appends a message that is already JSON as a line.
    pub fn push_line(&self, message: &[u8]) -> io::Result<()> {
        let mut queue = self.open_queue()?;
        queue.waiting.reserve(message.len() + 1);
        queue.waiting.extend_from_slice(message);
        queue.waiting.push(b'\n');
        Ok(())
    }

    /// Returns whether the queue is below its limit.
    pub fn has_capacity(&self) -> io::Result<bool> {
        let queue = self.queue();
        queue.usable()?;
        Ok(queue.queued() < self.limit)
    }

    /// Waits until the queue is below its limit.
    pub async fn wait_for_capacity(&self) -> io::Result<()> {
        self.until(|queued| queued < self.limit).await
    }

    /// Waits until everything is written.
    pub async fn wait_until_written(&self) -> io::Result<()> {
        self.until(|queued| queued == 0).await
    }

    /// Rejects further messages; the write task writes the remaining ones and ends.
    pub(crate) fn close(&self) {
        self.queue().closed = true;
        self.call.notify_one();
        self.closing.notify_one();
    }

    async fn until(&self, enough: impl Fn(usize) -> bool) -> io::Result<()> {
        loop {
            // Register before checking, so that no wake-up is missed.
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
        io::Error::new(io::ErrorKind::TimedOut, "the peer did not read the last messages in time")
    }

    fn fail(&self, error: &io::Error) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.waiting = Vec::new();
        queue.failure = Some((error.kind(), error.to_string()));
        drop(queue);
        self.progress.notify_waiters();
    }

    /// Returns the queue, if messages can still be sent.
    fn open_queue(&self) -> io::Result<MutexGuard<'_, Queue>> {
        let queue = self.queue();
        queue.usable()?;
        if queue.closed {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the transport is closed"));
        }
        Ok(queue)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Every change leaves the queue consistent, so a poisoned lock is harmless.
        lock(&self.queue)
    }
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    /// Writes everything that is queued, unless another sender is writing or the peer is not reading.
    pub fn flush(&self) {
        // Check again after each turn, because a sender that found the stream locked returned without writing.
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

    /// Runs the write task until the queue is closed, then writes the rest for at most `patience`.
    pub(crate) async fn run_write_task(self: Arc<Self>, patience: Duration) -> io::Result<()> {
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
            // Write the messages of senders that returned because the stream was stalled.
            self.flush();
            let queue = self.queue();
            queue.usable()?;
            if queue.closed && queue.queued() == 0 {
                break;
            }
        }
        poll_fn(|context| Pin::new(&mut self.stream().writer).poll_shutdown(context)).await
    }

    /// Writes and flushes everything queued. Ready if the queue is empty or writing failed.
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
    /// Writes and flushes the bytes moved here from the queue.
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

    /// Swaps a written buffer for a buffer with all queued messages; returns false if nothing is queued.
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
