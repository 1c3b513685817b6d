//! Suspended runs that wait for an external operation. No worker holds their lease, and no function is running.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::future::BoxFuture;
use crate::run_store::{RunId, RunStatus, RunStore, now_ms};
use crate::sync::lock;

/// An external operation that a function waits for, and that can be polled without the function.
pub trait ExternalOperation: Send + Sync {
    /// Polls the operation. Returns the time until the next poll, or `None` if the function must resume.
    fn poll_operation(&self) -> BoxFuture<'_, Option<Duration>>;

    /// Describes the operation for operators.
    fn describe(&self) -> RunWait;

    /// Cancels the operation, because its result is no longer needed.
    fn cancel_operation(&self);
}

/// An operation that a suspended run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RunWait {
    /// The signal with this name.
    Signal(String),
    /// The completion of the child run with this id.
    Child(String),
    /// A point in time, in milliseconds since the Unix epoch: a timer, or the next attempt of a failed call.
    Time(u64),
    /// A task of an MCP server, started by a call to this tool.
    Task(String),
}

/// The time for which a process keeps the operations of a run that no worker resumes. Default is 10 minutes. A worker
/// that resumes the run later runs its functions again from the start.
const KEEP_TIME: Duration = Duration::from_secs(600);

/// The delay after the wake-up time of a run before the store is checked, if this process has not resumed the run.
const CHECK_DELAY: Duration = Duration::from_secs(2);

/// The runs that this process has suspended. Another process that resumes one runs its functions again from the start.
#[derive(Clone, Default)]
pub struct SuspendedRuns(Arc<Mutex<HashMap<RunId, SuspendedRun>>>);

/// A suspended run.
struct SuspendedRun {
    revision: u64,
    wakes_ms: u64,
    waits: Vec<Arc<dyn ExternalOperation>>,
}

impl SuspendedRuns {
    /// Stores the operations that a run waits for.
    pub fn insert_run(
        &self,
        id: &RunId,
        revision: u64,
        wakes_ms: u64,
        waits: Vec<Arc<dyn ExternalOperation>>,
    ) {
        lock(&self.0).insert(id.clone(), SuspendedRun { revision, wakes_ms, waits });
    }

    /// Takes the operations that a run waits for, if its revision is unchanged.
    pub fn take_run(&self, id: &RunId, revision: u64) -> Option<Vec<Arc<dyn ExternalOperation>>> {
        let run = lock(&self.0).remove(id)?;
        (run.revision == revision).then_some(run.waits)
    }

    /// Removes a cancelled run and cancels the operations that it waits for.
    pub fn cancel_run(&self, id: &RunId) {
        let run = lock(&self.0).remove(id);
        run.iter().flat_map(|run| &run.waits).for_each(|wait| wait.cancel_operation());
    }

    /// Checks the runs that should have been resumed by now. Another process may have cancelled or resumed them.
    pub async fn check_late_runs(&self, store: &dyn RunStore) {
        let late =
            now_ms().saturating_sub(u64::try_from(CHECK_DELAY.as_millis()).unwrap_or(u64::MAX));
        let late: Vec<(RunId, u64, u64)> = lock(&self.0)
            .iter()
            .filter(|(_, run)| run.wakes_ms < late)
            .map(|(id, run)| (id.clone(), run.revision, run.wakes_ms))
            .collect();
        for (id, revision, wakes_ms) in late {
            let is_old = now_ms().saturating_sub(wakes_ms)
                > u64::try_from(KEEP_TIME.as_millis()).unwrap_or(u64::MAX);
            match store.peek(&id).await {
                Ok(Some(head)) if head.status == RunStatus::Cancelled => self.cancel_run(&id),
                Ok(Some(head)) if head.revision == revision && !is_old => {}
                Ok(_) => drop(lock(&self.0).remove(&id)),
                Err(_) => {}
            }
        }
    }
}
