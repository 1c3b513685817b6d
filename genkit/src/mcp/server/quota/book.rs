//! The book of what is taken: one count for each kind, and who waits for a place.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;

use super::bound::{Bound, KINDS, Kind, may_take};
use super::client::SessionQuota;
use super::held::Held;
use crate::sync::lock;

/// What is taken of everything.
pub(super) struct Book {
    bounds: [Bound; KINDS],
    entries: Mutex<Entries>,
    /// Servers behind this one, by their names in its host.
    upstreams: Mutex<HashMap<String, Arc<Upstream>>>,
}

#[derive(Default)]
struct Entries {
    held: [usize; KINDS],
    /// Functions that were answered and want their place again, in their order.
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    claim: Claim,
    granted: oneshot::Sender<Held>,
}

/// What one client, session or server behind holds: written under the lock of the book only.
#[derive(Default)]
pub(super) struct Holdings([AtomicUsize; KINDS]);

impl Holdings {
    pub(super) fn of(&self, kind: Kind) -> usize {
        self.0[kind as usize].load(Ordering::Relaxed)
    }

    fn set(&self, kind: Kind, held: usize) {
        self.0[kind as usize].store(held, Ordering::Relaxed);
    }
}

/// A server behind this one, whose actions are called here.
pub(super) struct Upstream {
    pub(super) name: String,
    holdings: Holdings,
}

/// For whom something is taken.
#[derive(Clone)]
pub(super) struct Claim {
    pub(super) session: Arc<SessionQuota>,
    pub(super) upstream: Option<Arc<Upstream>>,
}

/// Why there is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// All that there is is taken.
    All(usize),
    /// The client holds its share.
    Client(usize),
    /// The session does.
    Session(usize),
    /// The server behind does.
    Upstream(usize),
}

impl Book {
    pub(super) fn new(bounds: [Bound; KINDS]) -> Self {
        Self { bounds, entries: Mutex::default(), upstreams: Mutex::default() }
    }

    pub(super) fn upstream(&self, name: &str) -> Arc<Upstream> {
        let mut upstreams = lock(&self.upstreams);
        if let Some(known) = upstreams.get(name) {
            return Arc::clone(known);
        }
        let new = Upstream { name: name.to_owned(), holdings: Holdings::default() };
        Arc::clone(upstreams.entry(name.to_owned()).or_insert(Arc::new(new)))
    }

    pub(super) fn left(&self, kind: Kind) -> usize {
        self.left_in(&self.entries(), kind)
    }

    pub(super) fn take(&self, kind: Kind, more: usize, claim: &Claim) -> Result<(), Full> {
        let mut entries = self.entries();
        self.may(&entries, kind, more, claim)?;
        move_by(&mut entries, kind, claim, |held| held + more);
        Ok(())
    }

    pub(super) fn give_back(&self, kind: Kind, amount: usize, claim: &Claim) {
        let mut entries = self.entries();
        move_by(&mut entries, kind, claim, |held| held.saturating_sub(amount));
        if kind != Kind::Place || entries.waiting.is_empty() {
            return;
        }
        let granted = self.grant(&mut entries);
        drop(entries);
        for (waiting, held) in granted {
            // One that is not waited for any more is dropped, and given back by that.
            let _ = waiting.send(held);
        }
    }

    /// A place, at once or when it is this one's turn.
    pub(super) fn wait_for_place(&self, claim: &Claim) -> Result<Held, oneshot::Receiver<Held>> {
        let mut entries = self.entries();
        if self.may(&entries, Kind::Place, 1, claim).is_ok() {
            move_by(&mut entries, Kind::Place, claim, |held| held + 1);
            return Ok(Held::taken(Kind::Place, 1, claim.clone()));
        }
        let (granted, receiver) = oneshot::channel();
        entries.waiting.push_back(Waiting { claim: claim.clone(), granted });
        Err(receiver)
    }

    /// Places for those that wait, as far as there are any for them.
    fn grant(&self, entries: &mut Entries) -> Vec<(oneshot::Sender<Held>, Held)> {
        let mut granted = Vec::new();
        for _ in 0..entries.waiting.len() {
            let Some(next) = entries.waiting.pop_front() else { break };
            if next.granted.is_closed() {
                continue;
            }
            if self.may(entries, Kind::Place, 1, &next.claim).is_err() {
                entries.waiting.push_back(next);
                continue;
            }
            move_by(entries, Kind::Place, &next.claim, |held| held + 1);
            granted.push((next.granted, Held::taken(Kind::Place, 1, next.claim)));
        }
        granted
    }

    fn may(&self, entries: &Entries, kind: Kind, more: usize, claim: &Claim) -> Result<(), Full> {
        let bound = self.bounds[kind as usize];
        let left = self.left_in(entries, kind);
        if more > left {
            return Err(Full::All(bound.total));
        }
        if let Some(upstream) = &claim.upstream {
            let held = upstream.holdings.of(kind);
            if !may_take(held, more, left, bound.floor) {
                return Err(Full::Upstream(held));
            }
        }
        let (session, client) = (&claim.session, claim.session.client());
        let held = session.holdings().of(kind);
        let of_client = client.holdings().of(kind);
        if client.shares() && bound.shared && !may_take(of_client, more, left, bound.floor) {
            return Err(Full::Client(of_client));
        }
        // What its client may still have, of which the others of that client want some, too.
        let room = match client.shares() {
            true => left.max(bound.floor).saturating_sub(of_client),
            false => left,
        };
        let fits = match bound.session {
            Some(cap) if session.is_session() => held.saturating_add(more) <= cap,
            _ if !bound.shared || !session.shares() => true,
            _ => held.saturating_add(more) <= room.max(bound.floor),
        };
        if fits { Ok(()) } else { Err(Full::Session(held)) }
    }

    fn left_in(&self, entries: &Entries, kind: Kind) -> usize {
        self.bounds[kind as usize].total.saturating_sub(entries.held[kind as usize])
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        lock(&self.entries)
    }
}

fn move_by(entries: &mut Entries, kind: Kind, claim: &Claim, by: impl Fn(usize) -> usize) {
    let total = &mut entries.held[kind as usize];
    *total = by(*total);
    let session = &claim.session;
    for holdings in [session.holdings(), session.client().holdings()] {
        holdings.set(kind, by(holdings.of(kind)));
    }
    if let Some(upstream) = &claim.upstream {
        upstream.holdings.set(kind, by(upstream.holdings.of(kind)));
    }
}
