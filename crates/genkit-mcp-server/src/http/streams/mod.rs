//! Streams of events: the messages sent before a response, retained so that a client can resume after a lost
//! connection. Performs no I/O.

mod body;
mod frame;
#[cfg_attr(not(feature = "durable"), path = "journal_off.rs")]
mod journal;
mod retained;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

pub(super) use self::body::{AnswerBody, Driver, EventBody, Events};
pub(super) use self::frame::{EventId, priming_event};
#[cfg(feature = "durable")]
pub(super) use self::journal::StoredStream;
pub(super) use self::journal::StreamJournal;
pub(super) use self::retained::RetainedStreams;
use crate::engine::Outward;
use genkit_core::BoxFuture;
use genkit_core::internal::sync::lock;

/// The maximum number of unread bytes in a stream, in addition to one message; then the sender waits. Default is 256
/// KiB.
const UNREAD_BYTES: usize = 256 * 1024;

/// The maximum number of bytes of a stream that are kept for resumption, in addition to one message.
/// Default is 64 KiB.
const KEPT_BYTES: usize = 64 * 1024;

/// The maximum number of events of a stream that are kept for resumption. Default is 128.
const KEPT_EVENTS: usize = 128;

/// The messages that a request sends before its response, and the response if it is part of the stream.
#[derive(Default)]
pub(super) struct EventStream {
    state: Mutex<StreamState>,
    /// Notified when there may be capacity for another message.
    room: Notify,
    /// The journal, if the events are stored.
    journal: std::sync::OnceLock<Arc<StreamJournal>>,
}

#[derive(Default)]
struct StreamState {
    /// The number with which a client resumes the stream; `None` if it cannot be resumed.
    number: Option<u64>,
    /// The framed events, except discarded events.
    events: VecDeque<Bytes>,
    /// The index of the first event.
    first: u64,
    bytes: usize,
    /// The index of the first unread event.
    unread: u64,
    unread_bytes: usize,
    /// The number of the current reader, incremented each time the stream is resumed.
    reader: u64,
    /// The time at which the last reader disconnected; `None` while there is a reader, and before the first reader.
    left: Option<Instant>,
    /// The number of unanswered questions that were sent in this stream.
    questions: usize,
    /// Whether the last message was sent.
    is_finished: bool,
    waker: Option<Waker>,
}

/// The result of a read.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    Event(Bytes),
    /// The stream has ended.
    End,
    /// Another reader has replaced this reader.
    Displaced,
    /// No event is available yet.
    Nothing,
}

/// The outcome of sending a message.
#[derive(Debug, PartialEq)]
enum SendOutcome {
    /// The message was handled. Contains whether a client will read it.
    Ended(bool),
    /// The journal must store the message first.
    Journaled,
    /// The stream is currently full.
    Full,
}

impl EventStream {
    /// Creates a stream that can be resumed under this number.
    pub(super) fn with_number(number: u64) -> Self {
        let state = StreamState { number: Some(number), ..StreamState::default() };
        Self { state: Mutex::new(state), ..Self::default() }
    }

    fn state(&self) -> MutexGuard<'_, StreamState> {
        lock(&self.state)
    }

    /// Returns ready when any message has been sent; otherwise, the task is woken when one is sent.
    pub(super) fn poll_has_events(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.last_index() > 0 {
            return Poll::Ready(());
        }
        state.wait(cx);
        Poll::Pending
    }

    /// Returns whether any message was sent.
    pub(super) fn has_events(&self) -> bool {
        self.state().last_index() > 0
    }

    /// Assigns the number with which a client can resume the stream, and adds ids to the existing events.
    pub(super) fn make_resumable(&self, number: u64) {
        let mut state = self.state();
        if state.number.replace(number).is_some() {
            return;
        }
        let first = state.first;
        for (index, event) in (first + 1..).zip(&mut state.events) {
            *event = frame::with_id(EventId { stream: number, index }, event);
        }
        state.bytes = state.events.iter().map(Bytes::len).sum();
        let read = usize::try_from(state.unread - first).unwrap_or(usize::MAX);
        state.unread_bytes = state.events.iter().skip(read).map(Bytes::len).sum();
    }

    /// Sends a message if there is capacity for it.
    fn try_send(&self, message: &Bytes) -> SendOutcome {
        let mut state = self.state();
        match state.will_be_read(message) {
            None => SendOutcome::Full,
            Some(false) => SendOutcome::Ended(false),
            Some(true) if self.journal.get().is_some() => SendOutcome::Journaled,
            Some(true) => {
                state.push_event(message);
                SendOutcome::Ended(true)
            }
        }
    }

    /// Sends the last message, regardless of capacity.
    pub(super) fn finish_stream(&self, message: Option<&Bytes>) {
        let mut state = self.state();
        if let Some(message) = message {
            state.push_event(message);
        }
        state.is_finished = true;
        state.wake();
        drop(state);
        self.room.notify_waiters();
    }

    /// Returns whether the last message was sent.
    pub(super) fn is_finished(&self) -> bool {
        self.state().is_finished
    }

    /// Returns the time at which the last reader disconnected, if the request waits for an answer from the client.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        let state = self.state();
        state.left.filter(|_| state.questions > 0)
    }

    /// Returns the number of bytes that are kept.
    pub(super) fn kept_bytes(&self) -> usize {
        self.state().bytes
    }

    /// Adds a reader that has read the first `index` events. It replaces earlier readers.
    pub(super) fn read_from(&self, index: u64) -> u64 {
        let mut state = self.state();
        state.reader += 1;
        state.left = None;
        state.unread = index.clamp(state.first, state.last_index());
        let read = usize::try_from(state.unread - state.first).unwrap_or(usize::MAX);
        state.unread_bytes = state.events.iter().skip(read).map(Bytes::len).sum();
        state.wake();
        state.reader
    }

    /// Returns the number of events that were read.
    pub(super) fn read(&self) -> u64 {
        self.state().unread
    }

    /// Returns the next event for a reader, which is woken when an event is available.
    pub(super) fn poll_read(&self, reader: u64, cx: &Context<'_>) -> Read {
        let mut state = self.state();
        if state.reader != reader {
            return Read::Displaced;
        }
        let place = usize::try_from(state.unread - state.first).unwrap_or(usize::MAX);
        let Some(event) = state.events.get(place).cloned() else {
            if state.is_finished {
                return Read::End;
            }
            state.wait(cx);
            return Read::Nothing;
        };
        state.unread += 1;
        state.unread_bytes -= event.len();
        state.discard_read();
        drop(state);
        self.room.notify_waiters();
        Read::Event(event)
    }

    /// Removes a reader. Returns whether it was the current reader.
    pub(super) fn remove_reader(&self, reader: u64) -> bool {
        let mut state = self.state();
        if state.reader != reader || state.left.is_some() {
            return false;
        }
        state.left = Some(Instant::now());
        // The waker belongs to the closed connection.
        state.waker = None;
        state.discard_read();
        drop(state);
        self.room.notify_waiters();
        true
    }
}

impl StreamState {
    fn last_index(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Returns whether a client will read a message; `None` if the stream is currently full.
    fn will_be_read(&self, message: &Bytes) -> Option<bool> {
        if self.is_finished || (self.left.is_some() && self.number.is_none()) {
            return Some(false);
        }
        let is_full = self.left.is_none()
            && self.unread_bytes > 0
            && self.unread_bytes + message.len() > UNREAD_BYTES;
        (!is_full).then_some(true)
    }

    fn push_event(&mut self, message: &Bytes) {
        let id = self.number.map(|stream| EventId { stream, index: self.last_index() + 1 });
        let event = frame::format_event(id, message);
        self.bytes += event.len();
        self.unread_bytes += event.len();
        self.events.push_back(event);
        self.discard_read();
        self.wake();
    }

    /// Discards the oldest unneeded events: all read events if the stream has no number, otherwise the events that
    /// exceed the limits for resumption. Unread events are discarded only after the reader has disconnected.
    fn discard_read(&mut self) {
        while let Some(oldest) = self.events.front() {
            let is_unread = self.first == self.unread;
            let is_kept = self.number.is_some()
                && (self.events.len() == 1
                    || (self.bytes <= KEPT_BYTES && self.events.len() <= KEPT_EVENTS));
            if is_kept || (is_unread && self.left.is_none()) {
                return;
            }
            self.bytes -= oldest.len();
            if is_unread {
                self.unread_bytes -= oldest.len();
                self.unread += 1;
            }
            self.first += 1;
            self.events.pop_front();
        }
    }

    fn wait(&mut self, cx: &Context<'_>) {
        match &mut self.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            None => self.waker = Some(cx.waker().clone()),
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Outward for EventStream {
    fn send_line(&self, message: Bytes) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            loop {
                let mut room = std::pin::pin!(self.room.notified());
                room.as_mut().enable();
                match self.try_send(&message) {
                    SendOutcome::Ended(sent) => return sent,
                    SendOutcome::Journaled => match self.journal.get() {
                        Some(journal) => return Arc::clone(journal).store_and_send(message).await,
                        None => continue,
                    },
                    SendOutcome::Full => {}
                }
                room.await;
            }
        })
    }

    fn count_waiting(&self, more: bool) {
        let mut state = self.state();
        state.questions = state.questions.saturating_add_signed(if more { 1 } else { -1 });
    }
}
