//! The stored form of a task: a head that is replaced on each save, and a log of the results of `once`.

use std::collections::BTreeMap;

use rmcp::model::InputResponses;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::MAX_ANSWERS;
use crate::caller::input_request;
use crate::error::Error as E;
use crate::principal::Principal;
use crate::session::ClientDescription;
use genkit_core::internal::context::{CallerAnswer, Question, Recording};
use genkit_core::internal::run_store::now_ms;
use genkit_core::{Result, RunChange, RunStatus, StoredRun};
use genkit_durable::internal::{Done, NoteContent};
use genkit_schema::internal::size::json_size;

/// The version of the format.
const VERSION: u32 = 1;

/// The record of a task.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskRecord {
    #[serde(rename = "task")]
    version: u32,
    pub(super) call: StoredCall,
    pub(super) created_ms: u64,
    pub(super) updated_ms: u64,
    pub(super) ttl_ms: u64,
    /// The number of times that the function was started. An answer resets it to 0, and a result of `once` to 1.
    #[serde(default)]
    pub(super) attempts: u32,
    /// The number of rounds in which the function asked questions.
    #[serde(default)]
    rounds: u32,
    /// The questions of the function and their answers. Results of `once` are in the log.
    #[serde(default)]
    recording: Recording,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    pub(super) stage: Stage,
    #[serde(skip)]
    once: BTreeMap<String, Value>,
    /// Results of `once` that are not yet saved.
    #[serde(skip)]
    new: Vec<Done>,
}

/// The tool call of a task.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredCall {
    pub(super) tool: String,
    pub(super) input: Value,
    /// The principal that made the call, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<StoredPrincipal>,
    pub(super) client: ClientDescription,
    /// The client whose share of the running tasks the task uses, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) share: Option<u64>,
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

/// The stage of a task.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Stage {
    Working,
    /// The task waits for answers to these questions, by the keys sent to clients.
    Asks(BTreeMap<String, RequestedInput>),
    Completed(Value),
    /// Contains the JSON-RPC error.
    Failed(Value),
    Cancelled,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct RequestedInput {
    /// The key used by the function.
    key: String,
    pub(super) request: Value,
}

impl StoredCall {
    pub(super) fn with_principal(mut self, principal: Option<&Principal>) -> Self {
        self.principal = principal.map(|who| StoredPrincipal {
            id: who.id().to_owned(),
            scopes: who.scopes().to_vec(),
            claims: who.claims().clone(),
        });
        self
    }

    pub(super) fn new(tool: &str, input: Value, client: ClientDescription) -> Self {
        let tool = tool.to_owned();
        let (principal, share, trusts_client, meta) = (None, None, false, Map::new());
        Self { tool, input, principal, client, share, trusts_client, meta }
    }

    /// Returns whether this caller made the call.
    pub(super) fn belongs_to(&self, caller: Option<&Principal>) -> bool {
        self.principal.as_ref().map(|who| who.id.as_str()) == caller.map(Principal::id)
    }

    /// Returns the principal that made the call.
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

    /// Parses a stored record; returns `None` if its format or version differs.
    pub(super) fn read(stored: &StoredRun) -> Option<Self> {
        let mut record: Self = serde_json::from_str(&stored.head).ok()?;
        let lines = stored.log.iter().map(|line| serde_json::from_str::<Done>(line).ok());
        record.once = lines.map(|line| line.map(|line| line.once)).collect::<Option<_>>()?;
        (record.version == VERSION).then_some(record)
    }

    /// Returns the expiry of the task, in milliseconds since the Unix epoch.
    pub(super) fn ends_ms(&self) -> u64 {
        self.created_ms.saturating_add(self.ttl_ms)
    }

    /// Returns the change to save. A task that is not working becomes due when it expires.
    pub(super) fn take_change(&mut self) -> Result<RunChange> {
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
        // Stores have no status for a finished run that becomes due later, so the status stays `Working`.
        Ok(RunChange::new(RunStatus::Working, head).with_log(log).with_wake_at_ms(wakes))
    }

    /// Records a result of the function. Since this is progress, it resets the count of attempts.
    pub(super) fn note_result(&mut self, what: NoteContent) {
        if let NoteContent::Once { key, done } = what {
            self.attempts = self.attempts.min(1);
            self.once.insert(key.clone(), done.clone());
            self.new.push(Done { once: (key, done) });
        }
    }

    /// Returns the recording that is replayed when the function runs again.
    pub(super) fn recording(&self) -> Recording {
        Recording { once: self.once.clone(), ..self.recording.clone() }
    }

    fn keep(&mut self, mut recording: Recording) {
        for (key, done) in std::mem::take(&mut recording.once) {
            if !self.once.contains_key(&key) {
                self.note_result(NoteContent::Once { key, done });
            }
        }
        self.recording = recording;
    }

    /// Stores questions of the function, each under a key that is unique within the task.
    pub(super) fn store_questions(
        &mut self,
        questions: Vec<Question>,
        recording: Recording,
    ) -> Result<()> {
        self.rounds += 1;
        self.keep(recording);
        let mut open = BTreeMap::new();
        for Question { key, kind } in questions {
            let request = input_request(&kind)?;
            open.insert(format!("{}.{key}", self.rounds), RequestedInput { key, request });
        }
        self.stage = Stage::Asks(open);
        Ok(())
    }

    /// Records answers to open questions and ignores all others. Returns whether any was recorded.
    ///
    /// # Errors
    /// Returns an error if the answers are too large.
    pub(super) fn record_answers(&mut self, mut answers: InputResponses) -> Result<bool, E> {
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
