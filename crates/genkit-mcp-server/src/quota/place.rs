//! A place of a running function, which is given back while a person is asked.

use std::sync::{Arc, Mutex};

use super::book::{Book, Held};
use super::holder::Claim;
use genkit_core::internal::sync::lock;

/// A running function: cheap to clone, given back when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct HeldPlace(Arc<PlaceState>);

struct PlaceState {
    book: Arc<Book>,
    claim: Claim,
    now: Mutex<Now>,
}

struct Now {
    held: Option<Held>,
    /// How many questions of the function are open.
    waits: usize,
}

/// A function that waits for a person and holds no place meanwhile.
#[must_use = "a function that goes on takes its place again: `.resume().await`"]
pub(crate) struct Paused(HeldPlace);

impl HeldPlace {
    pub(super) fn new(held: Held) -> Self {
        let (book, claim) = (Arc::clone(held.book()), held.claim.clone());
        let now = Mutex::new(Now { held: Some(held), waits: 0 });
        Self(Arc::new(PlaceState { book, claim, now }))
    }

    /// Gives the place back until the function goes on.
    pub(crate) fn while_waiting(&self) -> Paused {
        let mut now = lock(&self.0.now);
        now.waits += 1;
        // What is dropped may wake others: not under the lock.
        let held = now.held.take();
        drop(now);
        drop(held);
        Paused(self.clone())
    }
}

impl PlaceState {
    fn wants_place(&self) -> bool {
        let now = lock(&self.now);
        now.waits == 0 && now.held.is_none()
    }
}

impl Paused {
    /// Takes a place again, which may have to wait for its turn.
    pub(crate) async fn resume(self) {
        let state = Arc::clone(&self.0.0);
        drop(self);
        if !state.wants_place() {
            return;
        }
        let mut held = match state.book.place_in_turn(state.claim.clone()) {
            Ok(held) => Some(held),
            Err(turn) => turn.await.ok(),
        };
        // Another of its questions may have been asked or answered meanwhile.
        if state.wants_place() {
            std::mem::swap(&mut lock(&state.now).held, &mut held);
        }
        drop(held);
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        lock(&self.0.0.now).waits -= 1;
    }
}
