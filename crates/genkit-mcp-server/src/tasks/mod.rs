//! Tasks: calls of tools that go on after their request, as MCP's extension `io.modelcontextprotocol/tasks` has them.
//!
//! A task is a durable run of one call: it stands in the store of the program, or in memory; who works on it has its
//! lease; what it did by `once` is saved the moment that it is done. Every server on one store answers for its tasks.
//!
//! ```text
//! tools/call ─ begin ─┬─ ends or asks in time ─ the plain answer
//!                     └─ saved, its id is told ─ drive ─┬─ ended ─────────┐
//! sweep ─ what nobody works on ─ resume ────────────────┤                 ├─ tasks/get, until its time is over
//!                   tasks/update ───────────────────────┴─ input_required ┘
//! ```

mod begin;
mod caller;
mod drive;
mod limits;
mod methods;
mod record;
mod resume;
mod rounds;
mod sweep;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

pub(super) use self::begin::{BegunCall, begin};
pub(super) use self::limits::TTL;
use self::limits::{MAX_CLIENT_TASKS, MAX_RUNNING, STOP, STOP_LOOKS};
pub(super) use self::methods::{TaskAnswer, TaskCall, answer};
pub(super) use self::sweep::sweep_later;
use super::quota::ClientKey;
use genkit_core::RunId;
use genkit_core::RunStore;
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_durable::internal::MemoryRuns;

/// The tasks of one server, as far as this process knows them.
pub(crate) struct Tasks {
    store: Arc<dyn RunStore>,
    /// Those that run here, each with what stops it at once.
    running: Mutex<HashMap<RunId, CancellationToken>>,
    /// When those end that clients made here.
    made: Mutex<HashMap<ClientKey, Vec<u64>>>,
    is_swept: AtomicBool,
    /// The server ends.
    stopping: CancellationToken,
}

/// A task that runs here, until this is dropped.
struct RunningTask {
    tasks: Arc<Tasks>,
    id: RunId,
}

impl Tasks {
    /// In this store, or in memory.
    pub(crate) fn new(store: Option<Arc<dyn RunStore>>) -> Self {
        Self {
            store: store.unwrap_or_else(|| Arc::new(MemoryRuns::default())),
            running: Mutex::default(),
            made: Mutex::default(),
            is_swept: AtomicBool::new(false),
            stopping: CancellationToken::new(),
        }
    }

    /// Whether this client may make another task here.
    pub(super) fn has_room(&self, client: &ClientKey) -> bool {
        if lock(&self.running).len() >= MAX_RUNNING {
            return false;
        }
        let mut made = lock(&self.made);
        let Some(ends) = made.get_mut(client) else { return true };
        let now = now_ms();
        ends.retain(|end| *end > now);
        ends.len() < MAX_CLIENT_TASKS
    }

    fn note_made(&self, client: &ClientKey, ends_ms: u64) {
        lock(&self.made).entry(client.clone()).or_default().push(ends_ms);
    }

    /// Forgets clients whose tasks are gone.
    fn forget_clients(&self) {
        let now = now_ms();
        lock(&self.made).retain(|_, ends| {
            ends.retain(|end| *end > now);
            !ends.is_empty()
        });
    }

    /// Notes that a task runs here; `None` where it does already.
    fn runs(self: &Arc<Self>, id: &RunId, stop: &CancellationToken) -> Option<RunningTask> {
        let mut running = lock(&self.running);
        if running.contains_key(id) || running.len() >= MAX_RUNNING * 2 {
            return None;
        }
        running.insert(id.clone(), stop.clone());
        drop(running);
        Some(RunningTask { tasks: Arc::clone(self), id: id.clone() })
    }

    /// Stops the work on a task, if it is done here.
    fn stop_task(&self, id: &RunId) {
        if let Some(stop) = lock(&self.running).get(id) {
            stop.cancel();
        }
    }

    /// Ends all work: what is in a store goes on where there is another server, or the next time.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        for _ in 0..STOP_LOOKS {
            if lock(&self.running).is_empty() {
                return;
            }
            tokio::time::sleep(STOP / STOP_LOOKS).await;
        }
    }

    /// Whether somebody sweeps from now on, who did not before.
    fn begin_sweeping(&self) -> bool {
        !self.is_swept.swap(true, Ordering::AcqRel)
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        lock(&self.tasks.running).remove(&self.id);
    }
}
