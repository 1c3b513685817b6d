//! Stored sessions: each session is a run of a [`RunStore`], and each snapshot is a line of its log.

mod record;
mod turnstile;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use genkit_core::internal::run_store::{now_ms, short_hash};
use genkit_core::internal::sync::lock;
use genkit_core::{Result, RunFilter, RunId, RunStore};
use genkit_durable::internal::{MemoryRuns, SkippedRuns};

use crate::error::Error as E;
use crate::journal::{TurnJournal, journal_name};
use crate::memory::MAX_SESSIONS;
use crate::run::Caller;
use crate::types::{AgentState, SnapshotStatus};

pub(crate) use record::{Entry, Record, SessionKey};
use record::{Head, build_change};
pub(crate) use turnstile::SessionGuard;

/// The maximum number of sessions in memory. Default is 100,000; an additional session evicts the oldest idle session
/// of the owner with the most sessions.
const MAX_IN_MEMORY: usize = 100_000;

/// The lease duration of a session: the time for which it stays reserved for a process that does not renew the lease.
/// Default is 30 seconds.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// The time between attempts to take a session that another process holds. Default is 0.2 seconds.
const RETRY: Duration = Duration::from_millis(200);

/// The maximum number of turns that a program continues when it starts. Default is 10,000.
const MAX_TURNS: usize = 10_000;

/// The maximum time that an abort waits for the turn to end. Default is 5 seconds.
const ABORT_WAIT: Duration = Duration::from_secs(5);

/// A background turn that runs in this process.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) cancel: CancellationToken,
    pub(crate) owner: String,
    /// Cancelled when the turn has ended.
    pub(crate) ended: CancellationToken,
}

type Gates = Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>;

/// The sessions of an agent.
pub(crate) struct Sessions {
    pub(crate) runs: Arc<dyn RunStore>,
    /// Whether the runs are in memory, where owners share the available space.
    is_in_memory: bool,
    agent: String,
    lease: Duration,
    /// Orders the turns of a session in this process. Has entries only for sessions with a turn.
    pub(crate) gates: Gates,
    pub(crate) workers: Mutex<HashMap<String, Worker>>,
    skipped: SkippedRuns,
}

impl Sessions {
    /// Creates the sessions of an agent. Without a store, they are in memory.
    pub(crate) fn new(store: Option<Arc<dyn RunStore>>, agent: String, lease: Duration) -> Self {
        let is_in_memory = store.is_none();
        let runs = store.unwrap_or_else(|| Arc::new(MemoryRuns::with_max_runs(MAX_IN_MEMORY)));
        let (gates, workers) = (Mutex::default(), Mutex::default());
        let skipped = SkippedRuns::default();
        Self { runs, is_in_memory, agent, lease, gates, workers, skipped }
    }

    /// Returns the owners and the ids of sessions with a turn that is running or was interrupted by a crash.
    pub(crate) async fn unfinished_turns(&self) -> Result<Vec<(String, String)>> {
        let mut filter = RunFilter::new().name(journal_name(&self.agent));
        let mut begun = Vec::new();
        while begun.len() < MAX_TURNS && !self.is_in_memory {
            let page = self.runs.list(&filter).await?;
            let Some(last) = page.last() else { break };
            filter = filter.after(last.id.clone());
            for journal in &page {
                let found = self.begun_turn(&journal.id).await;
                begun.extend(self.skipped.skip_unreadable(&journal.id, found)?.flatten());
            }
        }
        Ok(begun)
    }

    async fn begun_turn(&self, journal: &RunId) -> Result<Option<(String, String)>> {
        let Some((turn, _)) = TurnJournal::load(&*self.runs, journal).await? else {
            return Ok(None);
        };
        let Some(key) = SessionKey::from_snapshot(&turn.id, &turn.owner) else {
            return Ok(None);
        };
        let record = self.load(&key.run, &turn.owner).await?;
        Ok(record.map(|record| (turn.owner, record.session)))
    }

    /// Loads the newest state of a session that belongs to `owner`, and the time of its last change. Returns `None` if
    /// the session has no finished turn or cannot be read.
    pub(crate) async fn load_newest(
        &self,
        session: &RunId,
        owner: &str,
    ) -> Result<Option<(AgentState, u64)>> {
        let newest = async {
            let Some(record) = self.load(session, owner).await? else { return Ok(None) };
            let Some(entry) = record.newest_finished() else { return Ok(None) };
            Ok(Some((record.rebuild_state(entry)?, entry.updated)))
        };
        let newest = newest.await;
        Ok(self.skipped.skip_unreadable(session, newest)?.flatten())
    }

    /// Returns the sessions of this agent that may belong to `owner`.
    pub(crate) async fn list(&self, owner: &str) -> Result<Vec<RunId>> {
        let mut filter = RunFilter::new().name(format!("agent {}", self.agent));
        if !owner.is_empty() {
            filter = filter.tag(short_hash(owner));
        }
        let mut found = Vec::new();
        while found.len() < MAX_SESSIONS {
            let page = self.runs.list(&filter).await?;
            let Some(last) = page.last() else { break };
            let next = last.id.clone();
            found.extend(page.into_iter().map(|entry| entry.id).filter(SessionKey::is_session));
            filter = filter.after(next);
        }
        found.truncate(MAX_SESSIONS);
        Ok(found)
    }

    /// Loads a session that belongs to `owner`.
    pub(crate) async fn load(&self, session: &RunId, owner: &str) -> Result<Option<Record>> {
        Ok(self.load_at(session, owner).await?.map(|(record, _)| record))
    }

    async fn load_at(&self, session: &RunId, owner: &str) -> Result<Option<(Record, u64)>> {
        self.load_for_owner_hash(session, &short_hash(owner)).await
    }

    /// Loads a session and its revision for an owner with this hash.
    async fn load_for_owner_hash(
        &self,
        session: &RunId,
        owner: &str,
    ) -> Result<Option<(Record, u64)>> {
        let Some(stored) = self.runs.load(session).await? else { return Ok(None) };
        let head: Head = serde_json::from_str(&stored.head).map_err(E::Unreadable)?;
        if head.agent != self.agent || head.owner != owner {
            return Ok(None);
        }
        let mut record = Record::new(head.session);
        for line in &stored.log {
            record.bytes += line.len();
            record.put(serde_json::from_str(line).map_err(E::Unreadable)?);
        }
        Ok(Some((record, stored.at.revision)))
    }

    /// Waits for earlier turns of a session, and takes the session.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        key: SessionKey,
        session: &str,
        caller: &Caller,
        wait: Duration,
    ) -> Result<SessionGuard> {
        let deadline = Instant::now() + wait;
        let gate = {
            let mut gates = lock(&self.gates);
            let known = gates.get(&key.hash).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let gate = Arc::default();
                gates.insert(key.hash.clone(), Arc::downgrade(&gate));
                gate
            })
        };
        let head = Head {
            agent: self.agent.clone(),
            owner: short_hash(&caller.owner),
            session: session.to_owned(),
            client: caller.client.clone(),
        };
        let mut turnstile = SessionGuard {
            sessions: Arc::clone(self),
            key,
            owner: uuid::Uuid::new_v4().to_string(),
            head,
            revision: 0,
            guard: None,
            is_leased: false,
            valid: watch::Sender::new(Instant::now()),
            turn: None,
            is_given_up: false,
            record: Record::new(session.to_owned()),
        };
        let entered = tokio::time::timeout_at(deadline, gate.lock_owned()).await;
        turnstile.guard = Some(entered.map_err(|_| E::Busy(wait))?);
        let run = &turnstile.key.run;
        loop {
            let now = Instant::now();
            if self.runs.lease(run, &turnstile.owner, self.lease).await?.is_some() {
                turnstile.is_leased = true;
                turnstile.note_lease(now);
                break;
            }
            if self.runs.peek(run).await?.is_none() {
                break; // It is created with its first snapshot.
            }
            if Instant::now() >= deadline {
                return Err(E::Busy(wait).into());
            }
            tokio::time::sleep(RETRY).await;
        }
        turnstile.reload(&caller.owner).await?;
        // An existing session continues to use the share of the client that created it.
        if turnstile.revision > 0 {
            turnstile.head.client.clear();
        }
        Ok(turnstile)
    }

    /// Asks the turn of a snapshot to stop. Returns the status before and after.
    pub(crate) async fn abort(
        self: &Arc<Self>,
        id: &str,
        owner: &str,
    ) -> Result<Option<(SnapshotStatus, SnapshotStatus)>> {
        let Some(key) = SessionKey::from_snapshot(id, owner) else { return Ok(None) };
        let Some((record, _)) = self.load_at(&key.run, owner).await? else { return Ok(None) };
        let Some(before) = record.find(id).map(|entry| entry.status) else { return Ok(None) };
        if before.is_over() {
            return Ok(Some((before, before)));
        }
        let worker = lock(&self.workers).get(id).cloned();
        if let Some(worker) = worker {
            worker.cancel.cancel();
            let _ = tokio::time::timeout(ABORT_WAIT, worker.ended.cancelled()).await;
        } else if let Some(mut idle) = self.take_idle(&key, owner).await? {
            // The process of the turn has ended.
            idle.mark(id, SnapshotStatus::Aborted).await?;
        } else {
            self.request_abort(&key, id, owner).await?;
        }
        let after = self.load(&key.run, owner).await?;
        let after = after.and_then(|record| record.find(id).map(|entry| entry.status));
        Ok(Some((before, after.unwrap_or(before))))
    }

    /// Records the request to abort, which the process of the turn reads.
    async fn request_abort(&self, key: &SessionKey, id: &str, owner: &str) -> Result<()> {
        for _ in 0..10 {
            let Some((record, revision)) = self.load_at(&key.run, owner).await? else {
                return Ok(());
            };
            let Some(entry) = record.find(id).filter(|entry| !entry.status.is_over()) else {
                return Ok(());
            };
            let entry =
                Entry { status: SnapshotStatus::Aborting, updated: now_ms(), ..entry.clone() };
            let head = Head {
                agent: self.agent.clone(),
                owner: short_hash(owner),
                session: record.session.clone(),
                client: String::new(),
            };
            let change = build_change(&head, Some(&entry))?;
            if self.runs.save(&key.run, revision, &change).await?.is_some() {
                return Ok(());
            }
        }
        Err(E::Busy(ABORT_WAIT).into())
    }

    /// Takes a session whose process has ended. Returns `None` if another process holds it.
    async fn take_idle(
        self: &Arc<Self>,
        key: &SessionKey,
        owner: &str,
    ) -> Result<Option<SessionGuard>> {
        let name = uuid::Uuid::new_v4().to_string();
        if self.runs.lease(&key.run, &name, self.lease).await?.is_none() {
            return Ok(None);
        }
        let mut turnstile = SessionGuard {
            sessions: Arc::clone(self),
            key: key.clone(),
            owner: name,
            head: Head {
                agent: self.agent.clone(),
                owner: short_hash(owner),
                session: String::new(),
                client: String::new(),
            },
            revision: 0,
            guard: None,
            is_leased: true,
            valid: watch::Sender::new(Instant::now()),
            turn: None,
            is_given_up: false,
            record: Record::new(String::new()),
        };
        turnstile.reload(owner).await?;
        turnstile.head.session.clone_from(&turnstile.record.session);
        Ok(Some(turnstile))
    }

    /// Returns whether no process works on a session.
    pub(crate) async fn is_idle(self: &Arc<Self>, key: &SessionKey, owner: &str) -> Result<bool> {
        Ok(self.take_idle(key, owner).await?.is_some())
    }
}
