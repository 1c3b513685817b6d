//! Stored sessions: each session is a run of a [`RunStore`], and each snapshot a line of its log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use genkit_core::internal::run_store::{now_ms, short_hash};
use genkit_core::internal::sync::lock;
use genkit_core::internal::time::format_iso8601;
use genkit_core::{Message, Result, RunChange, RunId, RunStatus, RunStore};
use genkit_durable::internal::MemoryRuns;

use crate::error::Error as E;
use crate::types::{AgentFailure, AgentFinish, AgentState, Artifact, Snapshot, SnapshotStatus};

/// The maximum number of sessions in memory. Default is 100,000; a further session replaces the oldest idle session of
/// the owner with the most.
const MAX_IN_MEMORY: usize = 100_000;

/// The maximum number of snapshots of a session. Default is 2,000.
const MAX_SNAPSHOTS: usize = 2_000;

/// The maximum size of a stored session, in bytes. Default is 16 MiB.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// How long a process holds a session without a sign of life. Default is 30 seconds.
const LEASE: Duration = Duration::from_secs(30);

/// The time between signs of life. Default is 10 seconds.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The time between attempts to take a session that another process holds. Default is 0.2 seconds.
const RETRY: Duration = Duration::from_millis(200);

/// The time between checks whether another process has asked to abort. Default is 1 second.
const ABORT_CHECK: Duration = Duration::from_secs(1);

/// How long an abort waits for the turn to end. Default is 5 seconds.
const ABORT_WAIT: Duration = Duration::from_secs(5);

/// The prefix of the ids of runs that are sessions.
const PREFIX: &str = "agent-session-";

/// A snapshot as it is stored: the messages that it adds to its parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    pub(crate) status: SnapshotStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finish: Option<AgentFinish>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<AgentFailure>,
    /// The number of messages of the parent that are part of this snapshot.
    #[serde(default)]
    pub(crate) kept: usize,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) custom: Value,
    #[serde(default)]
    pub(crate) artifacts: Vec<Artifact>,
}

/// What a session is, in the head of its run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    agent: String,
    owner: String,
    session: String,
}

/// A session with its snapshots.
pub(crate) struct Record {
    pub(crate) session: String,
    entries: Vec<Entry>,
    bytes: usize,
}

impl Record {
    fn new(session: String) -> Self {
        Self { session, entries: Vec::new(), bytes: 0 }
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.id == id)
    }

    pub(crate) fn newest(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Returns the newest snapshot whose turn has ended.
    pub(crate) fn newest_over(&self) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.status.is_over())
    }

    fn put(&mut self, entry: Entry) {
        match self.entries.iter_mut().rev().find(|kept| kept.id == entry.id) {
            Some(kept) => *kept = entry,
            None => self.entries.push(entry),
        }
    }

    /// Returns the state of a snapshot.
    pub(crate) fn state_of(&self, entry: &Entry) -> Result<AgentState, E> {
        let mut chain = vec![entry];
        while let Some(parent) = chain.last().and_then(|last| last.parent.as_deref()) {
            if chain.len() > self.entries.len() {
                return Err(E::Cycle(entry.id.clone()));
            }
            chain.push(self.find(parent).ok_or_else(|| E::NoSnapshot(parent.to_owned()))?);
        }
        let mut messages = Vec::new();
        for entry in chain.into_iter().rev() {
            messages.truncate(entry.kept);
            messages.extend(entry.messages.iter().cloned());
        }
        Ok(AgentState {
            session_id: Some(self.session.clone()),
            messages,
            custom: entry.custom.clone(),
            artifacts: entry.artifacts.clone(),
        })
    }

    pub(crate) fn snapshot_of(&self, entry: &Entry) -> Result<Snapshot, E> {
        Ok(Snapshot {
            snapshot_id: entry.id.clone(),
            session_id: self.session.clone(),
            parent_id: entry.parent.clone(),
            created_at: format_iso8601(entry.created),
            updated_at: format_iso8601(entry.updated),
            status: entry.status,
            finish_reason: entry.finish,
            error: entry.error.clone(),
            state: self.state_of(entry)?,
        })
    }
}

/// The place of a session in the store.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionKey {
    run: RunId,
    hash: String,
}

impl SessionKey {
    pub(crate) fn new(agent: &str, owner: &str, session: &str) -> Result<Self, E> {
        if !(1..=512).contains(&session.len()) || session.chars().any(char::is_control) {
            return Err(E::SessionId);
        }
        Self::of_hash(short_hash(&format!("{agent}\n{}\n{owner}\n{session}", owner.len())))
            .ok_or(E::SessionId)
    }

    fn of_hash(hash: String) -> Option<Self> {
        let run = RunId::new(format!("{PREFIX}{hash}")).ok()?;
        Some(Self { run, hash })
    }

    /// Returns the session of a snapshot; `None` for an id that no store has created.
    pub(crate) fn of_snapshot(id: &str) -> Option<Self> {
        let (hash, rest) = id.split_once('.')?;
        let is_hex =
            |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        (hash.len() == 32 && rest.len() == 32 && is_hex(hash) && is_hex(rest))
            .then(|| Self::of_hash(hash.to_owned()))?
    }

    /// Returns a new snapshot id, which cannot be guessed.
    pub(crate) fn new_snapshot(&self) -> String {
        format!("{}.{}", self.hash, uuid::Uuid::new_v4().simple())
    }
}

/// A turn that runs in this process.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) cancel: CancellationToken,
    /// Cancelled when the turn has ended.
    pub(crate) ended: CancellationToken,
}

type Gates = Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>;

/// The sessions of an agent.
pub(crate) struct Sessions {
    pub(crate) runs: Arc<dyn RunStore>,
    /// Whether the runs are in memory, where the owners of sessions share the room.
    is_in_memory: bool,
    agent: String,
    /// Orders the turns of a session in this process. Has entries only for sessions with a turn.
    pub(crate) gates: Gates,
    pub(crate) workers: Mutex<HashMap<String, Worker>>,
}

/// The right to change a session, which is given up on drop.
pub(crate) struct Turnstile {
    sessions: Arc<Sessions>,
    key: SessionKey,
    owner: String,
    head: Head,
    revision: u64,
    guard: Option<OwnedMutexGuard<()>>,
    is_leased: bool,
    pub(crate) record: Record,
}

impl Sessions {
    /// Creates the sessions of an agent, in memory without a store.
    pub(crate) fn new(store: Option<Arc<dyn RunStore>>, agent: String) -> Self {
        let is_in_memory = store.is_none();
        let runs = store.unwrap_or_else(|| Arc::new(MemoryRuns::with_max_runs(MAX_IN_MEMORY)));
        Self { runs, is_in_memory, agent, gates: Mutex::default(), workers: Mutex::default() }
    }

    /// Loads a session that belongs to `owner`.
    pub(crate) async fn load(&self, key: &SessionKey, owner: &str) -> Result<Option<Record>> {
        Ok(self.load_at(key, owner).await?.map(|(record, _)| record))
    }

    async fn load_at(&self, key: &SessionKey, owner: &str) -> Result<Option<(Record, u64)>> {
        let Some(stored) = self.runs.load(&key.run).await? else { return Ok(None) };
        let head: Head = serde_json::from_str(&stored.head).map_err(E::Unreadable)?;
        if head.agent != self.agent || head.owner != short_hash(owner) {
            return Ok(None);
        }
        let mut record = Record::new(head.session);
        for line in &stored.log {
            record.bytes += line.len();
            record.put(serde_json::from_str(line).map_err(E::Unreadable)?);
        }
        Ok(Some((record, stored.at.revision)))
    }

    /// Waits for the turns of a session that came before, and takes the session.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        key: SessionKey,
        session: &str,
        owner: &str,
        wait: Duration,
    ) -> Result<Turnstile> {
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
            owner: short_hash(owner),
            session: session.to_owned(),
        };
        let mut turnstile = Turnstile {
            sessions: Arc::clone(self),
            key,
            owner: uuid::Uuid::new_v4().to_string(),
            head,
            revision: 0,
            guard: None,
            is_leased: false,
            record: Record::new(session.to_owned()),
        };
        let entered = tokio::time::timeout_at(deadline, gate.lock_owned()).await;
        turnstile.guard = Some(entered.map_err(|_| E::Busy(wait))?);
        let run = &turnstile.key.run;
        loop {
            if self.runs.lease(run, &turnstile.owner, LEASE).await?.is_some() {
                turnstile.is_leased = true;
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
        turnstile.reload(owner).await?;
        Ok(turnstile)
    }

    /// Asks the turn of a snapshot to stop. Returns the status before and after.
    pub(crate) async fn abort(
        self: &Arc<Self>,
        id: &str,
        owner: &str,
    ) -> Result<Option<(SnapshotStatus, SnapshotStatus)>> {
        let Some(key) = SessionKey::of_snapshot(id) else { return Ok(None) };
        let Some((record, _)) = self.load_at(&key, owner).await? else { return Ok(None) };
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
            self.ask_to_abort(&key, id, owner).await?;
        }
        let after = self.load(&key, owner).await?;
        let after = after.and_then(|record| record.find(id).map(|entry| entry.status));
        Ok(Some((before, after.unwrap_or(before))))
    }

    /// Records the wish to abort, which the process of the turn reads.
    async fn ask_to_abort(&self, key: &SessionKey, id: &str, owner: &str) -> Result<()> {
        for _ in 0..10 {
            let Some((record, revision)) = self.load_at(key, owner).await? else { return Ok(()) };
            let Some(entry) = record.find(id).filter(|entry| !entry.status.is_over()) else {
                return Ok(());
            };
            let entry =
                Entry { status: SnapshotStatus::Aborting, updated: now_ms(), ..entry.clone() };
            let head = Head {
                agent: self.agent.clone(),
                owner: short_hash(owner),
                session: record.session.clone(),
            };
            let change = change_of(&head, &entry)?;
            if self.runs.save(&key.run, revision, &change).await?.is_some() {
                return Ok(());
            }
        }
        Err(E::Busy(ABORT_WAIT).into())
    }

    /// Takes a session whose process has ended; `None` if another process has it.
    async fn take_idle(
        self: &Arc<Self>,
        key: &SessionKey,
        owner: &str,
    ) -> Result<Option<Turnstile>> {
        let name = uuid::Uuid::new_v4().to_string();
        if self.runs.lease(&key.run, &name, LEASE).await?.is_none() {
            return Ok(None);
        }
        let mut turnstile = Turnstile {
            sessions: Arc::clone(self),
            key: key.clone(),
            owner: name,
            head: Head {
                agent: self.agent.clone(),
                owner: short_hash(owner),
                session: String::new(),
            },
            revision: 0,
            guard: None,
            is_leased: true,
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

impl Turnstile {
    pub(crate) fn new_snapshot(&self) -> String {
        self.key.new_snapshot()
    }

    async fn reload(&mut self, owner: &str) -> Result<()> {
        if let Some((record, revision)) = self.sessions.load_at(&self.key, owner).await? {
            (self.record, self.revision) = (record, revision);
        }
        Ok(())
    }

    pub(crate) fn sessions(&self) -> Arc<Sessions> {
        Arc::clone(&self.sessions)
    }

    /// Saves a snapshot. An abort that another process asked for in the meantime does not prevent it.
    pub(crate) async fn save(&mut self, entry: Entry) -> Result<()> {
        let is_new = self.record.find(&entry.id).is_none();
        if is_new && self.record.entries.len() >= MAX_SNAPSHOTS {
            return Err(E::ManySnapshots(MAX_SNAPSHOTS).into());
        }
        let mut change =
            change_of(&self.head, &entry)?.with_name(format!("agent {}", self.head.agent));
        // Without context providers all sessions have the same owner, which needs no share.
        let is_shared = self.sessions.is_in_memory && self.head.owner != short_hash("");
        change.tags = is_shared.then(|| vec![self.head.owner.clone()]);
        let size = change.log.iter().map(String::len).sum::<usize>();
        // The end of a turn whose beginning was saved may exceed the limit, but not without bounds.
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
            self.is_leased = runs.lease(&self.key.run, &self.owner, LEASE).await?.is_some();
        } else {
            let change = change.with_owner(self.owner.clone());
            let mut saved = runs.save(&self.key.run, self.revision, &change).await?;
            if saved.is_none() {
                // Another process has recorded that the turn is to be aborted.
                let head = runs.peek(&self.key.run).await?.ok_or(E::TakenOver)?;
                saved = runs.save(&self.key.run, head.revision, &change).await?;
            }
            self.revision = saved.ok_or(E::TakenOver)?;
        }
        self.record.bytes += size;
        self.record.put(entry);
        Ok(())
    }

    async fn mark(&mut self, id: &str, status: SnapshotStatus) -> Result<()> {
        let Some(entry) = self.record.find(id) else { return Ok(()) };
        let finish = (status == SnapshotStatus::Aborted).then_some(AgentFinish::Aborted);
        self.save(Entry { status, finish, updated: now_ms(), ..entry.clone() }).await
    }

    /// Renews the lease until the session is lost or the snapshot `pending` is to be aborted. Returns whether it is to
    /// be aborted.
    pub(crate) async fn watch(&self, pending: Option<&str>, owner: &str) -> bool {
        let mut last = Instant::now();
        loop {
            tokio::time::sleep(ABORT_CHECK).await;
            if last.elapsed() >= HEARTBEAT && self.is_leased {
                last = Instant::now();
                let renewed = self.sessions.runs.lease(&self.key.run, &self.owner, LEASE).await;
                if matches!(renewed, Ok(None)) {
                    return false;
                }
            }
            let Some(id) = pending else { continue };
            let head = self.sessions.runs.peek(&self.key.run).await;
            if head.is_ok_and(|head| head.is_some_and(|head| head.revision != self.revision))
                && let Ok(Some(record)) = self.sessions.load(&self.key, owner).await
                && record.find(id).is_some_and(|entry| entry.status == SnapshotStatus::Aborting)
            {
                return true;
            }
        }
    }

    /// Gives the session up. Dropping does the same in the background.
    pub(crate) async fn leave(mut self) {
        if std::mem::take(&mut self.is_leased) {
            let _ = self.sessions.runs.release(&self.key.run, &self.owner).await;
        }
    }
}

impl Drop for Turnstile {
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
                let owner = std::mem::take(&mut self.owner);
                runtime.spawn(async move {
                    let _ = runs.release(&run, &owner).await;
                    free();
                });
            }
            _ => free(),
        }
    }
}

/// A session is never due, so the workers of durable runs leave it alone.
fn change_of(head: &Head, entry: &Entry) -> Result<RunChange, E> {
    let status = match entry.finish {
        Some(AgentFinish::Interrupted) => RunStatus::InputRequired,
        _ => RunStatus::Completed,
    };
    let head = serde_json::to_string(head).map_err(E::Unreadable)?;
    let line = serde_json::to_string(entry).map_err(E::Unreadable)?;
    Ok(RunChange::new(status, head).with_log([line]))
}
