//! Who holds something: a client, a session, a server behind this one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bound::{KINDS, Kind};

/// How much one of them holds of each kind: written under the lock of the book only.
#[derive(Default)]
pub(super) struct Holder {
    pub(super) held: [AtomicUsize; KINDS],
    /// Whether others of its kind want some, too.
    pub(super) shares: bool,
    /// Whether it is a session, which has bounds of its own.
    pub(super) is_session: bool,
}

impl Holder {
    pub(super) fn of(&self, kind: Kind) -> usize {
        self.held[kind as usize].load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, kind: Kind, held: usize) {
        self.held[kind as usize].store(held, Ordering::Relaxed);
    }
}

/// For whom something is taken.
#[derive(Clone)]
pub(super) struct Claim {
    pub(super) client: Arc<Holder>,
    pub(super) session: Arc<Holder>,
    /// The server behind this one whose action is called.
    pub(super) upstream: Option<Arc<Holder>>,
}

impl Claim {
    pub(super) fn holders(&self) -> impl Iterator<Item = &Holder> {
        [&self.client, &self.session].into_iter().chain(&self.upstream).map(AsRef::as_ref)
    }
}
