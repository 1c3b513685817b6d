//! The journal of a stream, which stores events before the client reads them, so that the stream can be
//! resumed on any instance.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use rmcp::model::{ErrorData, RequestId};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::{EventId, EventStream, StreamState};
use crate::engine::message;
use crate::error::REFUSED;
use crate::http::session_store::STORE_TIMEOUT;
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::visible::Logged;
use genkit_core::{RunChange, RunId, RunStatus, RunStore, StoredRun};
use genkit_durable::internal::LeasedRun;

/// The duration of the lease of a stream, which is renewed after a third of this time. If an instance dies,
/// the client of a call is notified after this time. Default is 10 seconds.
const STREAM_LEASE: Duration = Duration::from_secs(10);

/// The time that a stream is kept after its last event, if no instance runs its call. Default is 5 minutes.
const STREAM_KEPT: Duration = Duration::from_secs(300);

/// The maximum number of stored bytes of one stream, in addition to the response. Later events can be read only from
/// the instance that runs the call. Default is 1 MiB.
const STORED_BYTES: usize = 1024 * 1024;

/// The stored state of a stream, apart from its events.
#[derive(Serialize, Deserialize)]
struct StreamHead {
    /// The id of the request.
    request: RequestId,
    /// Whether the last event was stored.
    done: bool,
}

/// The journal of one stream, whose call runs in this process.
pub(in super::super) struct StreamJournal {
    stream: Weak<EventStream>,
    state: Mutex<JournalState>,
}

struct JournalState {
    request: RequestId,
    /// `None` if the store has failed, or if another instance has taken over the run.
    run: Option<LeasedRun>,
    bytes: usize,
}

impl StreamJournal {
    /// Stores the messages that a stream has already sent, and each message that it sends later. If the
    /// store fails, the error is logged and the client can resume only on this instance.
    pub(in super::super) async fn open(
        store: &Arc<dyn RunStore>,
        id: RunId,
        request: &RequestId,
        stream: &Arc<EventStream>,
    ) -> Option<Arc<Self>> {
        let state = JournalState { request: request.clone(), run: None, bytes: 0 };
        let journal = Arc::new(Self { stream: Arc::downgrade(stream), state: Mutex::new(state) });
        // Concurrent senders wait for this lock.
        let mut state = journal.state.lock().await;
        let sent = stream.set_journal(Arc::clone(&journal));
        let lines: Vec<String> =
            (1..).zip(&sent).filter_map(|(index, message)| encode_line(index, message)).collect();
        state.bytes = lines.iter().map(String::len).sum();
        let first = state.head_change(false)?.with_log(lines);
        let creating = LeasedRun::create(store, &id, &first, STREAM_LEASE);
        match tokio::time::timeout(STORE_TIMEOUT, creating).await {
            Ok(Ok(run)) => state.run = Some(run),
            Ok(Err(error)) => state.stop_storing(Logged::text(error.chain())),
            Err(_) => state.stop_storing("the store timed out"),
        }
        drop(state);
        Some(journal)
    }

    /// Stores a message and then sends it. Returns `false` if no client will read it.
    pub(super) async fn store_and_send(self: Arc<Self>, message: Bytes) -> bool {
        // Run in a task, because the caller can be dropped at any point, and a stored message must also be
        // sent.
        let sending = tokio::spawn(async move {
            let mut state = self.state.lock().await;
            let Some(stream) = self.stream.upgrade().filter(|stream| !stream.is_finished()) else {
                return false;
            };
            if state.bytes + message.len() <= STORED_BYTES {
                state.bytes += message.len();
                state.store_event(stream.next_index(), Some(&message), false).await;
            }
            stream.send(&message);
            true
        });
        sending.await.unwrap_or(false)
    }

    /// Stores and sends the last message, if any, and ends the stream.
    pub(in super::super) async fn finish(&self, message: Option<&Bytes>) {
        let mut state = self.state.lock().await;
        let Some(stream) = self.stream.upgrade() else { return };
        state.store_event(stream.next_index(), message, true).await;
        stream.finish_stream(message);
        if let Some(run) = state.run.take() {
            run.release().await;
        }
    }

    /// Waits until the lease must be renewed, and renews it.
    pub(in super::super) async fn renew_in_time(&self) {
        tokio::time::sleep(STREAM_LEASE / 3).await;
        let mut state = self.state.lock().await;
        let Some(run) = &mut state.run else { return };
        if let Err(error) = run.renew().await {
            state.stop_storing(Logged::text(error.chain()));
        }
    }
}

impl JournalState {
    async fn store_event(&mut self, index: u64, message: Option<&Bytes>, done: bool) {
        let Some(change) = self.head_change(done) else { return };
        let change = change.with_log(message.and_then(|message| encode_line(index, message)));
        let Some(run) = &mut self.run else { return };
        match tokio::time::timeout(STORE_TIMEOUT, run.save_change(change)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.stop_storing(Logged::text(error.chain())),
            Err(_) => self.stop_storing("the store timed out"),
        }
    }

    fn head_change(&self, done: bool) -> Option<RunChange> {
        change(&StreamHead { request: self.request.clone(), done })
    }

    /// Stops storing events. After that, the client can resume only on this instance.
    fn stop_storing(&mut self, error: impl std::fmt::Display) {
        tracing::warn!(%error, "cannot store the events of a call");
        self.run = None;
    }
}

fn change(head: &StreamHead) -> Option<RunChange> {
    let head = serde_json::to_string(head).ok()?;
    let kept = u64::try_from(STREAM_KEPT.as_millis()).unwrap_or(u64::MAX);
    let until = now_ms().saturating_add(kept);
    Some(RunChange::new(RunStatus::Working, head).with_wake_at_ms(Some(until)))
}

fn encode_line(index: u64, message: &[u8]) -> Option<String> {
    let message = std::str::from_utf8(message).ok()?;
    Some(format!("{index} {message}"))
}

/// A stored stream.
pub(in super::super) struct StoredStream {
    head: StreamHead,
    events: Vec<(u64, Bytes)>,
    pub(in super::super) revision: u64,
}

impl StoredStream {
    /// Parses a stored stream. Returns `None` if it does not have the format of this library.
    pub(in super::super) fn read(stored: StoredRun) -> Option<Self> {
        let head = serde_json::from_str(&stored.head).ok()?;
        let read = |line: String| {
            let (index, message) = line.split_once(' ')?;
            Some((index.parse().ok()?, Bytes::copy_from_slice(message.as_bytes())))
        };
        let events = stored.log.into_iter().map(read).collect::<Option<_>>()?;
        Some(Self { head, events, revision: stored.at.revision })
    }

    /// Returns the index of the last event.
    pub(in super::super) fn last_index(&self) -> u64 {
        self.events.last().map_or(0, |(index, _)| *index)
    }

    /// Returns the events after `index`.
    pub(in super::super) fn events_after(&self, index: u64) -> impl Iterator<Item = &(u64, Bytes)> {
        self.events.iter().filter(move |(own, _)| *own > index)
    }

    /// Returns whether the last event was stored.
    pub(in super::super) fn is_done(&self) -> bool {
        self.head.done
    }

    /// Returns the change that ends the stream of a dead instance, with an error as the response.
    pub(in super::super) fn abandonment_change(&self) -> Option<RunChange> {
        let error = "the server instance that ran this call is gone, and the outcome of the call is unknown; call again \
                     if that is safe";
        let error = ErrorData::new(REFUSED, error, None);
        let answer = message::error_reply(Some(&self.head.request), &error).bytes;
        let done = change(&StreamHead { request: self.head.request.clone(), done: true })?;
        Some(done.with_log(encode_line(self.last_index() + 1, &answer)))
    }
}

impl EventStream {
    /// Creates a stream that continues a stream of another instance after this event.
    pub(in super::super) fn continue_after(after: EventId) -> Self {
        let EventId { stream, index } = after;
        let state = StreamState { number: Some(stream), first: index, ..StreamState::default() };
        let state = StreamState { unread: index, ..state };
        Self { state: std::sync::Mutex::new(state), ..Self::default() }
    }

    /// Sets the journal that stores all later messages, and returns the earlier messages.
    fn set_journal(&self, journal: Arc<StreamJournal>) -> Vec<Bytes> {
        // Hold one lock for both, so that a concurrent message is either returned or stored by the journal.
        let state = self.state();
        let _ = self.journal.set(journal);
        state.events.iter().map(event_message).collect()
    }

    /// Returns the index of the next event.
    fn next_index(&self) -> u64 {
        self.state().last_index() + 1
    }

    /// Sends a message without checking the capacity.
    fn send(&self, message: &Bytes) {
        self.state().push_event(message);
    }
}

/// Returns the message of an event.
fn event_message(event: &Bytes) -> Bytes {
    const DATA: &[u8] = b"data: ";
    let id = match event.starts_with(b"id: ") {
        true => event.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1),
        false => 0,
    };
    event.slice((id + DATA.len()).min(event.len())..event.len().saturating_sub(2))
}

#[cfg(test)]
mod tests {
    use super::super::frame::format_event;
    use super::*;

    #[test]
    fn message_of_an_event_comes_back() {
        let id = EventId { stream: 7, index: 12 };
        for id in [None, Some(id)] {
            assert_eq!(&*event_message(&format_event(id, br#"{"id: ":1}"#)), br#"{"id: ":1}"#);
        }
    }
}
