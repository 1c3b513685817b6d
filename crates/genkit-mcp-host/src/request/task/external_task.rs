//! Polling of a task while the function that waits for it is suspended.

use std::sync::{Arc, Weak};
use std::time::Duration;

use rmcp::model::{ClientRequest, GetTaskParams, GetTaskRequest};
use serde_json::Value;

use super::super::results;
use super::super::retry::with_retry;
use super::cancel::spawn_cancel;
use super::task_record::{TaskRecord, poll_interval};
use crate::lifecycle::server::ManagedServer;
use crate::limits::LONGEST_POLL;
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::Result;
use genkit_core::internal::context::{ExternalOperation, RunWait};
use genkit_core::internal::time::now_ms;

/// A server's task that a suspended function waits for.
pub(super) struct ExternalTask {
    /// Weak, so that the server is not kept alive after its host is dropped.
    server: Weak<ManagedServer>,
    /// The context of the caller, whose headers are sent with each poll.
    context: Context,
    target: String,
    id: String,
    ends_ms: u64,
    keeps: bool,
}

impl ExternalTask {
    pub(super) fn new(
        server: &Arc<ManagedServer>,
        context: &Context,
        target: &str,
        note: &TaskRecord,
    ) -> Self {
        Self {
            server: Arc::downgrade(server),
            context: context.detached_context(),
            target: target.to_owned(),
            id: note.task_id.clone(),
            ends_ms: note.deadline_ms(),
            keeps: server.config.controls.keep_tasks,
        }
    }

    async fn get_task(&self, server: &ManagedServer) -> Result<Value> {
        let request =
            ClientRequest::GetTaskRequest(GetTaskRequest::new(GetTaskParams::new(&self.id)));
        let (result, _) = with_retry(server, &self.context, &self.target, &request).await?;
        results::into_json(result)
    }
}

impl ExternalOperation for ExternalTask {
    fn poll_operation(&self) -> BoxFuture<'_, Option<Duration>> {
        Box::pin(async move {
            let server = self.server.upgrade()?;
            let left = Duration::from_millis(self.ends_ms.saturating_sub(now_ms()));
            if left.is_zero() {
                return None;
            }
            let again = match self.get_task(&server).await {
                Ok(got) if got["taskId"] == self.id.as_str() && got["status"] == "working" => {
                    poll_interval(&got)
                }
                // Wait until an outage is over.
                Err(error) if error.is_retryable() => LONGEST_POLL / 4,
                _ => return None,
            };
            Some(again.min(left))
        })
    }

    /// Omits the id of the task, because it grants access to the task.
    fn describe(&self) -> RunWait {
        RunWait::Task(self.target.clone())
    }

    fn cancel_operation(&self) {
        let (Some(server), false) = (self.server.upgrade(), self.keeps) else { return };
        let id = self.id.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Ok(connection) = server.wait_connected().await {
                    spawn_cancel(connection, id);
                }
            });
        }
    }
}
