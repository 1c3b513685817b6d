//! The messages between clients, workflows and activities. Messages that contain a conversation are compressed.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use genkit::durable::engine::EngineAnswers;
use genkit::durable::{RunChange, RunHead, RunId, RunStatus, StoredRun};
use genkit::{Error, ErrorKind, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error as E;
use crate::limits::{MAX_PACKED, MAX_UNPACKED};

/// The stored data of a run.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct RunData {
    pub(crate) status: RunStatus,
    pub(crate) head: String,
    pub(crate) log: Vec<String>,
}

impl RunData {
    pub(crate) fn from_change(change: RunChange) -> Self {
        Self { status: change.status, head: change.head, log: change.log }
    }

    pub(crate) fn into_stored(self) -> StoredRun {
        StoredRun::new(RunHead::new(1, self.status, None), self.head, self.log)
    }
}

/// The input of the workflow of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunInput {
    pub(crate) data: RunData,
    /// Whether the status is a search attribute.
    pub(crate) is_indexed: bool,
    /// The steps to perform, if an earlier workflow has started the run.
    pub(crate) due: Option<Vec<DueStep>>,
}

/// A step that a workflow passes to a worker.
#[derive(Serialize, Deserialize)]
pub(crate) struct DueStep {
    pub(crate) number: u64,
    pub(crate) kind: StepKind,
    /// The name of the tool or the flow.
    pub(crate) name: String,
    /// The time limit in milliseconds.
    pub(crate) limit: Option<u64>,
    /// The step as JSON. `None` for a model call, which needs the whole run.
    pub(crate) step: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum StepKind {
    Model,
    Tool,
    Flow,
}

/// An event of a run.
#[derive(Serialize, Deserialize)]
pub(crate) enum RunEvent {
    Started,
    /// A step has this result, as JSON.
    Settled(String),
    Answered(EngineAnswers),
    Cancelled,
}

/// The input of the activity that determines the next steps.
#[derive(Serialize, Deserialize)]
pub(crate) struct AdvanceInput {
    pub(crate) run: RunId,
    pub(crate) data: Option<RunData>,
    pub(crate) event: RunEvent,
}

/// The output of that activity.
#[derive(Serialize, Deserialize)]
pub(crate) enum AdvanceOutput {
    Advanced(Advanced),
    /// The run rejected the event, and is unchanged.
    Refused(AnswerError),
    /// The run cannot be stored.
    TooLarge(String),
}

/// The change of a run, and its next steps.
#[derive(Serialize, Deserialize)]
pub(crate) struct Advanced {
    pub(crate) status: RunStatus,
    pub(crate) head: String,
    /// The new lines of the log.
    pub(crate) log: Vec<String>,
    pub(crate) due: Vec<DueStep>,
    /// The error of a failed run.
    pub(crate) error: Option<String>,
}

/// The error of an answer that does not match the open questions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnswerError {
    is_invalid: bool,
    message: String,
}

impl AnswerError {
    /// Returns `None` for an error that does not come from the caller.
    pub(crate) fn from_error(error: &Error) -> Option<Self> {
        let is_invalid = match error.kind() {
            ErrorKind::InvalidArgument => true,
            ErrorKind::FailedPrecondition => false,
            _ => return None,
        };
        Some(Self { is_invalid, message: error.chain() })
    }

    pub(crate) fn run_ended() -> Self {
        Self { is_invalid: false, message: "the run has ended, so no question is open".to_owned() }
    }

    pub(crate) fn into_error(self) -> Error {
        let kind = match self.is_invalid {
            true => ErrorKind::InvalidArgument,
            false => ErrorKind::FailedPrecondition,
        };
        Error::new(kind, self.message)
    }
}

/// The input of a step.
#[derive(Serialize, Deserialize)]
pub(crate) struct StepInput {
    pub(crate) run: RunId,
    pub(crate) number: u64,
    /// The number of this attempt, for the results of `once`.
    pub(crate) attempt: u32,
    /// The number of attempts that failed with a temporary error.
    pub(crate) tries: u32,
    /// Whether a worker was lost while it performed the step.
    pub(crate) is_begun: bool,
    /// The results of `once` of earlier attempts.
    pub(crate) recorded: BTreeMap<String, Value>,
    /// The step as JSON. If it is `None`, `data` contains the run with the step.
    pub(crate) step: Option<String>,
    pub(crate) data: Option<RunData>,
}

/// The output of a step.
#[derive(Serialize, Deserialize)]
pub(crate) struct StepOutput {
    /// The result as JSON.
    pub(crate) done: String,
    /// The wait before the step is performed again, in milliseconds, after a temporary error.
    pub(crate) retry_after: Option<u64>,
}

/// A result of `once`, as sent to the workflow.
#[derive(Serialize, Deserialize)]
pub(crate) struct OnceNote {
    pub(crate) number: u64,
    pub(crate) attempt: u32,
    pub(crate) key: String,
    pub(crate) done: Value,
}

/// Serializes and compresses a message.
///
/// # Errors
/// Returns `ResourceExhausted` if the message is too large for Temporal.
pub(crate) fn pack(what: &'static str, message: &impl Serialize) -> Result<Vec<u8>> {
    let json = to_json(message)?;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(json.as_bytes()).and_then(|()| encoder.finish());
    let packed = packed.map_err(|why| Error::new(ErrorKind::Internal, why.to_string()))?;
    if packed.len() > MAX_PACKED || json.len() > MAX_UNPACKED {
        let (bytes, packed) = (json.len(), packed.len());
        return Err(E::TooLarge { what, bytes, packed }.into());
    }
    Ok(packed)
}

/// Decompresses and parses a message.
pub(crate) fn unpack<T: DeserializeOwned>(packed: &[u8]) -> Result<T> {
    let mut json = Vec::new();
    let mut decoder = ZlibDecoder::new(packed).take(MAX_UNPACKED as u64);
    decoder.read_to_end(&mut json).map_err(|why| E::Unreadable(why.to_string()))?;
    from_json(&json)
}

pub(crate) fn to_json(message: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(message).map_err(|why| E::Unreadable(why.to_string()))?)
}

pub(crate) fn from_json<T: DeserializeOwned>(json: &[u8]) -> Result<T> {
    Ok(serde_json::from_slice(json).map_err(|why| E::Unreadable(why.to_string()))?)
}
