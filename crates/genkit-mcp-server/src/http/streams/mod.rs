//! Streams of events: what is said before an answer, kept for who lost the connection. No IO.

mod body;
mod frame;
#[cfg(feature = "durable")]
mod journal;
mod kept;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
#[cfg(feature = "durable")]
use std::sync::Arc;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

pub(super) use self::body::{AnswerBody, Driver, EventBody, Events};
pub(super) use self::frame::{EventId, priming};
#[cfg(feature = "durable")]
pub(super) use self::journal::{StoredStream, StreamJournal};
pub(super) use self::kept::KeptStreams;
use crate::engine::Outward;
use genkit_core::BoxFuture;
use genkit_core::internal::sync::lock;

/// How many bytes a stream may have that its client has not read, beside one message. Default is
/// 256 KiB; who says more waits.
const UNREAD_BYTES: usize = 256 * 1024;

/// How many bytes of a stream are kept for who comes back, beside one message. Default is 64 KiB.
const KEPT_BYTES: usize = 64 * 1024;

/// How many events of a stream are kept for who comes back. Default is 128.
const KEPT_EVENTS: usize = 128;

/// What one request says before its answer, and the answer where it is not alone.
#[derive(Default)]
pub(super) struct EventStream {
    state: Mutex<StreamState>,
    /// Somebody may say more.
    room: Notify,
    /// Where its events are stored, if they are.
    #[cfg(feature = "durable")]
    journal: std::sync::OnceLock<Arc<StreamJournal>>,
}

#[derive(Default)]
struct StreamState {
    /// The number by which a client comes back to it; `None` is never.
    number: Option<u64>,
    /// Framed, without what was forgotten.
    events: VecDeque<Bytes>,
    /// The index of the first one.
    first: u64,
    bytes: usize,
    /// The index of the first one that is not read.
    unread: u64,
    unread_bytes: usize,
    /// Who reads it, counted up with each that comes back.
    reader: u64,
    /// Since when nobody reads it, once somebody did.
    left: Option<Instant>,
    /// Questions that went this way and are not answered.
    questions: usize,
    /// Nothing more comes.
    is_finished: bool,
    waker: Option<Waker>,
}

/// What a reader gets.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    Event(Bytes),
    /// Nothing more comes.
    End,
    /// Somebody else reads it now.
    Displaced,
    /// Nothing is there now.
    Nothing,
}

/// What became of a message.
#[derive(Debug, PartialEq)]
enum Saying {
    /// Whether somebody will read it.
    Ended(bool),
    /// The journal must have it first.
    #[cfg(feature = "durable")]
    Journaled,
    /// There is no room yet.
    NoRoom,
}

impl EventStream {
    /// Of a stream that may be come back to under this number.
    pub(super) fn with_number(number: u64) -> Self {
        let state = StreamState { number: Some(number), ..StreamState::default() };
        Self { state: Mutex::new(state), ..Self::default() }
    }

    /// What another instance has from this event on.
    #[cfg(feature = "durable")]
    pub(super) fn continued(after: EventId) -> Self {
        let EventId { stream, index } = after;
        let state = StreamState { number: Some(stream), first: index, ..StreamState::default() };
        let state = StreamState { unread: index, ..state };
        Self { state: Mutex::new(state), ..Self::default() }
    }

    /// What it says is stored from now on; what it has said comes back.
    #[cfg(feature = "durable")]
    fn journaled(&self, journal: Arc<StreamJournal>) -> Vec<Bytes> {
        // Under one lock: what is said meanwhile is in one of both.
        let state = self.state();
        let _ = self.journal.set(journal);
        state.events.iter().map(frame::message_of).collect()
    }

    /// The index of the next event.
    #[cfg(feature = "durable")]
    fn next_index(&self) -> u64 {
        self.state().end() + 1
    }

    /// Says a message, for which room was found.
    #[cfg(feature = "durable")]
    fn say(&self, message: &Bytes) {
        self.state().push(message);
    }

    fn state(&self) -> MutexGuard<'_, StreamState> {
        lock(&self.state)
    }

    /// Whether anything was said; who asks is woken when it is.
    pub(super) fn poll_said(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.end() > 0 {
            return Poll::Ready(());
        }
        state.wait(cx);
        Poll::Pending
    }

    /// Whether anything was said.
    pub(super) fn has_said(&self) -> bool {
        self.state().end() > 0
    }

    /// Lets a client come back to it, once.
    pub(super) fn number(&self, number: u64) {
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

    /// Says a message, if there is room for it.
    fn try_say(&self, message: &Bytes) -> Saying {
        let mut state = self.state();
        match state.has_room(message) {
            None => Saying::NoRoom,
            Some(false) => Saying::Ended(false),
            #[cfg(feature = "durable")]
            Some(true) if self.journal.get().is_some() => Saying::Journaled,
            Some(true) => {
                state.push(message);
                Saying::Ended(true)
            }
        }
    }

    /// Says the last message, for which there is always room.
    pub(super) fn finish(&self, message: Option<&Bytes>) {
        let mut state = self.state();
        if let Some(message) = message {
            state.push(message);
        }
        state.is_finished = true;
        state.wake();
        drop(state);
        self.room.notify_waiters();
    }

    /// Whether all was said.
    pub(super) fn is_finished(&self) -> bool {
        self.state().is_finished
    }

    /// Since when nobody reads it, if its request waits for an answer of the client.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        let state = self.state();
        state.left.filter(|_| state.questions > 0)
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.state().bytes
    }

    /// A reader who has read the first `index` events; an earlier one reads no more.
    pub(super) fn read_from(&self, index: u64) -> u64 {
        let mut state = self.state();
        state.reader += 1;
        state.left = None;
        state.unread = index.clamp(state.first, state.end());
        let read = usize::try_from(state.unread - state.first).unwrap_or(usize::MAX);
        state.unread_bytes = state.events.iter().skip(read).map(Bytes::len).sum();
        state.wake();
        state.reader
    }

    /// How many events were read.
    pub(super) fn read(&self) -> u64 {
        self.state().unread
    }

    /// What comes next for a reader, who is woken when there is more.
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
        state.forget_read();
        drop(state);
        self.room.notify_waiters();
        Read::Event(event)
    }

    /// A reader is gone. Whether it was the one who reads.
    pub(super) fn leave(&self, reader: u64) -> bool {
        let mut state = self.state();
        if state.reader != reader || state.left.is_some() {
            return false;
        }
        state.left = Some(Instant::now());
        // It is that of a connection, of which nothing stays.
        state.waker = None;
        state.forget_read();
        drop(state);
        self.room.notify_waiters();
        true
    }
}

impl StreamState {
    fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Whether somebody will read a message; `None` where there is no room for it yet.
    fn has_room(&self, message: &Bytes) -> Option<bool> {
        if self.is_finished || (self.left.is_some() && self.number.is_none()) {
            return Some(false);
        }
        let is_full = self.left.is_none()
            && self.unread_bytes > 0
            && self.unread_bytes + message.len() > UNREAD_BYTES;
        (!is_full).then_some(true)
    }

    fn push(&mut self, message: &Bytes) {
        let id = self.number.map(|stream| EventId { stream, index: self.end() + 1 });
        let event = frame::event(id, message);
        self.bytes += event.len();
        self.unread_bytes += event.len();
        self.events.push_back(event);
        self.forget_read();
        self.wake();
    }

    /// Forgets the oldest that nobody needs: without a number all that was read, else what is more than
    /// is kept for who comes back. What is unread goes only where nobody reads.
    fn forget_read(&mut self) {
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
    fn send(&self, message: Bytes) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            loop {
                let mut room = std::pin::pin!(self.room.notified());
                room.as_mut().enable();
                match self.try_say(&message) {
                    Saying::Ended(said) => return said,
                    #[cfg(feature = "durable")]
                    Saying::Journaled => match self.journal.get() {
                        Some(journal) => return Arc::clone(journal).say(message).await,
                        None => continue,
                    },
                    Saying::NoRoom => {}
                }
                room.await;
            }
        })
    }

    fn waits(&self, more: bool) {
        let mut state = self.state();
        state.questions = state.questions.saturating_add_signed(if more { 1 } else { -1 });
    }
}
