//! An in-memory store of runs, which are lost when the process ends. The number and size of the runs are limited, and
//! the limits are shared fairly among owners. The first tag of a run is its owner.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::error::Error as E;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::fair_share::{can_take, scaled_floor};
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::{RunChange, RunEntry, RunFilter, RunHead, RunId, RunStatus, RunStore, StoredRun};

/// The maximum number of runs in memory, for a server without a store. Default is 1,000; an additional run evicts the
/// oldest idle run of the owner with the most runs.
const MAX_RUNS: usize = 1000;

/// The maximum size of the text of all runs in memory, in bytes. Default is 64 MiB; additional text evicts the oldest
/// idle runs of the owner with the most text.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The text size that the busy runs of an owner can use even if that exceeds the fair share, in bytes. Default is
/// 1 MiB.
const FLOOR_BYTES: usize = 1024 * 1024;

/// An in-memory store.
pub struct MemoryRuns(Mutex<Runs>);

impl MemoryRuns {
    /// Creates a store with a custom limit on the number of runs. Default is 1,000.
    pub fn with_max_runs(max_runs: usize) -> Self {
        Self(Mutex::new(Runs { max_runs, ..Runs::default() }))
    }
}

impl Default for MemoryRuns {
    fn default() -> Self {
        Self::with_max_runs(MAX_RUNS)
    }
}

#[derive(Default)]
struct Runs {
    runs: BTreeMap<RunId, MemoryRun>,
    held: Amount,
    of_owners: HashMap<String, Amount>,
    max_runs: usize,
}

/// A number of runs, and the size of their text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Amount {
    runs: usize,
    bytes: usize,
}

impl Amount {
    fn add(&mut self, runs: usize, bytes: usize) {
        self.runs += runs;
        self.bytes += bytes;
    }

    fn subtract(&mut self, runs: usize, bytes: usize) {
        self.runs -= runs;
        self.bytes -= bytes;
    }
}

struct MemoryRun {
    run: StoredRun,
    lease: Option<(String, Instant)>,
    entry: RunEntry,
}

impl MemoryRun {
    fn is_leased(&self) -> bool {
        self.lease.as_ref().is_some_and(|(_, until)| *until > Instant::now())
    }

    /// Returns whether a process works on the run, or is about to.
    fn is_busy(&self, now: u64) -> bool {
        let at = &self.run.at;
        let is_due =
            at.status == RunStatus::Working && at.wake_at_ms.is_none_or(|time| time <= now);
        self.is_leased() || is_due
    }

    fn owner(&self) -> &str {
        find_owner(&self.entry)
    }

    fn stored_size(&self) -> usize {
        self.run.head.len() + self.run.log.iter().map(String::len).sum::<usize>()
    }
}

/// Returns the owner, which is empty for a run without tags.
fn find_owner(entry: &RunEntry) -> &str {
    entry.tags.first().map_or("", String::as_str)
}

impl Runs {
    /// Makes space for a new run of this owner, or for more text of the run `grown`, which is not evicted itself.
    /// Evicts the oldest idle runs of the owners that use the most space, but never those of an owner that uses less
    /// than this one. Busy runs are not evicted, and an owner can have only a fair share of busy runs.
    fn make_room(&mut self, owner: &str, grown: Option<&RunId>, bytes: usize) -> Result<(), E> {
        let runs = usize::from(grown.is_none());
        let fits = |held: Amount, max_runs: usize| {
            held.runs + runs <= max_runs && held.bytes + bytes <= MAX_BYTES
        };
        let own = self.of_owners.get(owner).copied().unwrap_or_default();
        // No scan of the runs is needed if, after this change, as much space is free as this owner already uses.
        let (mut doubled, max_runs) = (self.held, self.max_runs);
        doubled.add(own.runs, own.bytes);
        if fits(doubled, max_runs) {
            return Ok(());
        }
        let now = now_ms();
        if !owner.is_empty() {
            let (mut busy, mut own_busy) = (Amount::default(), Amount::default());
            for kept in self.runs.values().filter(|kept| kept.is_busy(now)) {
                busy.add(1, kept.stored_size());
                if kept.owner() == owner {
                    own_busy.add(1, kept.stored_size());
                }
            }
            let left = (max_runs.saturating_sub(busy.runs), MAX_BYTES.saturating_sub(busy.bytes));
            if !can_take(own_busy.runs, runs, left.0, scaled_floor(max_runs))
                || !can_take(own_busy.bytes, bytes, left.1, FLOOR_BYTES)
            {
                return Err(E::MemoryFull);
            }
        }
        while !fits(self.held, max_runs) {
            let is_count = self.held.runs + runs > max_runs;
            let measure = |held: &Amount| if is_count { held.runs } else { held.bytes };
            let own = self.of_owners.get(owner).map_or(0, &measure);
            let gives_way = self
                .runs
                .iter()
                .filter(|(id, kept)| Some(*id) != grown && !kept.is_busy(now))
                .map(|(id, kept)| (self.of_owners.get(kept.owner()).map_or(0, &measure), kept, id))
                .filter(|(held, _, _)| *held >= own)
                .min_by_key(|(held, kept, id)| (Reverse(*held), kept.entry.updated_ms, *id));
            let Some(id) = gives_way.map(|(_, _, id)| id.clone()) else {
                return Err(E::MemoryFull);
            };
            self.remove_run(&id);
        }
        Ok(())
    }

    fn count(&mut self, owner: &str, runs: usize, bytes: usize) {
        self.held.add(runs, bytes);
        self.of_owners.entry(owner.to_owned()).or_default().add(runs, bytes);
    }

    fn uncount(&mut self, owner: &str, runs: usize, bytes: usize) {
        self.held.subtract(runs, bytes);
        if let Some(own) = self.of_owners.get_mut(owner) {
            own.subtract(runs, bytes);
            if *own == Amount::default() {
                self.of_owners.remove(owner);
            }
        }
    }

    fn create_run(&mut self, run: &RunId, first: &RunChange) -> Result<bool, E> {
        if self.runs.contains_key(run) {
            return Ok(false);
        }
        let head = RunHead::new(1, first.status, first.wake_at_ms)
            .with_incarnation(RunHead::new_incarnation());
        let mut entry = RunEntry::new(run.clone(), Some(first.status));
        entry.created_ms = now_ms();
        update_entry(&mut entry, first);
        let run_data = StoredRun::new(head, &*first.head, first.log.clone());
        let kept = MemoryRun { run: run_data, lease: None, entry };
        let size = kept.stored_size();
        self.make_room(kept.owner(), None, size)?;
        self.count(kept.owner(), 1, size);
        self.runs.insert(run.clone(), kept);
        Ok(true)
    }

    fn save_run(&mut self, run: &RunId, at: u64, change: &RunChange) -> Result<Option<u64>, E> {
        let texts = || std::iter::once(&change.head).chain(&change.log);
        let may_change = |kept: &&MemoryRun| {
            let owner = kept.lease.as_ref().map(|(owner, _)| &**owner);
            kept.run.at.revision == at && change.may_change(&kept.run.at, owner)
        };
        let Some(kept) = self.runs.get(run).filter(may_change) else { return Ok(None) };
        let (gone, added) = (kept.run.head.len(), texts().map(String::len).sum::<usize>());
        let owner = kept.owner().to_owned();
        // A change that does not need more space is always accepted.
        if added > gone {
            self.make_room(&owner, Some(run), added - gone)?;
        }
        if let Some(kept) = self.runs.get_mut(run) {
            let old = kept.stored_size();
            kept.run.at = RunHead::new(at + 1, change.status, change.wake_at_ms)
                .with_incarnation(kept.run.at.incarnation);
            kept.run.head.clone_from(&change.head);
            kept.run.log.extend(change.log.iter().cloned());
            update_entry(&mut kept.entry, change);
            let (new_owner, new) = (kept.owner().to_owned(), kept.stored_size());
            self.uncount(&owner, 1, old);
            self.count(&new_owner, 1, new);
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
        let is_due = |kept: &MemoryRun| {
            kept.run.at.status == RunStatus::Working
                && !kept.is_leased()
                && kept.run.at.wake_at_ms.is_none_or(|time| time <= now)
        };
        let due = self.runs.iter().filter(|(_, kept)| is_due(kept));
        due.take(limit).map(|(id, _)| id.clone()).collect()
    }

    fn remove_run(&mut self, run: &RunId) -> bool {
        let Some(kept) = self.runs.remove(run) else { return false };
        self.uncount(kept.owner(), 1, kept.stored_size());
        true
    }
}

/// Updates the list entry of a run.
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
        if let Err(error) = change.check_lines() {
            return Box::pin(std::future::ready(Err(error)));
        }
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

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
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
    async fn memory_store_fulfills_the_store_contract() {
        crate::testing::check_run_store(MemoryRuns::default()).await.expect("it is a store");
    }

    #[tokio::test]
    async fn memory_store_limits_number_and_size_of_runs() {
        let store = MemoryRuns::default();
        let id = |number: usize| RunId::new(format!("run-{number}")).expect("an id");
        let small = RunChange::new(RunStatus::Working, "1");
        for number in 0..MAX_RUNS {
            assert!(store.create(&id(number), &small).await.expect("there is space"));
        }
        let full = store.create(&id(MAX_RUNS), &small).await.expect_err("it is full");
        assert_eq!(full.kind(), genkit_core::ErrorKind::ResourceExhausted);
        assert!(store.delete(&id(0)).await.expect("it is gone"));
        assert!(store.create(&id(MAX_RUNS), &small).await.expect("there is space again"));
        let large = RunChange::new(RunStatus::Working, "1".repeat(MAX_BYTES / 2));
        assert_eq!(store.save(&id(1), 1, &large).await.expect("it fits"), Some(2));
        assert!(store.save(&id(2), 1, &large).await.is_err());
        assert_eq!(store.save(&id(1), 2, &small).await.expect("it shrinks"), Some(3));
        assert_eq!(store.save(&id(2), 1, &large).await.expect("it fits now"), Some(2));
    }

    fn id(owner: &str, number: usize) -> RunId {
        RunId::new(format!("{owner}-{number}")).expect("an id")
    }

    fn build_change(owner: &str, status: RunStatus, bytes: usize) -> RunChange {
        RunChange::new(status, "1".repeat(bytes)).with_tags([owner])
    }

    #[tokio::test]
    async fn idle_runs_of_the_largest_owner_are_evicted() {
        let store = MemoryRuns::with_max_runs(100);
        let create = async |owner: &str, number| {
            let change = build_change(owner, RunStatus::Completed, 1);
            store.create(&id(owner, number), &change).await
        };
        create("ada", 0).await.expect("there is space");
        for number in 0..300 {
            create("eve", number).await.expect("space is freed");
        }
        assert!(store.load(&id("ada", 0)).await.unwrap().is_some());
        assert!(store.load(&id("eve", 200)).await.unwrap().is_none());
        assert!(store.load(&id("eve", 299)).await.unwrap().is_some());
        for number in 1..50 {
            create("ada", number).await.expect("a run of eve is evicted");
        }
        assert!(store.load(&id("ada", 0)).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn busy_runs_leave_room_for_others_and_stay() {
        let store = MemoryRuns::with_max_runs(100);
        let create = async |owner: &str, number, status| {
            store.create(&id(owner, number), &build_change(owner, status, 1)).await
        };
        let mut busy = 0;
        while create("eve", busy, RunStatus::Working).await.is_ok() {
            busy += 1;
        }
        assert_eq!(busy, 50);
        create("ada", 0, RunStatus::Completed).await.expect("half is left");
        for number in 1..30 {
            create("ada", number, RunStatus::Completed).await.expect("there is space");
        }
        for number in 30..60 {
            create("ada", number, RunStatus::Completed).await.expect("a run of ada is evicted");
        }
        assert!(store.load(&id("eve", 0)).await.unwrap().is_some(), "it is busy");
        assert!(create("eve", 99, RunStatus::Completed).await.is_err(), "eve has her share");
    }

    #[tokio::test]
    async fn text_of_one_owner_does_not_fail_the_saves_of_another() {
        let store = MemoryRuns::default();
        let large = |owner: &str| build_change(owner, RunStatus::Completed, MAX_BYTES / 16);
        store.create(&id("ada", 0), &build_change("ada", RunStatus::Working, 1)).await.unwrap();
        for number in 0..40 {
            assert!(store.create(&id("eve", number), &large("eve")).await.unwrap());
        }
        assert_eq!(store.save(&id("ada", 0), 1, &large("ada")).await.unwrap(), Some(2));
        assert!(store.load(&id("eve", 39)).await.unwrap().is_some());
        let held = lock(&store.0).held;
        assert!(held.bytes <= MAX_BYTES && held.runs <= 17, "{} runs", held.runs);
    }
}
