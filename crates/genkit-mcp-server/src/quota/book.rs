//! The ledger of quotas: the amounts in use of each kind, and the functions that wait for an in-flight slot.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::bound::{Bound, KINDS, Kind};
use super::holder::{Claim, Holder};
use super::question::OpenQuestions;
use crate::error::Error as E;
use genkit_core::internal::fair_share::can_take;
use genkit_core::internal::sync::lock;

/// The ledger of all amounts that clients hold.
pub(super) struct QuotaLedger {
    bounds: [Bound; KINDS],
    entries: Mutex<Entries>,
    /// The upstream servers, by their name in the host.
    upstreams: Mutex<HashMap<String, Arc<Holder>>>,
}

#[derive(Default)]
struct Entries {
    held: [usize; KINDS],
    /// The functions whose question was answered and that wait for a slot again, in order.
    waiting: VecDeque<Waiting>,
    questions: OpenQuestions,
}

struct Waiting {
    claim: Claim,
    granted: oneshot::Sender<QuotaGuard>,
}

/// The reason why a quota is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// The total is in use. Contains the total.
    All(usize),
    /// The client holds its share. Contains that amount.
    Client(usize),
    /// The session holds its share.
    Session(usize),
    /// The upstream server holds its share.
    Upstream(usize),
}

/// An amount of a shared resource, held for a client and returned on drop.
#[must_use = "dropping it returns the amount"]
pub(crate) struct QuotaGuard {
    book: Arc<QuotaLedger>,
    kind: Kind,
    amount: usize,
    pub(super) claim: Claim,
}

/// A question to a client, counted until it is dropped.
#[must_use = "dropping it ends the count"]
pub(crate) struct QuestionGuard {
    book: Arc<QuotaLedger>,
    number: u64,
    gives_way: CancellationToken,
}

impl QuotaLedger {
    pub(super) fn new(bounds: [Bound; KINDS]) -> Self {
        Self { bounds, entries: Mutex::default(), upstreams: Mutex::default() }
    }

    pub(super) fn upstream(&self, name: &str) -> Arc<Holder> {
        let mut upstreams = lock(&self.upstreams);
        if let Some(known) = upstreams.get(name) {
            return Arc::clone(known);
        }
        Arc::clone(upstreams.entry(name.to_owned()).or_default())
    }

    pub(super) fn count_left(&self, kind: Kind) -> usize {
        self.left_in(&self.entries(), kind)
    }

    pub(super) fn take_quota(
        self: &Arc<Self>,
        kind: Kind,
        amount: usize,
        claim: Claim,
    ) -> Result<QuotaGuard, Full> {
        self.count_held(&mut self.entries(), kind, amount, &claim)?;
        Ok(QuotaGuard { book: Arc::clone(self), kind, amount, claim })
    }

    /// Returns a slot if one is available, or else a receiver that resolves to the slot once it is granted.
    pub(super) fn queue_for_slot(
        self: &Arc<Self>,
        claim: Claim,
    ) -> Result<QuotaGuard, oneshot::Receiver<QuotaGuard>> {
        let mut entries = self.entries();
        if self.count_held(&mut entries, Kind::Slot, 1, &claim).is_ok() {
            return Ok(QuotaGuard { book: Arc::clone(self), kind: Kind::Slot, amount: 1, claim });
        }
        let (granted, receiver) = oneshot::channel();
        entries.waiting.push_back(Waiting { claim, granted });
        Err(receiver)
    }

    /// Counts a question. If a limit is reached, ends an older question to make room.
    pub(super) fn open_question(self: &Arc<Self>, claim: Claim) -> Result<QuestionGuard, Full> {
        let mut entries = self.entries();
        if let Err(full) = self.count_held(&mut entries, Kind::Question, 1, &claim) {
            let of_its_client = match full {
                Full::All(_) => false,
                Full::Client(_) => true,
                Full::Session(_) | Full::Upstream(_) => return Err(full),
            };
            let ended = entries.questions.end_one_for(&claim, of_its_client).ok_or(full)?;
            entries.uncount(Kind::Question, 1, &ended);
            self.count_held(&mut entries, Kind::Question, 1, &claim)?;
        }
        let (number, gives_way) = entries.questions.add(claim);
        Ok(QuestionGuard { book: Arc::clone(self), number, gives_way })
    }

    fn close_question(&self, number: u64) {
        let mut entries = self.entries();
        if let Some(claim) = entries.questions.remove_question(number) {
            entries.uncount(Kind::Question, 1, &claim);
        }
    }

    fn give_back(self: &Arc<Self>, kind: Kind, amount: usize, claim: &Claim) {
        let mut entries = self.entries();
        entries.uncount(kind, amount, claim);
        if kind != Kind::Slot || entries.waiting.is_empty() {
            return;
        }
        let granted = self.grant_slots(&mut entries);
        drop(entries);
        for (waiting, held) in granted {
            // If the receiver was dropped, the slot is dropped too, which releases it.
            let _ = waiting.send(held);
        }
    }

    /// Grants available slots to waiting functions.
    fn grant_slots(
        self: &Arc<Self>,
        entries: &mut Entries,
    ) -> Vec<(oneshot::Sender<QuotaGuard>, QuotaGuard)> {
        let mut granted = Vec::new();
        // Check each waiting function once. Those that still have to wait keep their order.
        for _ in 0..entries.waiting.len() {
            let Some(Waiting { claim, granted: waits }) = entries.waiting.pop_front() else {
                break;
            };
            if waits.is_closed() {
                continue;
            }
            if self.count_held(entries, Kind::Slot, 1, &claim).is_err() {
                entries.waiting.push_back(Waiting { claim, granted: waits });
                continue;
            }
            let book = Arc::clone(self);
            granted.push((waits, QuotaGuard { book, kind: Kind::Slot, amount: 1, claim }));
        }
        granted
    }

    /// Counts `more` if the limits allow it.
    fn count_held(
        &self,
        entries: &mut Entries,
        kind: Kind,
        more: usize,
        claim: &Claim,
    ) -> Result<(), Full> {
        self.check_room(entries, kind, more, claim)?;
        entries.held[kind as usize] += more;
        for holder in claim.holders() {
            holder.set(kind, holder.amount_held(kind) + more);
        }
        Ok(())
    }

    fn check_room(
        &self,
        entries: &Entries,
        kind: Kind,
        more: usize,
        claim: &Claim,
    ) -> Result<(), Full> {
        let bound = self.bounds[kind as usize];
        let left = self.left_in(entries, kind);
        if more > left {
            return Err(Full::All(bound.total));
        }
        if let Some(upstream) = &claim.upstream
            && !can_take(upstream.amount_held(kind), more, left, bound.floor)
        {
            return Err(Full::Upstream(upstream.amount_held(kind)));
        }
        let (of_client, of_session) =
            (claim.client.amount_held(kind), claim.session.amount_held(kind));
        let shares = claim.client.shares && bound.shared;
        if shares && !can_take(of_client, more, left, bound.floor) {
            return Err(Full::Client(of_client));
        }
        // The client's share. The sessions of the client share it by the same rule.
        let room = if shares { left.max(bound.floor).saturating_sub(of_client) } else { left };
        let fits = match bound.session {
            Some(cap) if claim.session.is_session || bound.caps_all => {
                of_session.saturating_add(more) <= cap
            }
            _ if !bound.shared || !claim.session.shares => true,
            _ => of_session.saturating_add(more) <= room.max(bound.floor),
        };
        if fits { Ok(()) } else { Err(Full::Session(of_session)) }
    }

    fn left_in(&self, entries: &Entries, kind: Kind) -> usize {
        self.bounds[kind as usize].total.saturating_sub(entries.held[kind as usize])
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        lock(&self.entries)
    }
}

impl Entries {
    fn uncount(&mut self, kind: Kind, amount: usize, claim: &Claim) {
        let held = &mut self.held[kind as usize];
        *held = held.saturating_sub(amount);
        for holder in claim.holders() {
            holder.set(kind, holder.amount_held(kind).saturating_sub(amount));
        }
    }
}

impl QuotaGuard {
    /// Increases the held amount by `more` bytes.
    pub(crate) fn grow_by(&mut self, more: usize) -> Result<(), E> {
        let counted = self.book.count_held(&mut self.book.entries(), self.kind, more, &self.claim);
        counted.map_err(|_| E::TooMuchKept)?;
        self.amount += more;
        Ok(())
    }

    /// Returns part of the held amount.
    pub(crate) fn shrink_by(&mut self, less: usize) {
        let less = less.min(self.amount);
        self.amount -= less;
        self.book.give_back(self.kind, less, &self.claim);
    }

    pub(super) fn book(&self) -> &Arc<QuotaLedger> {
        &self.book
    }
}

impl Drop for QuotaGuard {
    fn drop(&mut self) {
        self.book.give_back(self.kind, self.amount, &self.claim);
    }
}

impl QuestionGuard {
    /// Waits until this question is ended in favor of a session with fewer open questions.
    pub(crate) async fn wait_for_eviction(&self) {
        self.gives_way.cancelled().await;
    }
}

impl Drop for QuestionGuard {
    fn drop(&mut self) {
        self.book.close_question(self.number);
    }
}
