//! The search for due runs.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use super::{StoreFolder, disk};
use genkit_core::internal::sync::lock;
use genkit_core::{LeaseTime, Result, RunHead, RunId, RunStatus};

/// Heads of runs, with the modification time of the run's folder.
pub(super) type KnownHeads = HashMap<RunId, (SystemTime, RunHead)>;

/// The age of a modification time above which the next change certainly results in a different time. Default
/// is 2 seconds.
const SETTLED: Duration = Duration::from_secs(2);

impl StoreFolder {
    pub(super) fn due_runs(&self, limit: usize) -> Result<Vec<RunId>> {
        let mut due: Vec<((u64, u64), RunId)> = Vec::new();
        let now = (self.clock)();
        // Heads of runs that are no longer open are dropped.
        let (known, mut read) = (std::mem::take(&mut *lock(&self.heads)), KnownHeads::new());
        for name in disk::list_folder(&self.open)? {
            let Some(run) = disk::run_id(&name) else { continue };
            match self.due_since(&run, &known, &mut read, &now) {
                Ok(since) => due.extend(since.map(|since| (since, run))),
                // The worker that loads the run reports the error, and skips the run.
                Err(_) => due.push(((u64::MAX, 0), run)),
            }
        }
        *lock(&self.heads) = read;
        due.sort();
        Ok(due.into_iter().take(limit).map(|(_, run)| run).collect())
    }

    /// Returns the wake-up time of the run and the time of its creation. Returns `None` if it has no work to do.
    fn due_since(
        &self,
        run: &RunId,
        known: &KnownHeads,
        read: &mut KnownHeads,
        now: &LeaseTime,
    ) -> Result<Option<(u64, u64)>> {
        let place = self.run_folder(run);
        let changed = disk::modified(place.folder_path());
        let known = known.get(run).filter(|(since, _)| Some(*since) == changed);
        let head = match known {
            Some((_, head)) => Some(*head),
            None => place.read_head()?,
        };
        let Some(head) = head else { return Ok(None) };
        // Two changes in quick succession may have the same modification time.
        let settled = changed.filter(|since| since.elapsed().is_ok_and(|age| age > SETTLED));
        read.extend(settled.map(|since| (run.clone(), (since, head))));
        if head.status.is_over() {
            // A process died between the last save and the removal of the mark.
            disk::remove_file(&self.mark_path(run))?;
            return Ok(None);
        }
        let wakes = head.wake_at_ms.unwrap_or(0);
        let is_due = head.status == RunStatus::Working && wakes <= now.wall_ms;
        let is_due = is_due && !place.is_leased(now)?;
        Ok(is_due.then(|| (wakes, disk::modified_ms(&self.mark_path(run)))))
    }
}
