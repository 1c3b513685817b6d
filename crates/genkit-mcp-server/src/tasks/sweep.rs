//! Sweeping: resumes abandoned tasks and removes expired tasks.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::limits::{SKIP, SWEEP, SWEEP_LIMIT};
use super::resume::{ResumeOutcome, resume_task};
use crate::state::SharedState;
use genkit_core::RunId;
use genkit_core::internal::visible::Logged;

/// Starts sweeping, which continues until the server stops. Does nothing if sweeping is already running.
pub(in super::super) fn sweep_later(shared: &Arc<SharedState>) {
    let Ok(runtime) = Handle::try_current() else { return };
    if shared.tasks.begin_sweeping() {
        let stopping = shared.tasks.stopping.clone();
        let shared = Arc::downgrade(shared);
        runtime.spawn(async move {
            tokio::select! {
                () = sweep_tasks(shared) => {}
                () = stopping.cancelled() => {}
            }
        });
    }
}

async fn sweep_tasks(server: Weak<SharedState>) {
    let mut left_alone = HashMap::<RunId, Instant>::new();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    while let Some(shared) = server.upgrade() {
        while let Ok(id) = told.try_recv() {
            left_alone.insert(id, Instant::now() + SKIP);
        }
        left_alone.retain(|_, until| *until > Instant::now());
        shared.tasks.forget_clients();
        // Ignored tasks are also due, so raise the limit by their number to leave room for the others.
        let due = shared.tasks.store.due(SWEEP_LIMIT + left_alone.len()).await;
        let due = due.unwrap_or_else(|error| {
            let error = Logged::text(error.chain());
            tracing::warn!(%error, "cannot load the due tasks");
            Vec::new()
        });
        for id in due.into_iter().filter(|id| id.is_task() && !left_alone.contains_key(id)) {
            let stop = CancellationToken::new();
            let Some(running) = shared.tasks.register_running(&id, None, &stop) else { continue };
            let (shared, tell) = (Arc::clone(&shared), tell.clone());
            tokio::spawn(async move {
                if resume_task(&shared, running, stop).await == ResumeOutcome::Unsupported {
                    let _ = tell.send(id);
                }
            });
        }
        drop(shared);
        tokio::time::sleep(SWEEP).await;
    }
}
