//! The stored data of a durable run: a head, which each save replaces, and an append-only log.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::Error as E;
use super::flow_state::{Done, FlowState};
use super::inside::mail::{join_head, split_head};
use crate::engine::open_steps::OpenSteps;
use crate::settings::StoredState;
use genkit_agent::RunState;
use genkit_core::Interrupt;
use genkit_core::Message;
use genkit_core::internal::context::RunWait;
use genkit_core::internal::status::{kind_from_name, status_name};
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{RunId, StoredRun};

/// Serializes a value that a program passes to a run.
pub(super) fn to_json(value: impl Serialize) -> Result<serde_json::Value, E> {
    serde_json::to_value(value).map_err(|why| E::ValueUnserializable(why.to_string()))
}

/// The head of a run.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// The number of failed attempts of the next step.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) attempts: u32,
    /// The number of processes that ended during the next step.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) lives: u32,
    /// The error of the run, or of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<StoredError>,
    /// The state of a failed run before the step that failed, without messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Box<RunState>>,
    /// The open steps of an engine. Empty for a run in a `RunStore`.
    #[serde(default, skip_serializing_if = "OpenSteps::is_unused")]
    pub(super) steps: OpenSteps,
    #[serde(default, skip_serializing_if = "StoredState::is_default")]
    pub(super) kept: StoredState,
    /// Whether the calls of a suspended run wait for mail.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) listens: bool,
    /// The operations that a suspended run waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) waits: Vec<RunWait>,
    pub(super) body: RunBody,
}

/// The kind of a run, with its state.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum RunBody {
    /// A run that is not a flow. Its messages are in the log.
    Generate(Box<RunState>),
    Flow(Box<FlowState>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredError {
    kind: String,
    message: String,
}

fn parse_lines<T: DeserializeOwned>(lines: &[String]) -> serde_json::Result<Vec<T>> {
    lines.iter().map(|line| serde_json::from_str(line)).collect()
}

fn serialize_lines<T: Serialize>(values: &[T]) -> serde_json::Result<Vec<String>> {
    values.iter().map(serde_json::to_string).collect()
}

fn is_false(yes: &bool) -> bool {
    !*yes
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl StoredError {
    pub(super) fn from_error(error: &Error) -> Self {
        Self { kind: status_name(error.kind()).to_owned(), message: error.chain() }
    }

    /// Returns the error with its causes.
    pub(super) fn text(&self) -> &str {
        &self.message
    }

    pub(super) fn into_error(self) -> Error {
        Error::new(kind_from_name(&self.kind).unwrap_or(ErrorKind::Unknown), self.message)
    }
}

impl RunBody {
    pub(super) fn run_kind(&self) -> &'static str {
        match self {
            Self::Generate(_) => "a run of `durable_run`",
            Self::Flow(_) => "a run of `durable_flow`",
        }
    }

    /// Returns the name of the run in lists: the name of the flow or the model.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Generate(state) => state.model(),
            Self::Flow(state) => state.name(),
        }
    }

    /// Takes the part that is not saved yet. The first `known` messages are already saved.
    pub(super) fn take_unsaved(&mut self, known: usize) -> Self {
        match self {
            Self::Generate(state) => Self::Generate(Box::new(state.without_first(known))),
            Self::Flow(state) => Self::Flow(Box::new(state.take_unsaved())),
        }
    }

    /// Returns the questions that have no answer yet.
    pub(super) fn open_questions(&self) -> Vec<Interrupt> {
        match self {
            Self::Generate(state) => state.open_questions(),
            Self::Flow(state) => state.open_questions(),
        }
    }
}

impl Record {
    pub(super) fn new(body: RunBody) -> Self {
        Self {
            attempts: 0,
            lives: 0,
            error: None,
            before: None,
            steps: OpenSteps::default(),
            kept: StoredState::default(),
            listens: false,
            waits: Vec::new(),
            body,
        }
    }

    /// Reads a stored record.
    pub(super) fn read(id: &RunId, stored: &StoredRun) -> Result<Self> {
        let unreadable =
            |why: serde_json::Error| E::Unreadable { id: id.to_string(), why: why.to_string() };
        let mut record: Self = serde_json::from_str(&stored.head).map_err(unreadable)?;
        record.kept.mail = split_head(&stored.head).1;
        match &mut record.body {
            RunBody::Generate(state) => {
                state.messages = parse_lines::<Message>(&stored.log).map_err(unreadable)?;
            }
            RunBody::Flow(state) => {
                let unknown = |why| E::Unreadable { id: id.to_string(), why };
                state.check_version().map_err(unknown)?;
                state.read_log(parse_lines::<Done>(&stored.log).map_err(unreadable)?);
            }
        }
        Ok(record)
    }

    /// Returns the head and the new log lines: messages, or the results of `once` for a flow.
    pub(super) fn into_lines(mut self, id: &RunId) -> Result<(String, Vec<String>)> {
        let mut lines = || {
            let log = match &mut self.body {
                RunBody::Generate(state) => serialize_lines(&std::mem::take(&mut state.messages))?,
                RunBody::Flow(state) => serialize_lines(&state.take_log())?,
            };
            let head = serde_json::to_string(&self)?;
            Ok::<_, serde_json::Error>((join_head(split_head(&head).0, &self.kept.mail)?, log))
        };
        let why =
            |why: serde_json::Error| E::Unserializable { id: id.to_string(), why: why.to_string() };
        Ok(lines().map_err(why)?)
    }
}
