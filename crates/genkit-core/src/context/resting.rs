//! Runs that wait for something elsewhere, and were let go: nobody has their lease, no function runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Elsewhere;
use crate::run_store::{RunId, RunStatus, RunStore, now_ms};
use crate::sync::lock;

/// How long a process remembers what a run waits for that nobody takes up. Default is 10 minutes: who takes it up then
/// runs its functions anew.
const FORGET_REST: Duration = Duration::from_secs(600);

/// How long after its time a run is looked after that was not taken up here.
const LATE: Duration = Duration::from_secs(2);

/// The runs that this process has let go. Another that takes one up runs its functions anew.
#[derive(Clone, Default)]
pub struct RestingRuns(Arc<Mutex<HashMap<RunId, RestingRun>>>);

/// A run as it was let go.
struct RestingRun {
    revision: u64,
    wakes_ms: u64,
    waits: Vec<Arc<dyn Elsewhere>>,
}

impl RestingRuns {
    /// Keeps what a run waits for.
    pub fn keep(&self, id: &RunId, revision: u64, wakes_ms: u64, waits: Vec<Arc<dyn Elsewhere>>) {
        lock(&self.0).insert(id.clone(), RestingRun { revision, wakes_ms, waits });
    }

    /// Takes what a run waits for, if it is as it was let go.
    pub fn take(&self, id: &RunId, revision: u64) -> Option<Vec<Arc<dyn Elsewhere>>> {
        let run = lock(&self.0).remove(id)?;
        (run.revision == revision).then_some(run.waits)
    }

    /// Somebody has cancelled a run: what it waits for is given up.
    pub fn cancelled(&self, id: &RunId) {
        let run = lock(&self.0).remove(id);
        run.iter().flat_map(|run| &run.waits).for_each(|wait| wait.give_up());
    }

    /// Looks after those that should have been taken up again: some were cancelled elsewhere, or another process has
    /// them.
    pub async fn look_after(&self, store: &dyn RunStore) {
        let late = now_ms().saturating_sub(u64::try_from(LATE.as_millis()).unwrap_or(u64::MAX));
        let late: Vec<(RunId, u64, u64)> = lock(&self.0)
            .iter()
            .filter(|(_, run)| run.wakes_ms < late)
            .map(|(id, run)| (id.clone(), run.revision, run.wakes_ms))
            .collect();
        for (id, revision, wakes_ms) in late {
            let is_old = now_ms().saturating_sub(wakes_ms)
                > u64::try_from(FORGET_REST.as_millis()).unwrap_or(u64::MAX);
            match store.peek(&id).await {
                Ok(Some(head)) if head.status == RunStatus::Cancelled => self.cancelled(&id),
                Ok(Some(head)) if head.revision == revision && !is_old => {}
                Ok(_) => drop(lock(&self.0).remove(&id)),
                Err(_) => {}
            }
        }
    }
}
