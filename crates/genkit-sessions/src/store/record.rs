//! A stored session: the snapshots, each of which is a line of the log.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use genkit_core::internal::run_store::short_hash;
use genkit_core::internal::time::format_iso8601;
use genkit_core::{Message, Result, RunChange, RunId, RunStatus};

use crate::error::Error as E;
use crate::types::{AgentError, AgentFinishReason, AgentState, Artifact, Snapshot, SnapshotStatus};

/// The prefix of the ids of runs that are sessions.
const PREFIX: &str = "agent-session-";

/// The prefix of the ids of runs that are the journals of turns.
const TURN_PREFIX: &str = "agent-turn-";

/// The stored form of a snapshot: its differences from its parent.
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
    pub(crate) finish: Option<AgentFinishReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<AgentError>,
    /// The number of messages of the parent that are part of this snapshot.
    #[serde(default)]
    pub(crate) kept: usize,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    #[serde(default)]
    pub(crate) custom: Value,
    #[serde(default)]
    pub(crate) artifacts: Vec<Artifact>,
}

/// The description of a session, in the head of its run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    pub(super) agent: String,
    pub(super) owner: String,
    pub(super) session: String,
    /// The client whose share a new session uses, if the session has no owner.
    #[serde(skip)]
    pub(super) client: String,
}

/// A session with its snapshots.
pub(crate) struct Record {
    pub(crate) session: String,
    pub(super) entries: Vec<Entry>,
    pub(super) bytes: usize,
}

impl Record {
    pub(super) fn new(session: String) -> Self {
        Self { session, entries: Vec::new(), bytes: 0 }
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.id == id)
    }

    pub(crate) fn newest(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Returns the newest snapshot whose turn has ended.
    pub(crate) fn newest_finished(&self) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.status.is_over())
    }

    /// Returns whether the stored record equals `own`, except for requests to abort a turn.
    pub(super) fn continues(&self, own: &Self) -> bool {
        let is_same = |(now, own): (&Entry, &Entry)| {
            let is_asked = now.status == SnapshotStatus::Aborting && !own.status.is_over();
            let is_equal = now.status == own.status && now.updated == own.updated;
            now.id == own.id && (is_asked || is_equal)
        };
        self.entries.len() == own.entries.len()
            && self.entries.iter().zip(&own.entries).all(is_same)
    }

    pub(super) fn put(&mut self, entry: Entry) {
        match self.entries.iter_mut().rev().find(|kept| kept.id == entry.id) {
            Some(kept) => *kept = entry,
            None => self.entries.push(entry),
        }
    }

    /// Returns the state of a snapshot.
    pub(crate) fn rebuild_state(&self, entry: &Entry) -> Result<AgentState, E> {
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
            agent: entry.agent.clone(),
            messages,
            custom: entry.custom.clone(),
            artifacts: entry.artifacts.clone(),
            seal: None,
        })
    }

    pub(crate) fn build_snapshot(&self, entry: &Entry) -> Result<Snapshot, E> {
        Ok(Snapshot {
            snapshot_id: entry.id.clone(),
            session_id: self.session.clone(),
            parent_id: entry.parent.clone(),
            created_at: format_iso8601(entry.created),
            updated_at: format_iso8601(entry.updated),
            status: entry.status,
            finish_reason: entry.finish,
            error: entry.error.clone(),
            state: self.rebuild_state(entry)?,
        })
    }
}

/// The key of a session in the store: a hash of its owner and of its number. The number is a hash of the agent and the id
/// of the session, and is the first part of the ids of its snapshots. So a snapshot id of another owner leads to a
/// session that does not exist.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionKey {
    pub(crate) run: RunId,
    pub(super) hash: String,
    number: String,
}

impl SessionKey {
    pub(crate) fn new(agent: &str, owner: &str, session: &str) -> Result<Self, E> {
        if !(1..=512).contains(&session.len()) || session.chars().any(char::is_control) {
            return Err(E::SessionId);
        }
        let number = short_hash(&format!("{agent}\n{session}"));
        Self::from_number(number, owner).ok_or(E::SessionId)
    }

    fn from_number(number: String, owner: &str) -> Option<Self> {
        let hash = short_hash(&format!("{number}\n{owner}"));
        Some(Self { run: RunId::new(format!("{PREFIX}{hash}")).ok()?, hash, number })
    }

    /// Returns whether a run is a session.
    pub(super) fn is_session(run: &RunId) -> bool {
        run.as_str().starts_with(PREFIX)
    }

    /// Returns the session of a snapshot, if it belongs to this owner. Returns `None` for an id that no store has
    /// created.
    pub(crate) fn from_snapshot(id: &str, owner: &str) -> Option<Self> {
        let (number, rest) = id.split_once('.')?;
        let is_hex =
            |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        (number.len() == 32 && rest.len() == 32 && is_hex(number) && is_hex(rest))
            .then(|| Self::from_number(number.to_owned(), owner))?
    }

    /// Returns the id of the journal of the session's turn. A session has one turn at a time.
    pub(crate) fn journal(&self) -> Result<RunId> {
        RunId::new(format!("{TURN_PREFIX}{}", self.hash))
    }

    /// Returns a new snapshot id, which cannot be guessed.
    pub(crate) fn new_snapshot(&self) -> String {
        format!("{}.{}", self.number, uuid::Uuid::new_v4().simple())
    }
}
/// Creates the change of a session, with a status that is never due, so that workers of durable runs ignore it.
pub(super) fn build_change(head: &Head, entry: Option<&Entry>) -> Result<RunChange, E> {
    let status = match entry.and_then(|entry| entry.finish) {
        Some(AgentFinishReason::Interrupted) => RunStatus::InputRequired,
        _ => RunStatus::Completed,
    };
    let line = entry.map(serde_json::to_string).transpose().map_err(E::Unreadable)?;
    let name = format!("agent {}", head.agent);
    // An in-memory store shares its space by the first tag. Without context providers, all sessions have the same
    // owner, so the client is used.
    let tags = match (head.owner != short_hash(""), &*head.client) {
        (true, _) => Some(vec![head.owner.clone()]),
        (false, "") => None,
        (false, client) => Some(vec![short_hash(client)]),
    };
    let head = serde_json::to_string(head).map_err(E::Unreadable)?;
    let mut change = RunChange::new(status, head).with_log(line).with_name(name);
    change.tags = tags;
    Ok(change)
}
