//! What goes between clients, the object of a run, and workers.

use genkit::durable::engine::StepDone;
use genkit::durable::{RunChange, RunHead, RunStatus, StoredRun};
use genkit::{Error, ErrorKind};
use restate_sdk::errors::{HandlerError, TerminalError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The object that is a run.
pub(crate) const RUN: &str = "genkit.Run";

/// The service that performs steps.
pub(crate) const WORK: &str = "genkit.Work";

/// What a run is at first.
#[derive(Serialize, Deserialize)]
pub(crate) struct FirstState {
    head: String,
    log: Vec<String>,
}

impl FirstState {
    pub(crate) fn of(change: RunChange) -> Self {
        Self { head: change.head, log: change.log }
    }

    pub(crate) fn into_change(self) -> RunChange {
        RunChange::new(RunStatus::Working, self.head).with_log(self.log)
    }
}

/// All that is kept of a run, as clients read it.
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

/// What a worker says of a step.
#[derive(Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) done: StepDone,
    /// Where a flow asks: who waits for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waiting: Option<FlowWaiter>,
}

/// A worker that waits for the answers to a flow.
#[derive(Serialize, Deserialize)]
pub(crate) struct FlowWaiter {
    /// The promise that wakes it.
    pub(crate) awakeable: String,
    pub(crate) invocation: String,
}

/// Status of HTTP for what the run, and not Restate, refuses.
const PRECONDITION: u16 = 412;

/// An error that ends a handler: what the caller did wrong. All else is tried again.
pub(crate) fn handler_error(error: &Error) -> HandlerError {
    let code = match error.kind() {
        ErrorKind::InvalidArgument => 400,
        ErrorKind::FailedPrecondition => PRECONDITION,
        _ => return HandlerError::from(error.chain()),
    };
    TerminalError::new_with_code(code, error.chain()).into()
}

/// The kind of an error that a handler ended with.
pub(crate) fn kind_of(status: u16) -> Option<ErrorKind> {
    match status {
        400 => Some(ErrorKind::InvalidArgument),
        PRECONDITION => Some(ErrorKind::FailedPrecondition),
        _ => None,
    }
}

/// What does not read is tried again: a worker of another version may read it, and nothing is lost meanwhile.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, HandlerError> {
    Ok(serde_json::from_slice(bytes)?)
}

pub(crate) fn print<T: Serialize>(value: &T) -> Result<Vec<u8>, HandlerError> {
    Ok(serde_json::to_vec(value)?)
}
