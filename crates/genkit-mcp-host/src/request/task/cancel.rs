//! The cancelling of a task whose caller goes away.

use std::sync::Arc;

use rmcp::model::{CancelTaskParams, CancelTaskRequest, ClientRequest};

use crate::lifecycle::server::ManagedServer;
use crate::limits::CANCEL_TASK;
use crate::session::connection::Connection;
use genkit_core::Context;

/// Cancels a task whose caller goes away.
pub(in crate::request) struct CancelTask {
    pub(super) id: String,
    pub(super) connection: Option<Arc<Connection>>,
    context: Context,
    pub(super) is_wanted: bool,
    /// A later life of a durable run knows of it.
    pub(in crate::request) is_saved: bool,
    /// Somebody is asked, and may answer in another run.
    pub(super) is_asking: bool,
    /// Nobody wants it any more.
    pub(super) is_given_up: bool,
}

impl CancelTask {
    /// Of a task that an earlier run began.
    pub(in crate::request) fn begun(server: &ManagedServer, context: &Context, id: &str) -> Self {
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

    /// Of a task that a call over `connection` was answered with.
    pub(in crate::request) fn created(
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
        let gave_up = self.is_given_up || self.context.is_cancelled();
        // A durable run goes on with it.
        let goes_on = self.is_asking || (self.context.is_durable() && self.is_saved);
        if !self.is_wanted || (goes_on && !gave_up) {
            return;
        }
        if let Some(connection) = self.connection.take() {
            cancel_soon(connection, std::mem::take(&mut self.id));
        }
    }
}

/// Tells a server that nobody wants a task any more.
pub(super) fn cancel_soon(connection: Arc<Connection>, id: String) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let request = CancelTaskRequest::new(CancelTaskParams::new(id));
    runtime.spawn(async move {
        let request = ClientRequest::CancelTaskRequest(request);
        let cancelled = connection.own_request(request, "tasks/cancel");
        // Whether it was is not known in time, and nobody waits for it.
        let _ = tokio::time::timeout(CANCEL_TASK, cancelled).await;
    });
}
