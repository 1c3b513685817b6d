//! The journal of a turn: the results of its steps, saved while it runs, so that the next call of its session can
//! continue it after a crash.
//!
//! The journal is a separate run in the store of the session, and is removed when the turn ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;

use genkit_core::internal::context::Journal;
use genkit_core::internal::redact::without_credentials;
use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, Result, RunChange, RunId, RunStatus, RunStore};
use genkit_durable::internal::MAX_ENDED_PROCESSES;

use crate::error::Error as E;
use crate::types::{AgentInit, AgentInput};

/// A started turn, in the head of its journal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedTurn {
    /// The id of the snapshot of the turn.
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    pub(crate) created: u64,
    /// The owner of the session; empty if the server does not identify owners.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) owner: String,
    pub(crate) input: AgentInput,
    /// The action context. It is stored without its credentials.
    #[serde(default, skip_serializing_if = "Map::is_empty", serialize_with = "store_context")]
    pub(crate) action_context: Map<String, Value>,
    /// Whether the program itself started the turn, rather than a client of a server.
    #[serde(default)]
    pub(crate) is_program: bool,
    /// The number of processes that ended during the turn.
    #[serde(default)]
    pub(crate) lives: u32,
}

fn store_context<S: Serializer>(
    context: &Map<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    without_credentials(context).serialize(serializer)
}

impl StartedTurn {
    /// Adds the credentials of a call that resumes this turn, if its action context is otherwise the same.
    pub(crate) fn add_credentials(&mut self, context: &Map<String, Value>) {
        if without_credentials(context) == self.action_context {
            self.action_context.clone_from(context);
        }
    }

    /// Returns whether a call repeats this turn: it starts at the same snapshot, and its first input is the same or
    /// empty.
    pub(crate) fn is_repeated_by(&self, init: &AgentInit, first: &AgentInput) -> bool {
        let id = init.snapshot_id.as_deref();
        let is_here = id.is_none_or(|id| self.parent.as_deref() == Some(id) || self.id == id);
        let is_empty = first.message.is_none() && first.resume.is_none();
        is_here && (*first == self.input || is_empty)
    }

    /// Returns whether the turn must not be tried again, because too many processes ended during it.
    pub(crate) fn has_too_many_crashes(&self) -> bool {
        self.lives >= MAX_ENDED_PROCESSES
    }
}

/// The results that a turn has saved, by their key.
pub(crate) type SavedResults = BTreeMap<String, Value>;

/// Saves the results of a turn. Results that arrive during a save are saved together by the next save.
#[derive(Clone)]
pub(crate) struct TurnJournal(Arc<JournalParts>);

struct JournalParts {
    runs: Arc<dyn RunStore>,
    run: RunId,
    id: String,
    name: String,
    head: String,
    incarnation: u64,
    /// The revision. `None` after a failed save.
    at: tokio::sync::Mutex<Option<u64>>,
    lines: Mutex<Vec<String>>,
    /// The time until which side effects may start. The channel closes when this process leaves the session.
    lease: watch::Receiver<Instant>,
}

impl TurnJournal {
    /// Creates the journal of a turn.
    pub(crate) async fn begin(
        runs: Arc<dyn RunStore>,
        (run, name): (RunId, String),
        lease: watch::Receiver<Instant>,
        turn: &StartedTurn,
    ) -> Result<Self> {
        let head = encode_head(turn)?;
        // An earlier turn of the session that was given up may have left its journal.
        runs.delete(&run).await?;
        if !runs.create(&run, &build_change(&name, &head)).await? {
            return Err(E::TakenOver.into());
        }
        Self::at_head(runs, (run, name), lease, turn, head).await
    }

    /// Continues the journal of a turn whose process has ended.
    pub(crate) async fn resume(
        runs: Arc<dyn RunStore>,
        (run, name): (RunId, String),
        lease: watch::Receiver<Instant>,
        turn: &mut StartedTurn,
    ) -> Result<Self> {
        turn.lives += 1;
        let journal = Self::at_head(runs, (run, name), lease, turn, encode_head(turn)?).await?;
        journal.0.save_lines(Vec::new()).await?;
        Ok(journal)
    }

    async fn at_head(
        runs: Arc<dyn RunStore>,
        (run, name): (RunId, String),
        lease: watch::Receiver<Instant>,
        turn: &StartedTurn,
        head: String,
    ) -> Result<Self> {
        let found = runs.peek(&run).await?.ok_or(E::TakenOver)?;
        let (at, lines) = (tokio::sync::Mutex::new(Some(found.revision)), Mutex::default());
        let (id, incarnation) = (format!("{run}/{}", turn.id), found.incarnation);
        let parts = JournalParts { runs, run, id, name, head, incarnation, at, lines, lease };
        Ok(Self(Arc::new(parts)))
    }

    /// Loads a started turn, and its results.
    pub(crate) async fn load(
        runs: &dyn RunStore,
        run: &RunId,
    ) -> Result<Option<(StartedTurn, SavedResults)>> {
        let Some(stored) = runs.load(run).await? else { return Ok(None) };
        let turn = serde_json::from_str(&stored.head).map_err(E::Unreadable)?;
        let lines = stored.log.iter().map(|line| serde_json::from_str::<(String, Value)>(line));
        Ok(Some((turn, lines.collect::<Result<_, _>>().map_err(E::Unreadable)?)))
    }
}

impl JournalParts {
    async fn save_lines(&self, lines: Vec<String>) -> Result<()> {
        let mut at = self.at.lock().await;
        let revision = at.take().ok_or(E::TakenOver)?;
        let mut all = std::mem::take(&mut *lock(&self.lines));
        all.extend(lines);
        let change =
            build_change(&self.name, &self.head).with_log(all).with_incarnation(self.incarnation);
        *at = Some(self.runs.save(&self.run, revision, &change).await?.ok_or(E::TakenOver)?);
        Ok(())
    }

    /// Saves the lines that no other save includes.
    async fn save_rest(&self) -> Result<()> {
        if self.at.lock().await.is_some() && lock(&self.lines).is_empty() {
            return Ok(());
        }
        self.save_lines(Vec::new()).await
    }
}

impl Journal for TurnJournal {
    fn id(&self) -> &str {
        &self.0.id
    }

    fn save_result(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        let line = serde_json::to_string(&(key, done)).map_err(E::Unreadable);
        let line = line.map(|line| lock(&self.0.lines).push(line));
        let parts = Arc::clone(&self.0);
        Box::pin(async move {
            line?;
            // Spawned, because the save may include other results and must not stop if this caller is dropped.
            let saving = tokio::spawn(async move { parts.save_rest().await });
            saving.await.unwrap_or_else(|_| Err(E::Panicked.into()))
        })
    }

    fn begin_effect(&self) -> BoxFuture<'static, Result<()>> {
        let mut lease = self.0.lease.clone();
        Box::pin(async move {
            let valid = lease.wait_for(|end| Instant::now() < *end).await;
            Ok(valid.map(drop).map_err(|_| E::TakenOver)?)
        })
    }
}

fn encode_head(turn: &StartedTurn) -> Result<String, E> {
    serde_json::to_string(turn).map_err(E::Unreadable)
}

/// Returns the name of the journals of an agent in lists of runs.
pub(crate) fn journal_name(agent: &str) -> String {
    format!("agent turn {agent}")
}

/// Creates a change of a journal, with a status that is never due and never deleted as finished.
fn build_change(name: &str, head: &str) -> RunChange {
    RunChange::new(RunStatus::InputRequired, head).with_name(name)
}
