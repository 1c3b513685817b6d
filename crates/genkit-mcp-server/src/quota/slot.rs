//! The in-flight slot of a running function, which is released while the function waits for a user's answer.

use std::sync::{Arc, Mutex};

use super::book::{QuotaGuard, QuotaLedger};
use super::holder::Claim;
use genkit_core::internal::sync::lock;

/// The slot of a running function. Cheap to clone; released when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct SlotGuard(Arc<SlotState>);

struct SlotState {
    book: Arc<QuotaLedger>,
    claim: Claim,
    now: Mutex<Now>,
}

struct Now {
    held: Option<QuotaGuard>,
    /// The number of open questions of the function.
    waits: usize,
}

/// The released slot of a function that waits for an answer.
#[must_use = "a function that continues needs its slot again: `.resume().await`"]
pub(crate) struct ReleasedSlot(SlotGuard);

impl SlotGuard {
    pub(super) fn new(held: QuotaGuard) -> Self {
        let (book, claim) = (Arc::clone(held.book()), held.claim.clone());
        let now = Mutex::new(Now { held: Some(held), waits: 0 });
        Self(Arc::new(SlotState { book, claim, now }))
    }

    /// Releases the slot until the function resumes.
    pub(crate) fn while_waiting(&self) -> ReleasedSlot {
        let mut now = lock(&self.0.now);
        now.waits += 1;
        // Drop the slot after releasing the lock, because this can wake other functions.
        let held = now.held.take();
        drop(now);
        drop(held);
        ReleasedSlot(self.clone())
    }
}

impl SlotState {
    fn wants_place(&self) -> bool {
        let now = lock(&self.now);
        now.waits == 0 && now.held.is_none()
    }
}

impl ReleasedSlot {
    /// Takes a slot again, waiting for its turn if necessary.
    pub(crate) async fn resume(self) {
        let state = Arc::clone(&self.0.0);
        drop(self);
        if !state.wants_place() {
            return;
        }
        let mut held = match state.book.queue_for_slot(state.claim.clone()) {
            Ok(held) => Some(held),
            Err(turn) => turn.await.ok(),
        };
        // In the meantime, the function may have asked another question, or another answer may have taken a slot.
        if state.wants_place() {
            std::mem::swap(&mut lock(&state.now).held, &mut held);
        }
        drop(held);
    }
}

impl Drop for ReleasedSlot {
    fn drop(&mut self) {
        lock(&self.0.0.now).waits -= 1;
    }
}
