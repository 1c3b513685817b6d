//! Runs in memory, which end with the process. Their number and size are limited.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::error::Error as E;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::{RunChange, RunEntry, RunFilter, RunHead, RunId, RunStatus, RunStore, StoredRun};

/// The maximum number of runs in memory, for a server without a store. Default is 1,000.
const MAX_RUNS: usize = 1000;

/// The maximum size of their text, in bytes. Default is 64 MiB.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A store in memory.
pub struct MemoryRuns(Mutex<Runs>);

impl MemoryRuns {
    /// Creates a store with another limit than the default of 1,000 runs.
    pub fn with_max_runs(max_runs: usize) -> Self {
        Self(Mutex::new(Runs { runs: BTreeMap::new(), bytes: 0, max_runs }))
    }
}

impl Default for MemoryRuns {
    fn default() -> Self {
        Self::with_max_runs(MAX_RUNS)
    }
}

struct Runs {
    runs: BTreeMap<RunId, KeptRun>,
    bytes: usize,
    max_runs: usize,
}

struct KeptRun {
    run: StoredRun,
    lease: Option<(String, Instant)>,
    entry: RunEntry,
}

impl KeptRun {
    fn is_leased(&self) -> bool {
        self.lease.as_ref().is_some_and(|(_, until)| *until > Instant::now())
    }

    fn stored_size(&self) -> usize {
        self.run.head.len() + self.run.log.iter().map(String::len).sum::<usize>()
    }
}

impl Runs {
    /// Replaces `old` bytes with `new` bytes in the total.
    fn reserve_bytes(&mut self, old: usize, new: usize) -> Result<(), E> {
        let bytes = self.bytes - old + new;
        // A change that does not grow is always accepted.
        if bytes > MAX_BYTES && new > old {
            return Err(E::MemoryFull);
        }
        self.bytes = bytes;
        Ok(())
    }

    fn create_run(&mut self, run: &RunId, first: &RunChange) -> Result<bool, E> {
        if self.runs.contains_key(run) {
            return Ok(false);
        }
        if self.runs.len() >= self.max_runs {
            return Err(E::MemoryFull);
        }
        let head = RunHead::new(1, first.status, first.wake_at_ms)
            .with_incarnation(RunHead::new_incarnation());
        let mut entry = RunEntry::new(run.clone(), Some(first.status));
        entry.created_ms = now_ms();
        update_entry(&mut entry, first);
        let run_data = StoredRun::new(head, &*first.head, first.log.clone());
        let kept = KeptRun { run: run_data, lease: None, entry };
        self.reserve_bytes(0, kept.stored_size())?;
        self.runs.insert(run.clone(), kept);
        Ok(true)
    }

    fn save_run(&mut self, run: &RunId, at: u64, change: &RunChange) -> Result<Option<u64>, E> {
        let texts = || std::iter::once(&change.head).chain(&change.log);
        if texts().any(|text| text.contains('\n')) {
            return Err(E::LineBreak);
        }
        let may_change = |kept: &&KeptRun| {
            let owner = kept.lease.as_ref().map(|(owner, _)| &**owner);
            kept.run.at.revision == at && change.may_change(&kept.run.at, owner)
        };
        let Some(kept) = self.runs.get(run).filter(may_change) else { return Ok(None) };
        let (old, gone) = (kept.stored_size(), kept.run.head.len());
        self.reserve_bytes(old, old - gone + texts().map(String::len).sum::<usize>())?;
        if let Some(kept) = self.runs.get_mut(run) {
            kept.run.at = RunHead::new(at + 1, change.status, change.wake_at_ms)
                .with_incarnation(kept.run.at.incarnation);
            kept.run.head.clone_from(&change.head);
            kept.run.log.extend(change.log.iter().cloned());
            update_entry(&mut kept.entry, change);
        }
        Ok(Some(at + 1))
    }

    fn lease_run(&mut self, run: &RunId, owner: &str, ttl: Duration) -> Option<RunHead> {
        let kept = self.runs.get_mut(run)?;
        if kept.is_leased() && kept.lease.as_ref().is_some_and(|(other, _)| other != owner) {
            return None;
        }
        let is_abandoned = kept.lease.as_ref().is_some_and(|(other, _)| other != owner);
        kept.lease = Some((owner.to_owned(), Instant::now() + ttl));
        Some(kept.run.at.with_abandoned(is_abandoned))
    }

    fn due_runs(&self, limit: usize) -> Vec<RunId> {
        let now = now_ms();
        let is_due = |kept: &KeptRun| {
            kept.run.at.status == RunStatus::Working
                && !kept.is_leased()
                && kept.run.at.wake_at_ms.is_none_or(|time| time <= now)
        };
        let due = self.runs.iter().filter(|(_, kept)| is_due(kept));
        due.take(limit).map(|(id, _)| id.clone()).collect()
    }

    fn remove_run(&mut self, run: &RunId) -> bool {
        let Some(kept) = self.runs.remove(run) else { return false };
        self.bytes -= kept.stored_size();
        true
    }
}

/// Updates what a list shows of a run.
fn update_entry(entry: &mut RunEntry, change: &RunChange) {
    entry.status = Some(change.status);
    entry.wake_at_ms = change.wake_at_ms;
    entry.error.clone_from(&change.error);
    entry.updated_ms = now_ms();
    if let Some(name) = &change.name {
        entry.name.clone_from(name);
    }
    if let Some(tags) = &change.tags {
        entry.tags.clone_from(tags);
    }
}

fn ready_result<'a, T: Send + 'a>(value: Result<T, E>) -> BoxFuture<'a, Result<T>> {
    Box::pin(std::future::ready(value.map_err(Into::into)))
}

impl RunStore for MemoryRuns {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        ready_result(lock(&self.0).create_run(run, first))
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        ready_result(Ok(lock(&self.0).runs.get(run).map(|kept| kept.run.clone())))
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        ready_result(Ok(lock(&self.0).runs.get(run).map(|kept| kept.run.at)))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        ready_result(lock(&self.0).save_run(run, at, change))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        ready_result(Ok(lock(&self.0).lease_run(run, owner, ttl)))
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        if let Some(kept) = lock(&self.0).runs.get_mut(run) {
            kept.lease.take_if(|(other, _)| other == owner);
        }
        ready_result(Ok(()))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        ready_result(Ok(lock(&self.0).due_runs(limit)))
    }

    fn remove<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        ready_result(Ok(lock(&self.0).remove_run(run)))
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        let runs = lock(&self.0);
        let selected = runs.runs.values().filter(|kept| filter.selects(&kept.entry));
        ready_result(Ok(selected.take(filter.limit).map(|kept| kept.entry.clone()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn it_keeps_what_a_store_promises() {
        crate::testing::check_run_store(MemoryRuns::default()).await.expect("it is a store");
    }

    #[tokio::test]
    async fn it_is_bounded_in_number_and_size_and_has_room_again() {
        let store = MemoryRuns::default();
        let id = |number: usize| RunId::new(format!("run-{number}")).expect("an id");
        let small = RunChange::new(RunStatus::Working, "1");
        for number in 0..MAX_RUNS {
            assert!(store.create(&id(number), &small).await.expect("there is room"));
        }
        let full = store.create(&id(MAX_RUNS), &small).await.expect_err("it is full");
        assert_eq!(full.kind(), genkit_core::ErrorKind::ResourceExhausted);
        assert!(store.remove(&id(0)).await.expect("it is gone"));
        assert!(store.create(&id(MAX_RUNS), &small).await.expect("there is room again"));
        let large = RunChange::new(RunStatus::Working, "1".repeat(MAX_BYTES / 2));
        assert_eq!(store.save(&id(1), 1, &large).await.expect("it fits"), Some(2));
        assert!(store.save(&id(2), 1, &large).await.is_err());
        assert_eq!(store.save(&id(1), 2, &small).await.expect("it shrinks"), Some(3));
        assert_eq!(store.save(&id(2), 1, &large).await.expect("it fits now"), Some(2));
    }
}
