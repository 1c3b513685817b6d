//! Tasks of servers: if a call returns a task, the task is polled until it ends.

mod cancel;
mod external_task;
mod task_record;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ErrorData, GetTaskParams, GetTaskRequest, UpdateTaskParams, UpdateTaskRequest,
};
use rmcp::service::ServiceError;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

pub(super) use self::cancel::CancelTask;
use self::external_task::ExternalTask;
pub(super) use self::task_record::TaskRecord;
use self::task_record::poll_interval;
use super::error::Error;
use super::retry::with_retry;
use super::{input_required, results};
use crate::config::TaskWait;
use crate::error::ServerErrorExt as _;
use crate::lifecycle::server::ManagedServer;
use crate::limits::{
    LONGEST_POLL, MAX_PROGRESS_MESSAGE, MAX_RECORDED_QUESTION, MAX_ROUNDS, MAX_SERVER_REQUESTS,
    MAX_TASK_ID, POLL_INTERVAL, SHORTEST_POLL, WORKER_RELEASE_AFTER,
};
use genkit_core::internal::context::{ExternalOperation, MCP_TASK};
use genkit_core::internal::visible;
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, Progress};
use genkit_core::{Error as PublicError, Result};
use genkit_schema::internal::size::json_size;
use genkit_schema::internal::truncate::truncate;

/// The type of a result that is a task.
pub(super) const TASK: &str = "task";

/// The call that became a task.
#[derive(Clone, Copy)]
pub(super) struct TaskCall<'a> {
    pub(super) server: &'a Arc<ManagedServer>,
    pub(super) context: &'a Context,
    pub(super) target: &'a str,
    /// The fingerprint of the request, the same in every run.
    pub(super) print: &'a str,
    /// The key that the task is recorded under.
    pub(super) key: &'a str,
}

/// A task that is being followed.
struct FollowedTask<'a> {
    call: TaskCall<'a>,
    note: TaskRecord,
    /// The keys of the questions that were answered in this run.
    answered: BTreeSet<String>,
    polls: u32,
    /// Whether the last poll did not reach the server. This is logged once.
    is_away: bool,
    said: Option<String>,
    /// When a durable run starts to release its worker between two polls.
    rests_from: Instant,
    cancel: CancelTask,
}

/// Returns the id of the task that a call created.
///
/// # Errors
/// Returns an error if the id is missing or too long.
fn read_task_id(server: &str, created: &Value) -> Result<String> {
    let id = created["taskId"].as_str().filter(|id| !id.is_empty() && id.len() <= MAX_TASK_ID);
    Ok(id.ok_or_else(|| Error::OtherResult("tools/call").for_server(server))?.to_owned())
}

/// Records the task that a call created, and follows it.
///
/// # Errors
/// Returns the errors of [`follow_task`], and an error if the id cannot be saved.
pub(super) async fn follow_new(
    call: TaskCall<'_>,
    created: &Value,
    connection: &Arc<crate::session::connection::Connection>,
) -> Result<Value> {
    let note = TaskRecord::new(read_task_id(&call.server.key, created)?, created);
    let mut cancel = CancelTask::for_new_task(call.server, call.context, &note.task_id, connection);
    // A later run, in any process, can continue it.
    call.context.record_saved(call.key, serde_json::to_value(&note)?).await?;
    cancel.is_saved = true;
    follow_task(call, note, cancel, Some(created)).await
}

/// Continues a task that an earlier run started.
///
/// # Errors
/// Returns the errors of [`follow_task`].
pub(super) async fn follow_recorded(call: TaskCall<'_>, note: TaskRecord) -> Result<Value> {
    let cancel = CancelTask::for_earlier_run(call.server, call.context, &note.task_id);
    follow_task(call, note, cancel, None).await
}

/// Follows a task until it ends, and returns the result of the call. `created` is the response to the call, if it was
/// made in this run.
///
/// # Errors
/// Returns an error if the task fails, is cancelled, takes too long, or asks too many questions.
async fn follow_task(
    call: TaskCall<'_>,
    note: TaskRecord,
    cancel: CancelTask,
    created: Option<&Value>,
) -> Result<Value> {
    let _followed = call.context.follow_operation();
    let (answered, polls, is_away, said) = (BTreeSet::new(), 0, false, None);
    // For a task from an earlier run, release the worker from the first poll on.
    let rests_from =
        Instant::now() + if created.is_some() { WORKER_RELEASE_AFTER } else { Duration::ZERO };
    let mut task = FollowedTask { call, note, answered, polls, is_away, said, rests_from, cancel };
    let mut wait = Duration::ZERO;
    if let Some(created) = created {
        task.report_status(created).await;
        wait = poll_interval(created);
    }
    let ended = match task.note.ended.take() {
        Some(ended) => Ok(ended),
        None => task.poll_until_ended(wait).await,
    };
    if ended.is_ok() {
        task.cancel.is_wanted = false;
    }
    let result = ended.and_then(|ended| task.call_result(ended));
    if result.is_err() || !call.context.is_durable() {
        call.context.record_result(call.key, Value::Null);
    }
    result
}

impl FollowedTask<'_> {
    /// Polls the task until it has ended, and returns its final state.
    async fn poll_until_ended(&mut self, mut wait: Duration) -> Result<Value> {
        // The user may have decided in the meantime whether the task should continue.
        self.wait_for_decision().await?;
        loop {
            self.pause_between_polls(wait).await?;
            let mut got = match self.get_task().await {
                Ok(got) => got,
                Err(error) if self.should_outlive(&error) => {
                    wait = self.outage_wait(wait, &error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            (self.polls, self.is_away) = (self.polls + 1, false);
            if got["taskId"] != self.note.task_id.as_str() {
                return Err(self.server_error(Error::OtherTask(self.call.target.to_owned())));
            }
            self.note.update_ttl(&got);
            self.report_status(&got).await;
            wait = poll_interval(&got);
            match got["status"].as_str().unwrap_or_default() {
                "working" => self.interrupt_loop(&got).await?,
                "input_required" => {
                    let required = got.get_mut("inputRequests").map(Value::take);
                    let (left, answer) = (
                        self.note.time_left(),
                        self.answer_questions(required.unwrap_or_default()),
                    );
                    match tokio::time::timeout(left, answer).await {
                        Ok(answered) => answered?,
                        Err(_) => return Err(self.endless_error()),
                    }
                }
                "completed" => {
                    self.save_result(&got).await?;
                    return Ok(got);
                }
                "failed" | "cancelled" => return Ok(got),
                _ => return Err(self.server_error(Error::OtherResult("tasks/get"))),
            }
        }
    }

    async fn get_task(&mut self) -> Result<Value> {
        let request = GetTaskRequest::new(GetTaskParams::new(&self.note.task_id));
        self.send_request(ClientRequest::GetTaskRequest(request)).await
    }

    /// Waits between two polls, at most until the task expires. A durable run releases its worker if possible.
    async fn pause_between_polls(&self, wait: Duration) -> Result<()> {
        let left = self.note.time_left();
        if left.is_zero() {
            return Err(self.endless_error());
        }
        // The server may discard the task when its time to live ends, so poll before that.
        let wait = wait.min(left / 2).max(SHORTEST_POLL.min(wait));
        let held = self.rests_from.saturating_duration_since(Instant::now()).min(wait);
        tokio::time::sleep(held).await;
        if wait > held {
            let TaskCall { server, context, target, .. } = self.call;
            let elsewhere = ExternalTask::new(server, context, target, &self.note);
            context
                .wait_suspended(Arc::new(elsewhere) as Arc<dyn ExternalOperation>, wait - held)
                .await;
        }
        Ok(())
    }

    fn server_error(&self, error: Error) -> PublicError {
        error.for_server(&self.call.server.key)
    }

    fn endless_error(&self) -> PublicError {
        self.server_error(Error::EndlessTask(self.call.target.to_owned(), self.note.total_time()))
    }

    /// Saves the state of the task.
    async fn save_record(&self) -> Result<()> {
        self.call.context.record_saved(self.call.key, serde_json::to_value(&self.note)?).await
    }

    /// Saves the result for later executions of a durable run. A result above the limit is not saved but requested
    /// again.
    async fn save_result(&mut self, got: &Value) -> Result<()> {
        if !self.call.context.is_durable() || json_size(got) > MAX_RECORDED_QUESTION {
            return Ok(());
        }
        self.note.ended = Some(got.clone());
        (self.note.answers, self.note.shown) = (Map::new(), None);
        self.save_record().await
    }

    /// Interrupts the loop, if configured. When the loop is resumed, the task is polled again.
    async fn interrupt_loop(&mut self, got: &Value) -> Result<()> {
        let TaskCall { server, context, target, .. } = self.call;
        if server.config.controls.task_wait != TaskWait::Interrupt || !context.takes_interrupts() {
            return Ok(());
        }
        let times = self.note.shown.as_ref().map_or(0, |(times, _)| *times) + 1;
        let name =
            format!("{}/{}", visible::escape_line(&server.key), visible::escape_name(target));
        let shown = json!({
            "message": format!("`{name}` continues as a task."),
            MCP_TASK: {
                "server": server.key,
                "taskId": self.note.task_id,
                "status": got["status"],
                "statusMessage": self.said,
                "pollIntervalMs": u64::try_from(poll_interval(got).as_millis()).unwrap_or(u64::MAX),
                "times": times,
            },
        });
        self.note.shown = Some((times, shown));
        self.save_record().await?;
        self.wait_for_decision().await
    }

    /// Waits for the answer to the last interrupt; a denial ends the task.
    async fn wait_for_decision(&mut self) -> Result<()> {
        let Some((times, shown)) = self.note.shown.clone() else { return Ok(()) };
        let key = format!("{}:task:{times}", self.call.print);
        // Do not cancel the task: the user may answer in a later run.
        self.cancel.is_asking = true;
        let answered = self.call.context.interrupt_with_task(key, shown).await;
        self.cancel.is_asking = false;
        if answered.is_err() {
            self.cancel.is_given_up = true;
            // The task has a connection only if it was polled in this run.
            self.cancel.connection = self.call.server.wait_connected().await.ok();
        }
        answered
    }

    /// Returns whether to continue to poll the task although its server is unreachable: a durable run can wait, and a
    /// new call would start a second task.
    fn should_outlive(&self, error: &PublicError) -> bool {
        self.call.context.is_durable() && error.is_retryable()
    }

    /// Returns how long to wait for an unreachable server.
    fn outage_wait(&mut self, wait: Duration, error: &PublicError) -> Duration {
        if !std::mem::replace(&mut self.is_away, true) {
            let (server, error) = (&self.call.server.key, Logged::text(error.chain()));
            tracing::warn!(%server, %error, "cannot reach the server of a task; retrying");
        }
        (wait.max(POLL_INTERVAL) * 2).min(LONGEST_POLL)
    }

    /// Answers the questions that have no answer yet.
    async fn answer_questions(&mut self, required: Value) -> Result<()> {
        let TaskCall { server, context, target, print, .. } = self.call;
        let Value::Object(required) = required else {
            return Err(self.server_error(Error::OtherResult("tasks/get")));
        };
        let new = |key: &String| !self.answered.contains(key);
        let open: Map<String, Value> = required.into_iter().filter(|(key, _)| new(key)).collect();
        if open.is_empty() {
            return Ok(());
        }
        if self.answered.len() + open.len() > MAX_ROUNDS * MAX_SERVER_REQUESTS {
            return Err(Error::TooManyRounds(target.to_owned()).for_server(&server.key));
        }
        let keys: Vec<String> = open.keys().cloned().collect();
        // Answers of an earlier run that ended before the server received them.
        let mut answers: Map<String, Value> = self.note.answers.clone();
        answers.retain(|key, _| keys.contains(key));
        let unknown = |key: &String| !answers.contains_key(key);
        let open: Map<String, Value> = open.into_iter().filter(|(key, _)| unknown(key)).collect();
        if !open.is_empty() {
            let connection = server.wait_connected().await?;
            // Do not cancel the task: the user may answer in a later run.
            self.cancel.is_asking = true;
            let required = Value::Object(open);
            let given =
                input_required::answer_requests(&connection, context, print, required).await;
            self.cancel.is_asking = false;
            answers.extend(given?.unwrap_or_default());
            self.save_answers(&answers).await?;
        }
        let update = UpdateTaskParams::new(&self.note.task_id, answers.into_iter().collect());
        let request = UpdateTaskRequest::new(update);
        self.send_request(ClientRequest::UpdateTaskRequest(request)).await?;
        self.answered.extend(keys);
        Ok(())
    }

    /// Saves answers before they are sent, so that the user is not asked again if this process dies.
    async fn save_answers(&mut self, answers: &Map<String, Value>) -> Result<()> {
        if !self.call.context.is_durable() {
            return Ok(());
        }
        let size: usize = answers.values().map(json_size).sum();
        if size > MAX_RECORDED_QUESTION {
            let (server, limit) = (&self.call.server.key, MAX_RECORDED_QUESTION);
            tracing::warn!(%server, size, limit, "the answers are too large to save; the user is asked again after a crash");
            return Ok(());
        }
        // The server already has the answers of earlier rounds.
        self.note.answers = answers.clone();
        self.save_record().await
    }

    async fn send_request(&mut self, request: ClientRequest) -> Result<Value> {
        let TaskCall { server, context, target, .. } = self.call;
        let _undivided = context.prevent_drop();
        let (result, connection) = with_retry(server, context, target, &request).await?;
        self.cancel.connection = Some(connection);
        let result = results::into_json(result)?;
        results::check_type(&server.key, target, &result)?;
        Ok(result)
    }

    /// Reports a new status message to the caller as progress.
    async fn report_status(&mut self, task: &Value) {
        let Some(message) = task["statusMessage"].as_str() else { return };
        let message = truncate(message, MAX_PROGRESS_MESSAGE);
        let message =
            visible::escape_line(&self.call.server.redactor.redact_text(message)).into_owned();
        if self.said.as_ref() != Some(&message) {
            let progress = Progress::new(f64::from(self.polls)).with_message(message.clone());
            self.said = Some(message);
            self.call.context.progress(progress).await;
        }
    }

    /// Returns the result of the call.
    fn call_result(&self, mut ended: Value) -> Result<Value> {
        match ended["status"].as_str().unwrap_or_default() {
            "completed" => Ok(ended["result"].take()),
            "failed" => {
                let error = serde_json::from_value::<ErrorData>(ended["error"].take());
                let error = error.map_err(|_| {
                    Error::OtherResult("tasks/get").for_server(&self.call.server.key)
                })?;
                Err(match &self.cancel.connection {
                    Some(connection) => {
                        connection.request_error(ServiceError::McpError(error)).error
                    }
                    None => Error::OtherResult("tasks/get").for_server(&self.call.server.key),
                })
            }
            _ => {
                Err(Error::TaskCancelled(self.call.target.to_owned())
                    .for_server(&self.call.server.key))
            }
        }
    }
}
