//! The messages between clients, workers and the virtual object that stores a run.

use genkit::durable::engine::StepResult;
use genkit::durable::{RunChange, RunHead, RunStatus, StoredRun};
use genkit::{Error, ErrorKind};
use restate_sdk::errors::{HandlerError, TerminalError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The name of the virtual object that stores a run.
pub(crate) const RUN: &str = "genkit.Run";

/// The name of the service that performs steps.
pub(crate) const WORK: &str = "genkit.Work";

/// The initial state of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct FirstState {
    head: String,
    log: Vec<String>,
}

impl FirstState {
    pub(crate) fn from_change(change: RunChange) -> Self {
        Self { head: change.head, log: change.log }
    }

    pub(crate) fn into_change(self) -> RunChange {
        RunChange::new(RunStatus::Working, self.head).with_log(self.log)
    }
}

/// The stored data of a run, in the form that clients read.
#[derive(Serialize, Deserialize)]
pub(crate) struct Whole {
    pub(crate) status: RunStatus,
    pub(crate) revision: u64,
    pub(crate) head: String,
    pub(crate) log: Vec<String>,
}

impl Whole {
    pub(crate) fn into_stored(self) -> StoredRun {
        StoredRun::new(RunHead::new(self.revision, self.status, None), self.head, self.log)
    }
}

/// The result of a step, as sent by a worker.
#[derive(Serialize, Deserialize)]
pub(crate) struct SettledStep {
    pub(crate) done: StepResult,
    /// The waiting invocation of a flow that asks a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waiting: Option<FlowWaiter>,
}

/// A worker's invocation that waits for the answers to the questions of a flow.
#[derive(Serialize, Deserialize)]
pub(crate) struct FlowWaiter {
    /// The id of the promise that resumes the worker.
    pub(crate) awakeable: String,
    pub(crate) invocation: String,
}

/// The HTTP status that represents `FailedPrecondition`.
const PRECONDITION: u16 = 412;

/// Converts an error. Usage errors of the caller end the handler; Restate retries after all other errors.
pub(crate) fn handler_error(error: &Error) -> HandlerError {
    let code = match error.kind() {
        ErrorKind::InvalidArgument => 400,
        ErrorKind::FailedPrecondition => PRECONDITION,
        _ => return HandlerError::from(error.chain()),
    };
    TerminalError::new_with_code(code, error.chain()).into()
}

/// Returns the kind of the error that a handler returned.
pub(crate) fn kind_from_status(status: u16) -> Option<ErrorKind> {
    match status {
        400 => Some(ErrorKind::InvalidArgument),
        PRECONDITION => Some(ErrorKind::FailedPrecondition),
        _ => None,
    }
}

/// Parses a message. Errors are retried, since a worker of another version may be able to parse it.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, HandlerError> {
    Ok(serde_json::from_slice(bytes)?)
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<Vec<u8>, HandlerError> {
    Ok(serde_json::to_vec(value)?)
}
