//! A running task. Its function runs under the task's lease, and its results and progress are saved.

use std::sync::Arc;

use rmcp::model::ErrorData;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::limits::PROGRESS;
use super::record::{Stage, TaskRecord};
use super::wire;
use crate::error::missing_capability;
use crate::results;
use crate::session::Era;
use crate::state::SharedState;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::Outcome;
use genkit_core::internal::visible::Logged;
use genkit_core::{BoxFuture, ErrorKind, Result, Tool};
use genkit_durable::internal::{LeasedRun, Note};
use genkit_schema::internal::size::json_size;

/// A running function, and the receivers of its recorded results and messages.
pub(super) struct TaskWork {
    pub(super) running: BoxFuture<'static, Outcome<ToolOutput>>,
    pub(super) noted: mpsc::UnboundedReceiver<Note>,
    pub(super) messages: watch::Receiver<Option<String>>,
    /// Cancels the function.
    pub(super) stop: CancellationToken,
}

/// Runs a task until it finishes, asks a question or is stopped.
pub(super) async fn drive_task(
    shared: &Arc<SharedState>,
    tool: &Tool,
    mut session: LeasedRun,
    mut record: TaskRecord,
    mut work: TaskWork,
) {
    let span = tracing::info_span!("mcp_task", tool = %Logged::name(tool.name()));
    let worked = async {
        let Some(ended) =
            wait_for_function(shared, tool.is_at_most_once(), &mut session, &mut record, &mut work)
                .await?
        else {
            return Ok(());
        };
        if record_outcome(shared, tool, &mut record, ended) {
            save_record(&mut session, &mut record).await?;
        }
        Ok(())
    };
    let worked: Result<()> = worked.instrument(span).await;
    // Cancel a function that did not finish.
    drop(work);
    match worked.err() {
        None => {}
        Some(error) if error.kind() == ErrorKind::Aborted => {
            tracing::debug!("a task was cancelled or taken over by another server");
        }
        Some(error) => {
            let error = Logged::text(error.chain());
            tracing::warn!(%error, "failed to run a task; it will be resumed");
        }
    }
    session.release().await;
}

/// Resolves when the message differs from `known`, but not before `time`.
async fn until_message(
    messages: &mut watch::Receiver<Option<String>>,
    known: &Option<String>,
    time: Instant,
) {
    loop {
        let is_new =
            messages.borrow_and_update().as_ref().is_some_and(|new| known.as_ref() != Some(new));
        if is_new {
            return tokio::time::sleep_until(time).await;
        }
        if messages.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// Waits for the function; returns `None` if the server shuts down. `is_once` specifies that the function must not
/// be run again.
async fn wait_for_function(
    shared: &SharedState,
    is_once: bool,
    session: &mut LeasedRun,
    record: &mut TaskRecord,
    work: &mut TaskWork,
) -> Result<Option<Outcome<ToolOutput>>> {
    /// The next event of a task.
    enum Event {
        Noted(Note),
        Ended(Outcome<ToolOutput>),
        Stops,
        Reports,
    }
    let mut next_message = Instant::now();
    loop {
        let event = async {
            tokio::select! {
                biased;
                Some(note) = work.noted.recv() => Event::Noted(note),
                ended = &mut work.running => Event::Ended(ended),
                () = shared.tasks.stopping.cancelled() => Event::Stops,
                () = until_message(&mut work.messages, &record.message, next_message) => Event::Reports,
            }
        };
        match session.run_leased(event).await? {
            Event::Noted(Note { what, saved, .. }) => {
                record.note_result(what);
                save_record(session, record).await?;
                let _ = saved.send(());
            }
            Event::Ended(ended) => return Ok(Some(ended)),
            Event::Stops => {
                // Do not count a regular shutdown as a failed attempt.
                if !is_once {
                    record.attempts = record.attempts.saturating_sub(1);
                }
                save_record(session, record).await?;
                return Ok(None);
            }
            Event::Reports => {
                record.message.clone_from(&work.messages.borrow_and_update());
                save_record(session, record).await?;
                next_message = Instant::now() + PROGRESS;
            }
        }
    }
}

async fn save_record(session: &mut LeasedRun, record: &mut TaskRecord) -> Result<()> {
    let change = record.take_change()?;
    session.save_change(change).await
}

/// Records the outcome of the function; returns whether the record must be saved.
pub(super) fn record_outcome(
    shared: &SharedState,
    tool: &Tool,
    record: &mut TaskRecord,
    ended: Outcome<ToolOutput>,
) -> bool {
    record.stage = match ended {
        Outcome::Cancelled => return false,
        Outcome::Suspended(questions, recording) => {
            record.message = None;
            match record.store_questions(questions, recording) {
                Ok(()) => return true,
                Err(error) => {
                    Stage::Failed(wire::error_value(&shared.for_client(error, tool.name())))
                }
            }
        }
        Outcome::Finished(Err(error)) => {
            // An internal error is an error of the task, not a result of the tool.
            let is_fault = error.kind() == ErrorKind::Internal;
            let error = shared.for_client(error, tool.name());
            match missing_capability(&error) {
                Some(missing) => Stage::Failed(wire::protocol_error_value(&missing)),
                None if is_fault => Stage::Failed(wire::error_value(&error)),
                None => completed_stage(shared, tool, Err(error)),
            }
        }
        Outcome::Finished(returned) => completed_stage(shared, tool, returned),
    };
    true
}

/// Builds the result for the client.
fn completed_stage(shared: &SharedState, tool: &Tool, returned: Result<ToolOutput>) -> Stage {
    let limit = tool.max_output().unwrap_or(shared.settings.max_output);
    let mut result = results::tool_result(tool, returned, Era::Modern);
    let size = json_size(&result);
    if size > limit {
        result = results::too_large(tool, size, limit);
    }
    // The response to `tasks/get` has its own result type.
    result.result_type = None;
    match serde_json::to_value(&result) {
        Ok(result) => Stage::Completed(result),
        Err(why) => Stage::Failed(wire::protocol_error_value(&ErrorData::internal_error(
            why.to_string(),
            None,
        ))),
    }
}

/// Builds an error result of the server, for the model.
pub(super) fn error_result(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}
