//! The journal of a call: what it did by `once` goes to the session that saves it, and the call waits for that.

use std::sync::Mutex;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::error::Error as E;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::RunId;
use genkit_core::internal::context::{Journal, Rest};
use genkit_core::internal::sync::lock;

/// What a call wants saved before it goes on.
pub struct Note {
    /// Its place in its round.
    pub(crate) place: usize,
    pub what: Noted,
    /// Told once it is saved; dropped where the work stops.
    pub saved: oneshot::Sender<()>,
}

pub enum Noted {
    /// It begins, and must not begin twice.
    Started,
    /// It did this.
    Once { key: String, done: Value },
    /// It only waits, from now on.
    Rests,
}

/// The journal of one call.
pub struct CallJournal {
    run: RunId,
    /// The same in each life of the run: its id, the message and the place in it.
    id: String,
    place: usize,
    notes: mpsc::UnboundedSender<Note>,
    /// What it waits for, where it may be let go meanwhile.
    rest: Option<Mutex<Option<Rest>>>,
}

impl CallJournal {
    pub fn new(
        run: &RunId,
        (index, place): (usize, usize),
        notes: mpsc::UnboundedSender<Note>,
    ) -> Self {
        Self { run: run.clone(), id: format!("{run}/{index}/{place}"), place, notes, rest: None }
    }

    /// The same, of a call that may be let go while it only waits, and begun again.
    pub(super) fn that_may_rest(self, yes: bool) -> Self {
        Self { rest: yes.then(Mutex::default), ..self }
    }

    /// What it waits for, while it does nothing else.
    pub(super) fn rest(&self) -> Option<Rest> {
        lock(self.rest.as_ref()?).clone()
    }

    /// Saves that the call begins.
    pub(crate) fn start(&self) -> BoxFuture<'static, Result<()>> {
        self.send(Noted::Started)
    }

    fn send(&self, what: Noted) -> BoxFuture<'static, Result<()>> {
        let (saved, told) = oneshot::channel();
        // Where nobody reads it any more, `saved` is dropped, which `told` says.
        let _ = self.notes.send(Note { place: self.place, what, saved });
        let run = self.run.to_string();
        Box::pin(async move { told.await.map_err(|_| E::Lost(run).into()) })
    }
}

impl Journal for CallJournal {
    fn id(&self) -> &str {
        &self.id
    }

    fn save(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        self.send(Noted::Once { key: key.to_owned(), done: done.clone() })
    }

    fn rests(&self, rest: Option<Rest>) {
        let Some(known) = &self.rest else { return };
        let is_new = {
            let mut known = lock(known);
            let is_new = known.is_none() && rest.is_some();
            *known = rest;
            is_new
        };
        if is_new {
            // Nobody waits for it: it wakes whoever drives the call.
            drop(self.send(Noted::Rests));
        }
    }
}
