//! The methods `tasks/get`, `tasks/update` and `tasks/cancel`.

use std::sync::Arc;

use rmcp::model::{ErrorData, GetTaskResult, InputResponses, RequestId, TaskAckResult};

use super::limits::CHANGE_TRIES;
use super::record::{Stage, TaskRecord};
use super::resume::spawn_resume;
use super::{sweep_later, wire};
use crate::audit::Audit;
use crate::caller::Request;
use crate::caller::message::{self, Reply};
use crate::error::{Error as E, protocol_error};
use crate::quota::ClientKey;
use crate::state::{LookupError, SharedState};
use genkit_core::internal::run_store::now_ms;
use genkit_core::{Error, Result, RunChange, RunId, StoredRun};

/// A request about a task.
pub(in super::super) enum TaskCall {
    Get(String),
    Update(String, InputResponses),
    Cancel(String),
}

/// Parses the parameters of a request about a task. Returns `None` for another method or invalid parameters.
pub(in super::super) fn read_call(
    method: &str,
    id: Option<String>,
    responses: impl FnOnce() -> Option<InputResponses>,
) -> Option<TaskCall> {
    Some(match method {
        "tasks/get" => TaskCall::Get(id?),
        "tasks/update" => TaskCall::Update(id?, responses()?),
        "tasks/cancel" => TaskCall::Cancel(id?),
        _ => return None,
    })
}

/// The response to a request about a task.
pub(in super::super) enum TaskResponse {
    Task(Box<GetTaskResult>),
    Done(TaskAckResult),
}

impl TaskResponse {
    /// Builds the response.
    pub(in super::super) fn into_reply(self, id: &RequestId) -> Reply {
        match self {
            Self::Task(task) => message::result_reply(id, &task),
            Self::Done(done) => message::result_reply(id, &done),
        }
    }
}

impl TaskCall {
    pub(in super::super) fn method(&self) -> &'static str {
        match self {
            Self::Get(_) => "tasks/get",
            Self::Update(..) => "tasks/update",
            Self::Cancel(_) => "tasks/cancel",
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Get(id) | Self::Update(id, _) | Self::Cancel(id) => id,
        }
    }
}

/// Handles a request about a task.
pub(in super::super) async fn answer(
    shared: &Arc<SharedState>,
    call: TaskCall,
    request: &Request,
) -> Result<TaskResponse, ErrorData> {
    sweep_later(shared);
    let task = FoundTask::find_task(shared, call.id(), request).await;
    // The id grants access to the task, so log the name of the tool instead.
    let tool = task.as_ref().map(|task| task.record.call.tool.as_str()).unwrap_or_default();
    let audit = Audit::start_record(call.method(), tool, request.request_source(), None);
    let answered = match (task, call) {
        (Err(error), _) => Err(error),
        (Ok(task), TaskCall::Get(_)) => {
            let detailed = wire::detailed_result(&task.id, task.record).map_err(TaskError::from);
            detailed.map(|task| TaskResponse::Task(Box::new(task)))
        }
        (Ok(task), TaskCall::Update(_, answers)) => {
            task.update_task(answers, request.quota.key()).await
        }
        (Ok(task), TaskCall::Cancel(_)) => task.cancel_task().await,
    };
    match answered {
        Ok(answer) => {
            audit.record_outcome("ok", None);
            Ok(answer)
        }
        Err(TaskError::Known(why)) => {
            audit.record_refusal(&why);
            Err(why.into())
        }
        Err(TaskError::Failed(error)) => {
            audit.record_outcome("error", None);
            Err(protocol_error(&shared.for_client(error, "tasks")))
        }
    }
}

/// The reason why a request about a task fails.
enum TaskError {
    Known(E),
    /// The store failed.
    Failed(Error),
}

impl From<E> for TaskError {
    fn from(why: E) -> Self {
        Self::Known(why)
    }
}

impl From<Error> for TaskError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A task that the caller can access.
struct FoundTask<'a> {
    shared: &'a Arc<SharedState>,
    id: RunId,
    stored: StoredRun,
    record: TaskRecord,
}

impl<'a> FoundTask<'a> {
    /// Loads the task. Tasks of other callers and expired tasks are reported as unknown, so that their existence is not
    /// revealed.
    async fn find_task(
        shared: &'a Arc<SharedState>,
        id: &str,
        request: &Request,
    ) -> Result<Self, TaskError> {
        request.quota.count_request()?;
        let id = RunId::parse_task(id).ok_or(E::UnknownTask)?;
        let (stored, record) = load_task(shared, &id).await?;
        let caller = shared.caller_for_head(&request.head);
        if !record.call.belongs_to(caller.principal()) {
            return Err(E::Hidden(Box::new(E::UnknownTask)).into());
        }
        if shared.find_tool(&record.call.tool, &caller).err() == Some(LookupError::Hidden) {
            return Err(E::Hidden(Box::new(E::UnknownTask)).into());
        }
        Ok(Self { shared, id, stored, record })
    }

    /// Saves a change; returns `false` and reloads the task if it was changed concurrently.
    async fn save_change(&mut self, change: RunChange) -> Result<bool, TaskError> {
        let store = &self.shared.tasks.store;
        let change = change.with_incarnation(self.stored.at.incarnation);
        if store.save(&self.id, self.stored.at.revision, &change).await?.is_some() {
            return Ok(true);
        }
        (self.stored, self.record) = load_task(self.shared, &self.id).await?;
        Ok(false)
    }

    async fn update_task(
        mut self,
        answers: InputResponses,
        client: &ClientKey,
    ) -> Result<TaskResponse, TaskError> {
        for _ in 0..CHANGE_TRIES {
            if !self.record.record_answers(answers.clone())? {
                break;
            }
            let goes_on = matches!(self.record.stage, Stage::Working);
            let change = self.record.take_change()?;
            if self.save_change(change).await? {
                if goes_on {
                    spawn_resume(self.shared, &self.id, client);
                }
                break;
            }
        }
        Ok(TaskResponse::Done(TaskAckResult::new()))
    }

    async fn cancel_task(mut self) -> Result<TaskResponse, TaskError> {
        for _ in 0..CHANGE_TRIES {
            if !matches!(self.record.stage, Stage::Working | Stage::Asks(_)) {
                break;
            }
            self.record.stage = Stage::Cancelled;
            let change = self.record.take_change()?;
            if self.save_change(change).await? {
                // If the task runs on another server, that server stops it when it renews the lease.
                self.shared.tasks.stop_task(&self.id);
                break;
            }
        }
        Ok(TaskResponse::Done(TaskAckResult::new()))
    }
}

async fn load_task(shared: &SharedState, id: &RunId) -> Result<(StoredRun, TaskRecord), TaskError> {
    let stored = shared.tasks.store.load(id).await?.ok_or(E::UnknownTask)?;
    let record = TaskRecord::read(&stored).filter(|record| record.ends_ms() > now_ms());
    let record = record.ok_or(E::UnknownTask)?;
    Ok((stored, record))
}
