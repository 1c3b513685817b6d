//! Tasks without the feature `durable`: no call becomes a task.

pub(crate) mod table;

use std::future::{Ready, ready};
use std::sync::Arc;

use futures_util::future::Either;
use rmcp::model::{CreateTaskResult, ErrorData, InputResponses, RequestId};
use serde_json::Value;

use self::table::Tasks;
use super::caller::Request;
use super::caller::message::Reply;
use super::error::Error as E;
use super::instance::ServedInstance;
use super::run::{Answered, RunOutcome};
use super::state::SharedState;
use genkit_core::internal::action::ToolOutput;
use genkit_core::{Result, Tool, ToolTask};

/// Warns about tools whose calls cannot become tasks, and returns an error if a tool always runs as
/// a task.
pub(super) fn check_tools(genkit: &ServedInstance) -> Result<()> {
    for tool in genkit.registry.tools() {
        let Some(task) = tool.task() else { continue };
        let place = tool.location().map(|place| place.to_string()).unwrap_or_default();
        let tool = tool.name().to_owned();
        if task.is_required() {
            return Err(E::TasksNeedDurable { tool, place }.into());
        }
        tracing::warn!(%tool, %place, "calls to this tool cannot become tasks; enable genkit's feature `durable`");
    }
    Ok(())
}

/// Returns the tasks of the server, of which there are none.
pub(super) fn resume_stored(shared: &Arc<SharedState>) -> Arc<Tasks> {
    Arc::clone(&shared.tasks)
}

/// A request about a task. Never created without the feature `durable`.
pub(super) enum TaskCall {}

impl TaskCall {
    pub(super) fn method(&self) -> &'static str {
        match *self {}
    }
}

/// Returns `None`, because no method is about a task.
pub(super) fn read_call(
    _: &str,
    _: Option<String>,
    _: impl FnOnce() -> Option<InputResponses>,
) -> Option<TaskCall> {
    None
}

/// The response to a request about a task. Never created without the feature `durable`.
pub(super) enum TaskResponse {}

impl TaskResponse {
    pub(super) fn into_reply(self, _: &RequestId) -> Reply {
        match self {}
    }
}

pub(super) async fn answer(
    _: &Arc<SharedState>,
    call: TaskCall,
    _: &Request,
) -> Result<TaskResponse, ErrorData> {
    match call {}
}

type Started = Either<RunOutcome<ToolOutput>, CreateTaskResult>;

/// Rejects a call, because no call becomes a task.
pub(super) fn start_task(
    _: &Arc<SharedState>,
    _: Request,
    _: Tool,
    _: Value,
    _: ToolTask,
) -> Answered<Ready<Answered<Started>>> {
    Ok(ready(Err(E::UnknownTask.into())))
}
