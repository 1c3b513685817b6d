//! The journal of a call: results of `once` are sent to the session, and the call waits until they are saved.

use std::any::Any;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::error::Error as E;
use super::inside::mail::LiveRun;
use super::record::StoredError;
use super::session::{LeaseWatch, LeasedRun, SessionLink};
use super::settings::RetryPolicy;
use genkit_core::BoxFuture;
use genkit_core::RunId;
use genkit_core::internal::context::{Journal, PendingWaits};
use genkit_core::internal::sync::lock;
use genkit_core::{Error, Result};

/// A change that must be saved before a call continues.
pub struct Note {
    /// The index of the call in its round.
    pub(crate) place: usize,
    pub what: NoteContent,
    /// Resolved once the note is saved, or dropped if the work stops.
    pub saved: oneshot::Sender<()>,
}

pub enum NoteContent {
    /// An at-most-once call starts.
    Started,
    /// A result of `once`.
    Once { key: String, done: Value },
    /// The call has published a value.
    Published,
    /// From now on the call only waits.
    Waits,
}

/// The journal of one call.
pub struct CallJournal {
    run: RunId,
    /// The id of the call, which is the same in each process that continues the run. It consists of the run, the
    /// message and the index of the call in the message.
    id: String,
    place: usize,
    notes: mpsc::UnboundedSender<Note>,
    /// The external operation that the call waits for. `None` if the call must not be dropped while it waits.
    rest: Option<Mutex<Option<PendingWaits>>>,
    /// The end of the lease. `None` for a call that is not part of a run yet.
    lease: Option<LeaseWatch>,
    /// The state of the run. `None` for an MCP task.
    pub(crate) live: Option<Arc<LiveRun>>,
    /// The retry policy of model calls inside the call.
    models: RetryPolicy,
    /// The retry policy of the call, and the number of this attempt.
    policy: Option<(RetryPolicy, u32)>,
    /// The wait before the next attempt and the error of this attempt, if the call is retried.
    retry: Mutex<Option<(Duration, StoredError)>>,
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
            live: None,
            models: RetryPolicy::new(),
            policy: None,
            retry: Mutex::default(),
        }
    }

    /// Returns the journal for a call whose side effects start only while this process holds the lease of `session`.
    pub fn with_lease(self, session: &LeasedRun) -> Self {
        Self { lease: Some(session.watch_lease()), ..self }
    }

    /// Returns the journal for a call of a run, which can receive signals and whose side effects need the lease of the
    /// run.
    pub(super) fn for_run(self, link: &SessionLink) -> Self {
        let (lease, live) = (Some(link.lease.clone()), Some(Arc::clone(&link.live)));
        Self { lease, live, models: link.kept.retry_policy(), ..self }
    }

    /// Sets the retry policy of the call, and the number of this attempt.
    pub(super) fn with_policy(self, policy: Option<RetryPolicy>, tries: u32) -> Self {
        Self { policy: policy.map(|policy| (policy, tries)), ..self }
    }

    pub(crate) fn run_id(&self) -> &RunId {
        &self.run
    }

    /// Takes the wait before the next attempt and the error of this attempt. Returns `None` if the call is not retried.
    pub(super) fn take_retry(&self) -> Option<(Duration, StoredError)> {
        lock(&self.retry).take()
    }

    /// Saves the published value of the run.
    pub(crate) fn note_published(&self) -> BoxFuture<'static, Result<()>> {
        self.send_note(NoteContent::Published)
    }

    /// Sets whether the call may be dropped while it only waits, and started again.
    pub(super) fn with_suspension(self, yes: bool) -> Self {
        Self { rest: yes.then(Mutex::default), ..self }
    }

    /// Returns the external operation that the call waits for, if it does nothing else.
    pub(super) fn current_wait(&self) -> Option<PendingWaits> {
        lock(self.rest.as_ref()?).clone()
    }

    /// Saves the start of the call.
    pub(crate) fn note_start(&self) -> BoxFuture<'static, Result<()>> {
        self.send_note(NoteContent::Started)
    }

    fn send_note(&self, what: NoteContent) -> BoxFuture<'static, Result<()>> {
        let (saved, told) = oneshot::channel();
        // If the receiver was dropped, `saved` is dropped as well, and `told` returns an error.
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
            // The channel closes when the session ends.
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
        self.models.wait_after(tries, error)
    }

    fn note_failure(&self, error: &Error) {
        let Some((policy, tries)) = &self.policy else { return };
        let wait = policy.wait_after_function(*tries, error);
        *lock(&self.retry) = wait.map(|wait| (wait, StoredError::from_error(error)));
    }

    fn call_of_run(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.live.as_ref().map(|_| self as _)
    }

    fn record_waits(&self, rest: Option<PendingWaits>) {
        let Some(known) = &self.rest else { return };
        let is_new = {
            let mut known = lock(known);
            let is_new = known.is_none() && rest.is_some();
            *known = rest;
            is_new
        };
        if is_new {
            // The result is not awaited; the note only wakes the driver of the call.
            drop(self.send_note(NoteContent::Waits));
        }
    }
}
