//! What a run has come to, for whoever waits for it.

use serde_json::Value;

use super::error::Error as E;
use super::flow_state::FlowState;
use super::record::{RunBody, StoredError};
use genkit_agent::RunState;
use genkit_core::Registry;
use genkit_core::{Error, Result};
use genkit_core::{GenerateResponse, Interrupt};
use genkit_core::{RunId, RunStatus};

/// Outcome of a durable flow: where it has got to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FlowOutcome {
    /// Returned: the result of the flow.
    Returned(Value),
    /// Questions: it waits for answers to these.
    Asks(Vec<Interrupt>),
}

/// The response of a run that is over or asks.
pub(super) fn response_of(
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

/// What a flow has returned, or asks.
pub(super) fn flow_outcome_of(
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
        _ => Ok(FlowOutcome::Asks(state.open())),
    }
}

/// The run is of another kind than was asked for.
pub(super) fn other_kind(id: &RunId, body: &RunBody, wanted: &'static str) -> Error {
    E::OtherKind { id: id.to_string(), is: body.kind(), wanted }.into()
}
