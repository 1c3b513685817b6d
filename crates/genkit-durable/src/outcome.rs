//! The outcomes of runs.

use serde_json::Value;

use super::error::Error as E;
use super::flow_state::FlowState;
use super::record::{RunBody, StoredError};
use genkit_agent::RunState;
use genkit_core::Registry;
use genkit_core::{Error, Result};
use genkit_core::{GenerateResponse, Interrupt};
use genkit_core::{RunId, RunStatus};

/// The outcome of a durable flow.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FlowOutcome {
    /// The flow has returned this result.
    Returned(Value),
    /// The flow waits for answers to these questions.
    Interrupted(Vec<Interrupt>),
}

/// Returns the response of a run that is finished or interrupted.
pub(super) fn into_response(
    id: &RunId,
    registry: &Registry,
    status: RunStatus,
    error: Option<StoredError>,
    state: RunState,
) -> Result<GenerateResponse> {
    let error = match status {
        RunStatus::Failed => error.map(StoredError::into_error),
        RunStatus::Cancelled => Some(E::Cancelled(id.to_string()).into()),
        _ => None,
    };
    state.into_ended(registry, error)
}

/// Returns the result of a flow, or its open questions.
pub(super) fn into_flow_outcome(
    id: &RunId,
    status: RunStatus,
    error: Option<StoredError>,
    state: FlowState,
) -> Result<FlowOutcome> {
    match (status, error) {
        (RunStatus::Completed, _) => {
            Ok(FlowOutcome::Returned(state.into_output().unwrap_or_default()))
        }
        (RunStatus::Failed, Some(error)) => Err(error.into_error()),
        (RunStatus::Cancelled, _) => Err(E::Cancelled(id.to_string()).into()),
        _ => Ok(FlowOutcome::Interrupted(state.open_questions())),
    }
}

/// Creates the error for a run that is not of the requested kind.
pub(super) fn wrong_kind_error(id: &RunId, body: &RunBody, wanted: &'static str) -> Error {
    E::OtherKind { id: id.to_string(), is: body.run_kind(), wanted }.into()
}
