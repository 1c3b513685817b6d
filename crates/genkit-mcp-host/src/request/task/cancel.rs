//! Cancellation of a task whose caller no longer waits for it.

use std::sync::Arc;

use rmcp::model::{CancelTaskParams, CancelTaskRequest, ClientRequest};

use crate::lifecycle::server::ManagedServer;
use crate::limits::CANCEL_TASK;
use crate::session::connection::Connection;
use genkit_core::Context;

/// Cancels a task when it is dropped, unless the task should continue.
pub(in crate::request) struct CancelTask {
    pub(super) id: String,
    pub(super) connection: Option<Arc<Connection>>,
    context: Context,
    pub(super) is_wanted: bool,
    /// Whether a later execution of a durable run can continue the task.
    pub(in crate::request) is_saved: bool,
    /// Whether the user is being asked, and may answer in another run.
    pub(super) is_asking: bool,
    /// Whether the task was explicitly cancelled.
    pub(super) is_given_up: bool,
}

impl CancelTask {
    /// Creates a canceller for a task that an earlier run started.
    pub(in crate::request) fn for_earlier_run(
        server: &ManagedServer,
        context: &Context,
        id: &str,
    ) -> Self {
        Self {
            id: id.to_owned(),
            connection: None,
            context: context.clone(),
            is_wanted: !server.config.controls.keep_tasks,
            is_saved: true,
            is_asking: false,
            is_given_up: false,
        }
    }

    /// Creates a canceller for a task that a call over `connection` created.
    pub(in crate::request) fn for_new_task(
        server: &ManagedServer,
        context: &Context,
        id: &str,
        connection: &Arc<Connection>,
    ) -> Self {
        let mut this = Self::for_earlier_run(server, context, id);
        (this.connection, this.is_saved) = (Some(Arc::clone(connection)), false);
        this
    }
}

impl Drop for CancelTask {
    fn drop(&mut self) {
        let gave_up = self.is_given_up || self.context.is_cancelled();
        // A later run continues the task.
        let goes_on = self.is_asking || (self.context.is_durable() && self.is_saved);
        if !self.is_wanted || (goes_on && !gave_up) {
            return;
        }
        if let Some(connection) = self.connection.take() {
            spawn_cancel(connection, std::mem::take(&mut self.id));
        }
    }
}

/// Cancels a task at its server, in the background.
pub(super) fn spawn_cancel(connection: Arc<Connection>, id: String) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let request = CancelTaskRequest::new(CancelTaskParams::new(id));
    runtime.spawn(async move {
        let request = ClientRequest::CancelTaskRequest(request);
        let cancelled = connection.own_request(request, "tasks/cancel");
        // No caller waits for the outcome.
        let _ = tokio::time::timeout(CANCEL_TASK, cancelled).await;
    });
}
