//! Exclusive access to a session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, watch};
use tokio::time::Instant;

use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{ErrorKind, Result, RunId, RunStore};

use super::Sessions;
use super::record::{Entry, Head, Record, SessionKey, build_change};
use crate::error::Error as E;
use crate::journal::{SavedResults, StartedTurn, TurnJournal, journal_name};
use crate::types::{AgentFinishReason, SnapshotStatus};

/// The maximum number of snapshots of a session. Default is 2,000.
const MAX_SNAPSHOTS: usize = 2_000;

/// The maximum size of a stored session, in bytes. Default is 16 MiB.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The interval of checks for an abort request from another process. Default is 1 second.
const ABORT_CHECK: Duration = Duration::from_secs(1);

/// Exclusive access of a turn to its session, released on drop.
pub(crate) struct SessionGuard {
    pub(super) sessions: Arc<Sessions>,
    pub(super) key: SessionKey,
    pub(super) owner: String,
    pub(super) head: Head,
    pub(super) revision: u64,
    pub(super) guard: Option<OwnedMutexGuard<()>>,
    pub(super) is_leased: bool,
    /// The time until which side effects may start.
    pub(super) valid: watch::Sender<Instant>,
    /// The journal of the running turn, which is removed when the session is released.
    pub(super) turn: Option<SavedTurn>,
    /// Whether a turn was given up, so that this process must not change the session.
    pub(crate) is_given_up: bool,
    pub(crate) record: Record,
}

impl SessionGuard {
    pub(crate) fn new_snapshot(&self) -> String {
        self.key.new_snapshot()
    }

    pub(super) async fn reload(&mut self, owner: &str) -> Result<()> {
        if let Some((record, revision)) = self.sessions.load_at(&self.key.run, owner).await? {
            (self.record, self.revision) = (record, revision);
        }
        Ok(())
    }

    pub(crate) fn sessions(&self) -> Arc<Sessions> {
        Arc::clone(&self.sessions)
    }

    /// Saves a snapshot, even if another process has requested an abort.
    pub(crate) async fn save(&mut self, entry: Entry) -> Result<()> {
        let is_new = self.record.find(&entry.id).is_none();
        if is_new && self.record.entries.len() >= MAX_SNAPSHOTS {
            return Err(E::ManySnapshots(MAX_SNAPSHOTS).into());
        }
        let change = build_change(&self.head, Some(&entry))?;
        let size = change.log.iter().map(String::len).sum::<usize>();
        // The end of a turn whose start was saved may exceed the limit, up to twice the limit.
        let limit = if is_new { MAX_BYTES } else { 2 * MAX_BYTES };
        if self.record.bytes + size > limit {
            return Err(E::LargeSession(MAX_BYTES).into());
        }
        let runs = Arc::clone(&self.sessions.runs);
        if self.revision == 0 {
            if !runs.create(&self.key.run, &change).await? {
                return Err(E::TakenOver.into());
            }
            self.revision = 1;
            self.lease_new().await?;
        } else {
            let change = change.with_owner(self.owner.clone());
            let mut saved = runs.save(&self.key.run, self.revision, &change).await?;
            if saved.is_none() {
                // Another process has recorded a request to abort the turn, or has ended the turn.
                let stored =
                    self.sessions.load_for_owner_hash(&self.key.run, &self.head.owner).await?;
                let (record, revision) = stored.ok_or(E::TakenOver)?;
                if !record.continues(&self.record) {
                    return Err(E::TakenOver.into());
                }
                saved = runs.save(&self.key.run, revision, &change).await?;
            }
            self.revision = saved.ok_or(E::TakenOver)?;
        }
        self.record.bytes += size;
        self.record.put(entry);
        Ok(())
    }

    pub(super) async fn mark(&mut self, id: &str, status: SnapshotStatus) -> Result<()> {
        let Some(entry) = self.record.find(id) else { return Ok(()) };
        let finish = (status == SnapshotStatus::Aborted).then_some(AgentFinishReason::Aborted);
        self.save(Entry { status, finish, updated: now_ms(), ..entry.clone() }).await
    }

    /// Renews the lease until the session is lost, or until an abort of the snapshot `pending` is requested. Returns
    /// whether an abort was requested.
    pub(crate) async fn watch(&self, pending: Option<&str>) -> bool {
        let (runs, run) = (&self.sessions.runs, &self.key.run);
        let lease = self.sessions.lease;
        loop {
            tokio::time::sleep(ABORT_CHECK.min(lease / 3)).await;
            let now = Instant::now();
            // `valid` ends after 5/6 of the lease, so this is true once a third of the lease has passed.
            let is_renewing = self.is_leased && now + lease / 2 >= *self.valid.borrow();
            let head = if is_renewing {
                match runs.lease(run, &self.owner, lease).await {
                    Ok(None) => return false,
                    head => head,
                }
            } else if pending.is_some() {
                runs.peek(run).await
            } else {
                continue;
            };
            let Ok(Some(head)) = head else { continue };
            if head.revision != self.revision {
                let Ok(stored) =
                    self.sessions.load_for_owner_hash(&self.key.run, &self.head.owner).await
                else {
                    continue;
                };
                let Some((record, _)) = stored.filter(|(now, _)| now.continues(&self.record))
                else {
                    return false;
                };
                let entry = pending.and_then(|id| record.find(id));
                if entry.is_some_and(|entry| entry.status == SnapshotStatus::Aborting) {
                    return true;
                }
            }
            if is_renewing {
                self.note_lease(now);
            }
        }
    }

    /// Allows side effects to start until shortly before the end of the lease, which was renewed at `now`.
    pub(super) fn note_lease(&self, now: Instant) {
        self.valid.send_replace(now + self.sessions.lease * 5 / 6);
    }

    /// Returns whether this process certainly still holds the session.
    fn is_valid(&self) -> bool {
        Instant::now() < *self.valid.borrow()
    }

    /// Takes the lease of the session, which this process has just created.
    async fn lease_new(&mut self) -> Result<()> {
        let now = Instant::now();
        let (runs, run) = (&self.sessions.runs, &self.key.run);
        let lease = runs.lease(run, &self.owner, self.sessions.lease).await?;
        lease.ok_or(E::TakenOver)?;
        self.is_leased = true;
        self.note_lease(now);
        Ok(())
    }

    /// Loads a turn of the session whose process ended before the turn did.
    pub(crate) async fn find_begun(&mut self) -> Result<Option<(StartedTurn, SavedResults)>> {
        if self.sessions.is_in_memory {
            return Ok(None);
        }
        let (runs, journal) = (Arc::clone(&self.sessions.runs), self.key.journal()?);
        let Some((turn, saved)) = TurnJournal::load(&*runs, &journal).await? else {
            return Ok(None);
        };
        if self.record.find(&turn.id).is_some_and(|entry| entry.status.is_over()) {
            runs.delete(&journal).await?;
            return Ok(None);
        }
        Ok(Some((turn, saved)))
    }

    /// Creates the journal of a turn, or continues it. Sessions in memory have no journals.
    pub(crate) async fn keep_turn(
        &mut self,
        turn: &mut StartedTurn,
        is_begun: bool,
        keeps: &Arc<AtomicBool>,
    ) -> Result<Option<TurnJournal>> {
        if self.sessions.is_in_memory {
            return Ok(None);
        }
        let (runs, journal) = (Arc::clone(&self.sessions.runs), self.key.journal()?);
        if self.revision == 0 {
            // The lease of the session protects its turn, so the session must exist.
            if !runs.create(&self.key.run, &build_change(&self.head, None)?).await? {
                return Err(E::TakenOver.into());
            }
            self.revision = 1;
            self.lease_new().await?;
        } else if !is_begun && !self.is_valid() && self.is_lost().await {
            // The journal belongs to the process that holds the session now.
            return Err(E::TakenOver.into());
        }
        self.turn = Some(SavedTurn { journal: journal.clone(), keeps: Arc::clone(keeps) });
        let (name, lease) = (journal_name(&self.head.agent), self.valid.subscribe());
        let kept = match is_begun {
            true => TurnJournal::resume(runs, (journal, name), lease, turn).await,
            false => TurnJournal::begin(runs, (journal, name), lease, turn).await,
        };
        if kept.as_ref().is_err_and(|error| is_begun || error.kind() == ErrorKind::Aborted) {
            self.abandon_turn();
        }
        kept.map(Some)
    }

    /// Removes the journal of the turn after the turn has ended.
    pub(crate) async fn end_turn(&mut self) {
        if let Some(turn) = self.turn.take()
            && (self.is_valid() || !self.is_lost().await)
        {
            turn.remove(&*self.sessions.runs).await;
        }
    }

    /// Returns whether another process has taken the session.
    pub(crate) async fn is_lost(&mut self) -> bool {
        let (now, runs) = (Instant::now(), &self.sessions.runs);
        let lease = runs.lease(&self.key.run, &self.owner, self.sessions.lease).await;
        if !self.is_leased {
            return false;
        }
        let Ok(Some(head)) = lease else { return true };
        if head.revision != self.revision {
            let stored = self.sessions.load_for_owner_hash(&self.key.run, &self.head.owner).await;
            let Ok(Some((record, _))) = stored else { return true };
            if !record.continues(&self.record) {
                return true;
            }
        }
        self.note_lease(now);
        false
    }

    /// Keeps the journal of the turn, so that another process or the next call can continue the turn.
    pub(crate) fn abandon_turn(&mut self) {
        (self.turn, self.is_given_up) = (None, true);
    }

    /// Releases the session. Dropping does the same in the background.
    pub(crate) async fn release(mut self) {
        self.end_turn().await;
        let has_failed = self.revision > 0 && self.record.entries.is_empty();
        if has_failed && !self.is_given_up && !self.is_lost().await {
            // The first turn failed without a snapshot, so remove the session.
            let _ = self.sessions.runs.delete(&self.key.run).await;
        }
        if std::mem::take(&mut self.is_leased) {
            let _ = self.sessions.runs.release(&self.key.run, &self.owner).await;
        }
    }
}

/// The journal of a running turn.
pub(super) struct SavedTurn {
    journal: RunId,
    /// Set if another process must continue the turn.
    keeps: Arc<AtomicBool>,
}

impl SavedTurn {
    async fn remove(self, runs: &dyn RunStore) {
        if !self.keeps.load(Ordering::Acquire)
            && let Err(error) = runs.delete(&self.journal).await
        {
            let error = Logged::text(error.chain());
            tracing::warn!(%error, "failed to remove the journal of a finished turn");
        }
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        let guard = self.guard.take();
        let (sessions, key) = (Arc::clone(&self.sessions), self.key.clone());
        let free = move || {
            drop(guard);
            let mut gates = lock(&sessions.gates);
            if gates.get(&key.hash).is_some_and(|gate| gate.strong_count() == 0) {
                gates.remove(&key.hash);
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if self.is_leased => {
                let (runs, run) = (Arc::clone(&self.sessions.runs), self.key.run.clone());
                let (owner, turn) = (std::mem::take(&mut self.owner), self.turn.take());
                let lease = self.sessions.lease;
                runtime.spawn(async move {
                    // A dropped turn is cancelled and must not be continued, so remove its journal, unless another
                    // process holds the session.
                    if let Some(turn) = turn
                        && let Ok(Some(_)) = runs.lease(&run, &owner, lease).await
                    {
                        turn.remove(&*runs).await;
                    }
                    let _ = runs.release(&run, &owner).await;
                    free();
                });
            }
            _ => free(),
        }
    }
}
