//! The holders of shared resources: clients, sessions and upstream servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bound::{KINDS, Kind};

/// The amounts that a holder holds, by kind. Written only while the ledger is locked.
#[derive(Default)]
pub(super) struct Holder {
    pub(super) held: [AtomicUsize; KINDS],
    /// Whether the sharing rule applies to this holder.
    pub(super) shares: bool,
    /// Whether this is a session, which has its own limits.
    pub(super) is_session: bool,
}

impl Holder {
    pub(super) fn amount_held(&self, kind: Kind) -> usize {
        self.held[kind as usize].load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, kind: Kind, held: usize) {
        self.held[kind as usize].store(held, Ordering::Relaxed);
    }
}

/// The holders that a resource is counted for.
#[derive(Clone)]
pub(super) struct Claim {
    pub(super) client: Arc<Holder>,
    pub(super) session: Arc<Holder>,
    /// The upstream server whose action is called.
    pub(super) upstream: Option<Arc<Holder>>,
}

impl Claim {
    pub(super) fn holders(&self) -> impl Iterator<Item = &Holder> {
        [&self.client, &self.session].into_iter().chain(&self.upstream).map(AsRef::as_ref)
    }
}
