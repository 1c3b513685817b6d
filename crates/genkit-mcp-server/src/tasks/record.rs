//! What is stored of a task: a head that is replaced, and what was done by `once` as a log.

use std::collections::BTreeMap;

use rmcp::model::InputResponses;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::MAX_ANSWERS;
use crate::caller::input_request;
use crate::error::Error as E;
use crate::principal::Principal;
use crate::session::ClientDescription;
use genkit_core::Result;
use genkit_core::internal::context::{CallerAnswer, Question, Recording};
use genkit_core::internal::run_store::now_ms;
use genkit_core::{RunChange, RunStatus, StoredRun};
use genkit_durable::internal::{Done, Noted};
use genkit_schema::internal::size::json_size;

/// The schema number of this.
const VERSION: u32 = 1;

/// A task.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskRecord {
    #[serde(rename = "task")]
    version: u32,
    pub(super) call: StoredCall,
    pub(super) created_ms: u64,
    pub(super) updated_ms: u64,
    pub(super) ttl_ms: u64,
    /// How often it was begun since the last answer.
    #[serde(default)]
    pub(super) attempts: u32,
    /// How often it asked.
    #[serde(default)]
    rounds: u32,
    /// What it asked and was answered; what it did is in the log.
    #[serde(default)]
    recording: Recording,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    pub(super) stage: Stage,
    #[serde(skip)]
    once: BTreeMap<String, Value>,
    /// What of it is not saved yet.
    #[serde(skip)]
    new: Vec<Done>,
}

/// The call that it is.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredCall {
    pub(super) tool: String,
    pub(super) input: Value,
    /// Who made it; nobody where nobody is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<StoredPrincipal>,
    pub(super) client: ClientDescription,
    #[serde(default)]
    pub(super) trusts_client: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) meta: Map<String, Value>,
}

#[derive(Clone, Serialize, Deserialize)]
struct StoredPrincipal {
    id: String,
    scopes: Vec<String>,
    claims: Map<String, Value>,
}

/// Where it stands.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Stage {
    Working,
    /// The questions, by the keys that clients know.
    Asks(BTreeMap<String, AskedInput>),
    Completed(Value),
    /// The error of JSON-RPC.
    Failed(Value),
    Cancelled,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct AskedInput {
    /// The key that the function knows.
    key: String,
    pub(super) request: Value,
}

impl StoredCall {
    pub(super) fn by(mut self, principal: Option<&Principal>) -> Self {
        self.principal = principal.map(|who| StoredPrincipal {
            id: who.id().to_owned(),
            scopes: who.scopes().to_vec(),
            claims: who.claims().clone(),
        });
        self
    }

    pub(super) fn new(tool: &str, input: Value, client: ClientDescription) -> Self {
        let tool = tool.to_owned();
        let (principal, trusts_client, meta) = (None, false, Map::new());
        Self { tool, input, principal, client, trusts_client, meta }
    }

    /// Whether this caller made it.
    pub(super) fn is_of(&self, caller: Option<&Principal>) -> bool {
        self.principal.as_ref().map(|who| who.id.as_str()) == caller.map(Principal::id)
    }

    /// Who made it.
    pub(super) fn principal(&self) -> Option<Principal> {
        let StoredPrincipal { id, scopes, claims } = self.principal.clone()?;
        Some(Principal::new(id).with_scopes(scopes).with_claims(claims))
    }
}

impl TaskRecord {
    pub(super) fn new(call: StoredCall, recording: Recording, ttl_ms: u64) -> Self {
        let now = now_ms();
        let mut this = Self {
            version: VERSION,
            call,
            created_ms: now,
            updated_ms: now,
            ttl_ms,
            attempts: 1,
            rounds: 0,
            recording: Recording::default(),
            message: None,
            stage: Stage::Working,
            once: BTreeMap::new(),
            new: Vec::new(),
        };
        this.keep(recording);
        this
    }

    /// The record that is stored; `None` where another version of this library wrote it, or something else.
    pub(super) fn read(stored: &StoredRun) -> Option<Self> {
        let mut record: Self = serde_json::from_str(&stored.head).ok()?;
        let lines = stored.log.iter().map(|line| serde_json::from_str::<Done>(line).ok());
        record.once = lines.map(|line| line.map(|line| line.once)).collect::<Option<_>>()?;
        (record.version == VERSION).then_some(record)
    }

    /// When it is gone.
    pub(super) fn ends_ms(&self) -> u64 {
        self.created_ms.saturating_add(self.ttl_ms)
    }

    /// What is to be saved. Where nothing is done with it, it is looked at again when its time is over.
    pub(super) fn change(&mut self) -> Result<RunChange> {
        self.updated_ms = now_ms();
        let wakes = match self.stage {
            Stage::Working => None,
            _ => Some(self.ends_ms()),
        };
        let unserializable = |source| E::StateUnserializable { source };
        let head = serde_json::to_string(&*self).map_err(unserializable)?;
        let new = std::mem::take(&mut self.new);
        let log = new.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let log = log.map_err(unserializable)?;
        // A store has no status for it that wakes.
        Ok(RunChange::new(RunStatus::Working, head).with_log(log).with_wake_at_ms(wakes))
    }

    /// Notes what the function did.
    pub(super) fn note(&mut self, what: Noted) {
        if let Noted::Once { key, done } = what {
            self.once.insert(key.clone(), done.clone());
            self.new.push(Done { once: (key, done) });
        }
    }

    /// What the function is run again with.
    pub(super) fn recording(&self) -> Recording {
        Recording { once: self.once.clone(), ..self.recording.clone() }
    }

    fn keep(&mut self, mut recording: Recording) {
        for (key, done) in std::mem::take(&mut recording.once) {
            if !self.once.contains_key(&key) {
                self.note(Noted::Once { key, done });
            }
        }
        self.recording = recording;
    }

    /// The function asks. Each question has a key that no other of this task ever has.
    pub(super) fn asks(&mut self, questions: Vec<Question>, recording: Recording) -> Result<()> {
        self.rounds += 1;
        self.keep(recording);
        let mut open = BTreeMap::new();
        for Question { key, kind } in questions {
            let request = input_request(&kind)?;
            open.insert(format!("{}.{key}", self.rounds), AskedInput { key, request });
        }
        self.stage = Stage::Asks(open);
        Ok(())
    }

    /// Takes answers to open questions; others are nobody's. Whether any was.
    ///
    /// # Errors
    /// They are too large.
    pub(super) fn answered(&mut self, mut answers: InputResponses) -> Result<bool, E> {
        let Stage::Asks(open) = &mut self.stage else { return Ok(false) };
        answers.retain(|key, _| open.contains_key(key));
        let size = answers.values().map(json_size).sum();
        if size > MAX_ANSWERS {
            return Err(E::LargeAnswers { size, limit: MAX_ANSWERS });
        }
        let is_any = !answers.is_empty();
        for (key, answer) in answers {
            if let Some(question) = open.remove(&key) {
                let answer = CallerAnswer::from_json(answer);
                self.recording.answers.insert(question.key, answer);
            }
        }
        if open.is_empty() {
            self.stage = Stage::Working;
            self.attempts = 0;
        }
        Ok(is_any)
    }
}
