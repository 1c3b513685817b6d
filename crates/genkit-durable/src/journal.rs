//! The journal of a call: results of `once` are sent to the session, and the call waits until they are saved.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::error::Error as E;
use super::limits::{STEP_TRIES, step_wait};
use super::session::{LeaseWatch, LeasedRun};
use genkit_core::BoxFuture;
use genkit_core::RunId;
use genkit_core::internal::context::{Journal, Rest};
use genkit_core::internal::sync::lock;
use genkit_core::{Error, Result};

/// Something that a call has to save before it continues.
pub struct Note {
    /// The index of the call in its round.
    pub(crate) place: usize,
    pub what: NoteContent,
    /// Notified once the note is saved, and dropped if the work stops.
    pub saved: oneshot::Sender<()>,
}

pub enum NoteContent {
    /// An at-most-once call starts.
    Started,
    /// A result of `once`.
    Once { key: String, done: Value },
    /// From now on the call only waits.
    Rests,
}

/// The journal of one call.
pub struct CallJournal {
    run: RunId,
    /// The id, which is the same in each process that continues the run: the run, the message and the index in it.
    id: String,
    place: usize,
    notes: mpsc::UnboundedSender<Note>,
    /// The external operation that the call waits for, if the call may be dropped while it waits.
    rest: Option<Mutex<Option<Rest>>>,
    /// The end of the lease. `None` for a call that is not a run yet.
    lease: Option<LeaseWatch>,
}

impl CallJournal {
    pub fn new(
        run: &RunId,
        (index, place): (usize, usize),
        notes: mpsc::UnboundedSender<Note>,
    ) -> Self {
        Self {
            run: run.clone(),
            id: format!("{run}/{index}/{place}"),
            place,
            notes,
            rest: None,
            lease: None,
        }
    }

    /// Lets effects start only while this process has the lease of `session`.
    pub fn under_lease_of(self, session: &LeasedRun) -> Self {
        self.under_lease(session.watch_lease())
    }

    /// Lets effects start only before the end of this lease.
    pub(super) fn under_lease(self, lease: LeaseWatch) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// Sets whether the call may be dropped while it only waits, and started again.
    pub(super) fn that_may_rest(self, yes: bool) -> Self {
        Self { rest: yes.then(Mutex::default), ..self }
    }

    /// Returns the reason why the call waits, if it does nothing else.
    pub(super) fn current_rest(&self) -> Option<Rest> {
        lock(self.rest.as_ref()?).clone()
    }

    /// Saves that the call starts.
    pub(crate) fn note_start(&self) -> BoxFuture<'static, Result<()>> {
        self.send_note(NoteContent::Started)
    }

    fn send_note(&self, what: NoteContent) -> BoxFuture<'static, Result<()>> {
        let (saved, told) = oneshot::channel();
        // If the receiver is gone, `saved` is dropped, and `told` returns an error.
        let _ = self.notes.send(Note { place: self.place, what, saved });
        let run = self.run.to_string();
        Box::pin(async move { told.await.map_err(|_| E::Lost(run).into()) })
    }
}

impl Journal for CallJournal {
    fn id(&self) -> &str {
        &self.id
    }

    fn save_result(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        self.send_note(NoteContent::Once { key: key.to_owned(), done: done.clone() })
    }

    fn begin_effect(&self) -> BoxFuture<'static, Result<()>> {
        let (lease, run) = (self.lease.clone(), self.run.to_string());
        Box::pin(async move {
            let Some(mut lease) = lease else { return Ok(()) };
            // The session is gone if its end cannot be observed.
            while lease.has_changed().is_ok() {
                if Instant::now() < *lease.borrow_and_update() {
                    return Ok(());
                }
                if lease.changed().await.is_err() {
                    break;
                }
            }
            Err(E::Lost(run).into())
        })
    }

    fn retry_wait(&self, tries: u32, error: &Error) -> Option<Duration> {
        (error.is_retryable() && tries < STEP_TRIES).then(|| step_wait(tries, error.retry_after()))
    }

    fn note_rest(&self, rest: Option<Rest>) {
        let Some(known) = &self.rest else { return };
        let is_new = {
            let mut known = lock(known);
            let is_new = known.is_none() && rest.is_some();
            *known = rest;
            is_new
        };
        if is_new {
            // The result is not awaited; the note only wakes the driver of the call.
            drop(self.send_note(NoteContent::Rests));
        }
    }
}
