//! Tasks of servers: a call that is answered with a task is followed until that ends.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelTaskParams, CancelTaskRequest, ClientRequest, ErrorData, GetTaskParams, GetTaskRequest,
    UpdateTaskParams, UpdateTaskRequest,
};
use rmcp::service::ServiceError;
use serde_json::{Map, Value};

use super::error::Error;
use super::retry::with_retry;
use super::{input_required, results};
use crate::context::{Context, Progress};
use crate::error::{Error as PublicError, Result};
use crate::mcp::host::error::OfServer as _;
use crate::mcp::host::lifecycle::server::ManagedServer;
use crate::mcp::host::limits::{
    CANCEL_TASK, LONGEST_POLL, MAX_PROGRESS_MESSAGE, MAX_ROUNDS, MAX_SERVER_REQUESTS, MAX_TASK_ID,
    POLL, SHORTEST_POLL, TASK_TIMEOUT,
};
use crate::mcp::host::session::connection::Connection;
use crate::truncate::truncate;
use crate::visible::{self, Logged};

/// The type of a result that is a task.
pub(super) const TASK: &str = "task";

/// A task that is followed.
struct FollowedTask<'a> {
    server: &'a ManagedServer,
    context: &'a Context,
    target: &'a str,
    /// The request, the same in every run.
    print: &'a str,
    id: String,
    /// The questions that were answered: nobody is asked twice for one key.
    answered: BTreeSet<String>,
    polls: u32,
    /// Its server could not be reached, which was told.
    is_away: bool,
    said: Option<String>,
    cancel: CancelTask,
}

/// The id of the task that a call was answered with.
///
/// # Errors
/// It has none that could be asked for.
pub(super) fn id_of(server: &str, created: &Value) -> Result<String> {
    let id = created["taskId"].as_str().filter(|id| !id.is_empty() && id.len() <= MAX_TASK_ID);
    Ok(id.ok_or_else(|| Error::OtherResult("tools/call").of(server))?.to_owned())
}

/// Follows a task until it ends: its result, as the call would have had it. `created` is what the call was answered,
/// where that was in this run.
///
/// # Errors
/// The task fails, is cancelled, lasts too long, or asks without end.
pub(super) async fn follow(
    server: &ManagedServer,
    context: &Context,
    target: &str,
    print: &str,
    cancel: CancelTask,
    created: Option<&Value>,
) -> Result<Value> {
    let id = cancel.id.clone();
    let (answered, polls, is_away, said) = (BTreeSet::new(), 0, false, None);
    let mut task =
        FollowedTask { server, context, target, print, id, answered, polls, is_away, said, cancel };
    let mut wait = Duration::ZERO;
    if let Some(created) = created {
        task.tell(created).await;
        wait = interval(created);
    }
    let followed = tokio::time::timeout(TASK_TIMEOUT, task.ended(wait)).await;
    let ended = followed.unwrap_or_else(|_| {
        Err(Error::EndlessTask(target.to_owned(), TASK_TIMEOUT).of(&server.key))
    });
    if ended.is_ok() {
        task.cancel.is_wanted = false;
    }
    ended.and_then(|ended| task.result(ended))
}

impl FollowedTask<'_> {
    /// Asks for it until it has ended: what it is then.
    async fn ended(&mut self, mut wait: Duration) -> Result<Value> {
        loop {
            tokio::time::sleep(wait).await;
            let request = GetTaskRequest::new(GetTaskParams::new(&self.id));
            let mut got = match self.request(ClientRequest::GetTaskRequest(request)).await {
                Ok(got) => got,
                Err(error) if self.outlives(&error) => {
                    wait = self.longer(wait, &error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            (self.polls, self.is_away) = (self.polls + 1, false);
            if got["taskId"] != self.id.as_str() {
                return Err(Error::OtherTask(self.target.to_owned()).of(&self.server.key));
            }
            self.tell(&got).await;
            wait = interval(&got);
            match got["status"].as_str().unwrap_or_default() {
                "working" => {}
                "input_required" => {
                    let required = got.get_mut("inputRequests").map(Value::take);
                    self.answer(required.unwrap_or_default()).await?;
                }
                "completed" | "failed" | "cancelled" => return Ok(got),
                _ => return Err(Error::OtherResult("tasks/get").of(&self.server.key)),
            }
        }
    }

    /// Whether a server that cannot be reached is no end of its task: in a durable run, which has time, a new call would
    /// be a second task.
    fn outlives(&self, error: &PublicError) -> bool {
        self.context.is_durable() && error.is_retryable()
    }

    /// How long to wait for a server that is away.
    fn longer(&mut self, wait: Duration, error: &PublicError) -> Duration {
        if !std::mem::replace(&mut self.is_away, true) {
            let (server, error) = (&self.server.key, Logged::text(error.chain()));
            tracing::warn!(%server, %error, "a task is followed again once its server is there");
        }
        (wait.max(POLL) * 2).min(LONGEST_POLL)
    }

    /// Answers what is asked and was not answered yet.
    async fn answer(&mut self, required: Value) -> Result<()> {
        let Value::Object(required) = required else {
            return Err(Error::OtherResult("tasks/get").of(&self.server.key));
        };
        let new = |key: &String| !self.answered.contains(key);
        let open: Map<String, Value> = required.into_iter().filter(|(key, _)| new(key)).collect();
        if open.is_empty() {
            return Ok(());
        }
        if self.answered.len() + open.len() > MAX_ROUNDS * MAX_SERVER_REQUESTS {
            return Err(Error::TooManyRounds(self.target.to_owned()).of(&self.server.key));
        }
        let keys: Vec<String> = open.keys().cloned().collect();
        let connection = self.server.connection().await?;
        // Who answers later asks for the task again then.
        self.cancel.is_asking = true;
        let required = Value::Object(open);
        let answers =
            input_required::responses(&connection, self.context, self.print, required).await;
        self.cancel.is_asking = false;
        let update = UpdateTaskParams::new(&self.id, answers?.unwrap_or_default());
        let request = UpdateTaskRequest::new(update);
        self.request(ClientRequest::UpdateTaskRequest(request)).await?;
        self.answered.extend(keys);
        Ok(())
    }

    async fn request(&mut self, request: ClientRequest) -> Result<Value> {
        let (result, connection) =
            with_retry(self.server, self.context, self.target, &request).await?;
        self.cancel.connection = Some(connection);
        let result = results::json(result)?;
        results::check_type(&self.server.key, self.target, &result)?;
        Ok(result)
    }

    /// Tells the caller of a new message, as progress.
    async fn tell(&mut self, task: &Value) {
        let Some(message) = task["statusMessage"].as_str() else { return };
        let message = truncate(message, MAX_PROGRESS_MESSAGE);
        let message = visible::line(&self.server.redactor.redact(message)).into_owned();
        if self.said.as_ref() != Some(&message) {
            let progress = Progress::new(f64::from(self.polls)).with_message(message.clone());
            self.said = Some(message);
            self.context.progress(progress).await;
        }
    }

    /// What its call is answered.
    fn result(&self, mut ended: Value) -> Result<Value> {
        match ended["status"].as_str().unwrap_or_default() {
            "completed" => Ok(ended["result"].take()),
            "failed" => {
                let error = serde_json::from_value::<ErrorData>(ended["error"].take());
                let error =
                    error.map_err(|_| Error::OtherResult("tasks/get").of(&self.server.key))?;
                Err(match &self.cancel.connection {
                    Some(connection) => connection.error_of(ServiceError::McpError(error)).error,
                    None => Error::OtherResult("tasks/get").of(&self.server.key),
                })
            }
            _ => Err(Error::TaskCancelled(self.target.to_owned()).of(&self.server.key)),
        }
    }
}

/// When the server wants to be asked next, as far as that is sensible.
fn interval(task: &Value) -> Duration {
    let said = task["pollIntervalMs"].as_f64().filter(|ms| ms.is_finite() && *ms >= 0.0);
    let said =
        said.map(|ms| Duration::from_secs_f64((ms / 1000.0).min(LONGEST_POLL.as_secs_f64())));
    said.unwrap_or(POLL).max(SHORTEST_POLL)
}

/// Cancels a task whose caller goes away.
pub(super) struct CancelTask {
    id: String,
    connection: Option<Arc<Connection>>,
    context: Context,
    is_wanted: bool,
    /// A later life of a durable run knows of it.
    pub(super) is_saved: bool,
    /// Somebody is asked, and may answer in another run.
    is_asking: bool,
}

impl CancelTask {
    /// Of a task that an earlier run began.
    pub(super) fn begun(server: &ManagedServer, context: &Context, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            connection: None,
            context: context.clone(),
            is_wanted: !server.config.controls.keep_tasks,
            is_saved: true,
            is_asking: false,
        }
    }

    /// Of a task that a call over `connection` was answered with.
    pub(super) fn created(
        server: &ManagedServer,
        context: &Context,
        id: &str,
        connection: &Arc<Connection>,
    ) -> Self {
        let mut this = Self::begun(server, context, id);
        (this.connection, this.is_saved) = (Some(Arc::clone(connection)), false);
        this
    }
}

impl Drop for CancelTask {
    fn drop(&mut self) {
        let gave_up = self.context.is_cancelled();
        // A durable run goes on with it.
        let goes_on = self.is_asking || (self.context.is_durable() && self.is_saved);
        if !self.is_wanted || (goes_on && !gave_up) {
            return;
        }
        let Some(connection) = self.connection.take() else { return };
        let request = CancelTaskRequest::new(CancelTaskParams::new(std::mem::take(&mut self.id)));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let request = ClientRequest::CancelTaskRequest(request);
                let cancelled = connection.own_request(request, "tasks/cancel");
                // Whether it was is not known in time, and nobody waits for it.
                let _ = tokio::time::timeout(CANCEL_TASK, cancelled).await;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_says_how_often_it_is_asked_within_reason() {
        for (said, meant) in [
            (json!(0), SHORTEST_POLL),
            (json!(2500), Duration::from_millis(2500)),
            (json!(1e300), LONGEST_POLL),
            (json!(u64::MAX), LONGEST_POLL),
            (json!(-5), POLL),
            (json!("5"), POLL),
            (Value::Null, POLL),
        ] {
            assert_eq!(interval(&json!({ "pollIntervalMs": said })), meant, "{said}");
        }
    }
}
