//! The tasks of a server that are known to this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::instance::ServedInstance;
use crate::quota::ClientKey;
use genkit_core::internal::fair_share::{can_take, hash_client, scaled_floor};
use genkit_core::internal::run_store::{now_ms, short_hash};
use genkit_core::internal::sync::lock;
use genkit_core::{RunId, RunStore};
use genkit_durable::internal::MemoryRuns;

/// The maximum number of tasks running in one server, divided among its clients; additional calls run without a task.
/// Default is 1,000.
const MAX_RUNNING: usize = 1000;

/// The maximum number of unexpired tasks that one server created for a client; additional calls run without a task.
/// Default is 1,000.
const MAX_CLIENT_TASKS: usize = 1000;

/// The time that a server waits for its tasks to stop during shutdown. Default is 2 seconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of checks during [`STOP`] whether all tasks have stopped.
const STOP_CHECKS: u32 = 100;

/// Whether calls can become tasks.
pub(crate) const CAN_RUN_TASKS: bool = true;

/// The tasks of one server that are known to this process.
pub(crate) struct Tasks {
    pub(crate) store: Arc<dyn RunStore>,
    /// Whether the store is in memory, so that clients share its limit.
    is_in_memory: bool,
    /// The tasks that run in this process.
    running: Mutex<HashMap<RunId, RunningHere>>,
    /// The expiry times of the tasks that each client created in this process, in milliseconds since the Unix epoch.
    expiries: Mutex<HashMap<ClientKey, Vec<u64>>>,
    is_swept: AtomicBool,
    /// Cancelled when the server shuts down.
    pub(crate) stopping: CancellationToken,
}

struct RunningHere {
    /// The client that created the task; `None` until a resumed task is loaded.
    client: Option<u64>,
    stop: CancellationToken,
}

/// A task that is registered as running in this process until this is dropped.
pub(crate) struct RunningTask {
    tasks: Arc<Tasks>,
    pub(crate) id: RunId,
}

impl Tasks {
    /// Creates the table of a server, with the store of its instance or an in-memory store.
    pub(crate) fn of_instance(genkit: &ServedInstance) -> Self {
        let store = genkit.store.clone();
        Self {
            is_in_memory: store.is_none(),
            store: store.unwrap_or_else(|| Arc::new(MemoryRuns::default())),
            running: Mutex::default(),
            expiries: Mutex::default(),
            is_swept: AtomicBool::new(false),
            stopping: CancellationToken::new(),
        }
    }

    /// Returns the tags of a new task in the store. In memory, they identify the client whose share of the limit the
    /// task uses.
    pub(crate) fn client_tags(&self, client: &ClientKey) -> Option<Vec<String>> {
        let is_shared = self.is_in_memory && !client.is_stream();
        is_shared.then(|| vec![short_hash(&format!("{client:?}"))])
    }

    /// Returns whether this client can create another task in this process.
    pub(crate) fn has_room(&self, client: &ClientKey) -> bool {
        if !may_run(&lock(&self.running), Some(hash_client(client)), client.is_stream()) {
            return false;
        }
        let mut made = lock(&self.expiries);
        let Some(ends) = made.get_mut(client) else { return true };
        let now = now_ms();
        ends.retain(|end| *end > now);
        ends.len() < MAX_CLIENT_TASKS
    }

    pub(crate) fn note_made(&self, client: &ClientKey, ends_ms: u64) {
        lock(&self.expiries).entry(client.clone()).or_default().push(ends_ms);
    }

    /// Removes clients whose tasks have all expired.
    pub(crate) fn forget_clients(&self) {
        let now = now_ms();
        lock(&self.expiries).retain(|_, ends| {
            ends.retain(|end| *end > now);
            !ends.is_empty()
        });
    }

    /// Registers a running task, with the client whose request started it, if known. Returns `None` if the task
    /// already runs, or if too many tasks run.
    pub(crate) fn register_running(
        self: &Arc<Self>,
        id: &RunId,
        client: Option<&ClientKey>,
        stop: &CancellationToken,
    ) -> Option<RunningTask> {
        let mut running = lock(&self.running);
        let (client, is_alone) =
            (client.map(hash_client), client.is_some_and(ClientKey::is_stream));
        if running.contains_key(id) || !may_run(&running, client, is_alone) {
            return None;
        }
        running.insert(id.clone(), RunningHere { client, stop: stop.clone() });
        drop(running);
        Some(RunningTask { tasks: Arc::clone(self), id: id.clone() })
    }

    /// Counts a resumed task for the client that created it. Returns whether another task of that client can run.
    pub(super) fn assign_client(&self, id: &RunId, client: Option<u64>) -> bool {
        let mut running = lock(&self.running);
        let Some(task) = running.remove(id) else { return false };
        let can_run = task.client == client || may_run(&running, client, false);
        running.insert(id.clone(), RunningHere { client, ..task });
        can_run
    }

    /// Stops a task if it runs in this process.
    pub(crate) fn stop_task(&self, id: &RunId) {
        if let Some(task) = lock(&self.running).get(id) {
            task.stop.cancel();
        }
    }

    /// Stops all running tasks. If the store is persistent, another server or a restart of this server resumes them.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        for _ in 0..STOP_CHECKS {
            if lock(&self.running).is_empty() {
                return;
            }
            tokio::time::sleep(STOP_TIMEOUT / STOP_CHECKS).await;
        }
    }

    /// Marks sweeping as started; returns whether it was not running before.
    pub(crate) fn begin_sweeping(&self) -> bool {
        !self.is_swept.swap(true, Ordering::AcqRel)
    }
}

/// Returns whether another task of this client can run. The only client of a byte stream, `is_alone`, can use the whole
/// limit. Resumed tasks of unknown clients share half of it.
fn may_run(running: &HashMap<RunId, RunningHere>, client: Option<u64>, is_alone: bool) -> bool {
    let left = MAX_RUNNING.saturating_sub(running.len());
    let own = running.values().filter(|task| task.client == client).count();
    if is_alone { left > 0 } else { can_take(own, 1, left, scaled_floor(MAX_RUNNING)) }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        lock(&self.tasks.running).remove(&self.id);
    }
}
