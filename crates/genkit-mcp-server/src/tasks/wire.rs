//! Conversion of tasks to the results that are sent to clients.

use rmcp::model::{
    CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;

use super::limits::POLL;
use super::record::{RequestedInput, Stage, TaskRecord};
use crate::error::{Error as E, protocol_error};
use genkit_core::RunId;
use genkit_core::internal::time::format_iso8601;

/// Builds the response to the call that became a task.
pub(super) fn created_result(id: &RunId, record: &TaskRecord) -> CreateTaskResult {
    CreateTaskResult::new(build_task(id, record))
}

/// Builds the response to `tasks/get`.
///
/// # Errors
/// Returns an error if a stored question is not valid in the protocol.
pub(super) fn detailed_result(id: &RunId, record: TaskRecord) -> Result<GetTaskResult, E> {
    let task = build_task(id, &record);
    let object = |value: Value| match value {
        Value::Object(object) => object,
        _ => serde_json::Map::new(),
    };
    let payload = match record.stage {
        Stage::Working => TaskPayload::Working,
        Stage::Asks(open) => {
            let read = |open: RequestedInput| serde_json::from_value(open.request);
            let asked = open.into_iter().map(|(key, open)| Ok((key, read(open)?)));
            let asked = asked.collect::<Result<_, _>>().map_err(E::Unsendable)?;
            TaskPayload::InputRequired { input_requests: asked }
        }
        Stage::Completed(result) => TaskPayload::Completed { result: object(result) },
        Stage::Failed(error) => TaskPayload::Failed { error: object(error) },
        Stage::Cancelled => TaskPayload::Cancelled,
    };
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

fn build_task(id: &RunId, record: &TaskRecord) -> Task {
    let status = match record.stage {
        Stage::Working => TaskStatus::Working,
        Stage::Asks(_) => TaskStatus::InputRequired,
        Stage::Completed(_) => TaskStatus::Completed,
        Stage::Failed(_) => TaskStatus::Failed,
        Stage::Cancelled => TaskStatus::Cancelled,
    };
    let (created, updated) = (format_iso8601(record.created_ms), format_iso8601(record.updated_ms));
    let task = Task::new(id.as_str(), status, created, updated)
        .with_ttl_ms(record.ttl_ms)
        .with_poll_interval_ms(u64::try_from(POLL.as_millis()).unwrap_or(u64::MAX));
    // The message is the error of a failed task, or else the latest progress.
    let failed = match &record.stage {
        Stage::Failed(error) => error.get("message").and_then(Value::as_str),
        _ => None,
    };
    match failed.or(record.message.as_deref()) {
        Some(message) => task.with_status_message(message),
        None => task,
    }
}

/// Converts an error to the JSON of a failed task.
pub(super) fn error_value(error: &genkit_core::Error) -> Value {
    protocol_error_value(&protocol_error(error))
}

/// Converts a protocol error to the JSON of a failed task.
pub(super) fn protocol_error_value(error: &ErrorData) -> Value {
    serde_json::to_value(error).unwrap_or_default()
}
