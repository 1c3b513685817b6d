//! A run store in a folder of files.

mod disk;
mod due;
mod lease;
mod revision;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::disk::RunFolder;
use self::due::KnownHeads;
use genkit_core::BoxFuture;
use genkit_core::{Error, Result};
use genkit_core::{LeaseTime, RunChange, RunEntry, RunFilter, RunHead, RunId, RunStore, StoredRun};

/// A store of durable runs in a folder, for development and for programs with few runs. Several processes on one
/// machine can share a folder.
///
/// Each revision is a file. It is written under a temporary name, flushed, and then hard-linked under its number, which
/// fails if another process was faster. A save is therefore atomic on every file system with hard links. Saving a step
/// takes two flushes. The folder has an entry for each open run, and [`due`](RunStore::due) checks each of them for
/// changes. For thousands of runs, or for long runs, use SQLite (the crate `genkit-sqlite`) instead.
///
/// ```no_run
/// use genkit::Genkit;
/// use genkit::durable::FolderStore;
///
/// # fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().durable(FolderStore::open("runs")?).build()?;
/// # let _ = genkit;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FolderStore(Arc<StoreFolder>);

struct StoreFolder {
    /// The folder that contains a folder for each run.
    runs: PathBuf,
    /// The folder that contains an empty file for each run that is not finished.
    open: PathBuf,
    clock: fn() -> LeaseTime,
    /// The heads that the last search for due runs read.
    heads: Mutex<KnownHeads>,
}

impl FolderStore {
    /// Opens the folder, or creates it if it does not exist.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the folder cannot be created, and `Unavailable` if the disk fails.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let (runs, open) = (folder.join("runs"), folder.join("open"));
        let this = StoreFolder { runs, open, clock: LeaseTime::now, heads: Mutex::default() };
        for path in [&this.runs, &this.open] {
            disk::open_folder(path)?;
        }
        Ok(Self(Arc::new(this)))
    }

    /// Runs `work` on a thread where it may block.
    fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StoreFolder) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let folder = Arc::clone(&self.0);
        Box::pin(async move {
            match tokio::task::spawn_blocking(move || work(&folder)).await {
                Ok(done) => done,
                Err(ended) => Err(Error::new(genkit_core::ErrorKind::Internal, ended.to_string())),
            }
        })
    }
}

impl StoreFolder {
    fn run_folder(&self, run: &RunId) -> RunFolder {
        RunFolder::new(&self.runs, run)
    }

    fn mark_path(&self, run: &RunId) -> PathBuf {
        self.open.join(disk::file_name(run))
    }

    fn create_run(&self, run: &RunId, first: &RunChange) -> Result<bool> {
        let place = self.run_folder(run);
        if place.last_revision()?.is_some() {
            return Ok(false);
        }
        disk::make_folder(place.folder_path())?;
        // The mark is created first: a mark without a run is harmless, but a run without a mark would never be
        // found.
        disk::touch_file(&self.mark_path(run))?;
        place.write_first(first, (self.clock)().wall_ms)
    }

    fn save_run(&self, run: &RunId, at: u64, change: &RunChange) -> Result<Option<u64>> {
        let place = self.run_folder(run);
        // Only one process can create the next file.
        if !place.write_next(at, change, (self.clock)().wall_ms)? {
            return Ok(None);
        }
        if change.status.is_over() {
            disk::remove_file(&self.mark_path(run))?;
        }
        Ok(Some(at + 1))
    }

    fn lease_run(&self, run: &RunId, owner: &str, ttl: Duration) -> Result<Option<RunHead>> {
        let place = self.run_folder(run);
        let Some(at) = place.read_head()? else { return Ok(None) };
        let Some(is_abandoned) = place.take_lease(owner, &(self.clock)(), ttl)? else {
            return Ok(None);
        };
        // Read the head again, since it may have changed before the lease was taken.
        Ok(Some(place.read_head()?.unwrap_or(at).with_abandoned(is_abandoned)))
    }

    fn list_runs(&self, filter: &RunFilter) -> Result<Vec<RunEntry>> {
        let entries = disk::list_folder(&self.runs)?;
        let mut ids: Vec<RunId> = entries.iter().filter_map(|name| disk::run_id(name)).collect();
        ids.retain(|id| filter.selects_id(id));
        ids.sort();
        let mut page = Vec::new();
        for id in ids {
            if page.len() >= filter.limit {
                break;
            }
            let entry = self.run_folder(&id).read_entry(&id).unwrap_or_else(|error| {
                let mut entry = RunEntry::new(id, None);
                entry.error = Some(error.chain());
                Some(entry)
            });
            page.extend(entry.filter(|entry| filter.selects(entry)));
        }
        Ok(page)
    }

    fn remove_run(&self, run: &RunId) -> Result<bool> {
        let place = self.run_folder(run);
        let is_there = place.last_revision()?.is_some();
        disk::remove_folder(place.folder_path())?;
        disk::remove_file(&self.mark_path(run))?;
        Ok(is_there)
    }
}

impl RunStore for FolderStore {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        let (run, first) = (run.clone(), first.clone());
        self.run_blocking(move |folder| folder.create_run(&run, &first))
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        let run = run.clone();
        self.run_blocking(move |folder| folder.run_folder(&run).load_run())
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let run = run.clone();
        self.run_blocking(move |folder| folder.run_folder(&run).read_head())
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let (run, change) = (run.clone(), change.clone());
        self.run_blocking(move |folder| folder.save_run(&run, at, &change))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let (run, owner) = (run.clone(), owner.to_owned());
        self.run_blocking(move |folder| folder.lease_run(&run, &owner, ttl))
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        let (run, owner) = (run.clone(), owner.to_owned());
        self.run_blocking(move |folder| folder.run_folder(&run).release(&owner, &(folder.clock)()))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        self.run_blocking(move |folder| folder.due_runs(limit))
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        let run = run.clone();
        self.run_blocking(move |folder| folder.remove_run(&run))
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        let filter = filter.clone();
        self.run_blocking(move |folder| folder.list_runs(&filter))
    }
}

impl std::fmt::Debug for FolderStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FolderStore").field("runs", &self.0.runs).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::RunStatus;
    use genkit_core::internal::sync::lock;

    struct Temp(PathBuf);

    impl Temp {
        fn new() -> Self {
            Self(
                std::env::temp_dir().join(format!(
                    "genkit-folder-{}",
                    genkit_core::internal::error::new_reference()
                )),
            )
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn it_keeps_what_a_store_promises() {
        let temp = Temp::new();
        let store = FolderStore::open(&temp.0).expect("a folder");
        crate::testing::check_run_store(store).await.expect("it is a store");
    }

    #[tokio::test]
    async fn saved_run_is_readable_by_another_process_despite_crash_leftovers() {
        let (temp, run) = (Temp::new(), RunId::new("Order-1").expect("an id"));
        let store = FolderStore::open(&temp.0).expect("a folder");
        let first = RunChange::new(RunStatus::Working, "1").with_log(["a"]);
        assert!(store.create(&run, &first).await.expect("it is made"));
        let place = temp.0.join("runs/+order-1");
        // One process died before it linked its file, and another after it linked its file.
        std::fs::write(place.join("new-abc"), "half").expect("a file");
        std::fs::write(place.join("3.lease"), "").expect("a file");
        std::fs::hard_link(place.join("000000000001.run"), place.join("new-def")).expect("a link");
        let other = FolderStore::open(&temp.0).expect("it is there");
        assert!(other.lease(&run, "x", Duration::from_secs(60)).await.expect("a lease").is_some());
        assert_eq!(other.save(&run, 1, &first).await.expect("it is saved"), Some(2));
        let stored = other.load(&run).await.expect("it reads").expect("it is there");
        assert_eq!((stored.log.len(), stored.at.revision), (2, 2));
        // A file that was truncated by hand is reported.
        std::fs::write(place.join("000000000002.run"), "{}").expect("a file");
        let error = other.load(&run).await.expect_err("it is torn");
        assert!(error.to_string().contains("000000000002.run"), "{error}");
        std::fs::remove_file(place.join("000000000001.run")).expect("it is gone");
        assert!(other.load(&run).await.is_err());
    }

    #[tokio::test]
    async fn wall_clock_does_not_decide_who_has_a_run() {
        use std::sync::atomic::{AtomicU64, Ordering};
        static WALL: AtomicU64 = AtomicU64::new(1_000_000_000);
        fn clock() -> LeaseTime {
            let uptime = Some(("boot".to_owned(), 5_000));
            LeaseTime { wall_ms: WALL.load(Ordering::SeqCst), uptime }
        }
        fn restarted() -> LeaseTime {
            LeaseTime { uptime: Some(("other".to_owned(), 1_000)), ..clock() }
        }
        let (temp, run) = (Temp::new(), RunId::new("r").expect("an id"));
        let with_clock = |clock: fn() -> LeaseTime| {
            let FolderStore(folder) = FolderStore::open(&temp.0).expect("a folder");
            let (runs, open) = (folder.runs.clone(), folder.open.clone());
            FolderStore(Arc::new(StoreFolder { runs, open, clock, heads: Mutex::default() }))
        };
        let (store, lease) = (with_clock(clock), Duration::from_secs(30));
        store.create(&run, &RunChange::new(RunStatus::Working, "0")).await.expect("it is made");
        assert!(store.lease(&run, "a", lease).await.expect("it leases").is_some());
        for jump in [0, 999_000_000, 2_000_000_000] {
            WALL.store(jump, Ordering::SeqCst);
            assert!(store.lease(&run, "b", lease).await.expect("it reads").is_none(), "{jump}");
            assert_eq!(store.due(9).await.expect("it lists"), [], "{jump}");
        }
        // The machine was restarted, so its processes are gone.
        let store = with_clock(restarted);
        assert_eq!(store.due(9).await.expect("it lists"), std::slice::from_ref(&run));
        let taken = store.lease(&run, "b", lease).await.expect("it leases");
        assert!(taken.is_some_and(|head| head.is_abandoned));
    }

    #[tokio::test]
    async fn leftovers_of_killed_processes_are_removed_after_an_hour() {
        let (temp, run) = (Temp::new(), RunId::new("r").expect("an id"));
        let store = FolderStore::open(&temp.0).expect("a folder");
        store.create(&run, &RunChange::new(RunStatus::Working, "0")).await.expect("it is made");
        store.lease(&run, "dead", Duration::from_millis(1)).await.expect("it leases");
        let [old, new] = ["new-old", "new-new"].map(|name| temp.0.join("runs/r").join(name));
        let file = std::fs::File::create(&old).expect("a file");
        let hours = std::time::SystemTime::now() - Duration::from_secs(7200);
        file.set_modified(hours).expect("it is old");
        std::fs::write(&new, "").expect("a file");
        while store.lease(&run, "b", Duration::from_secs(60)).await.expect("it reads").is_none() {
            tokio::task::yield_now().await;
        }
        assert!(!old.exists() && new.exists());
    }

    #[tokio::test]
    async fn look_for_work_reads_only_runs_that_changed() {
        let (temp, run) = (Temp::new(), RunId::new("r").expect("an id"));
        let store = FolderStore::open(&temp.0).expect("a folder");
        let waiting = RunChange::new(RunStatus::InputRequired, "1");
        store.create(&run, &waiting).await.expect("it is made");
        let place = temp.0.join("runs/r");
        let settle = || {
            let folder = std::fs::File::open(&place).expect("a folder");
            let hours = std::time::SystemTime::now() - Duration::from_secs(7200);
            folder.set_modified(hours).expect("it is old");
        };
        // A folder that has just changed may change again within the same modification time.
        assert_eq!(store.due(9).await.expect("it looks"), []);
        assert!(lock(&store.0.heads).is_empty());
        settle();
        assert_eq!(store.due(9).await.expect("it looks"), []);
        std::fs::write(place.join("000000000001.run"), "torn").expect("a file");
        assert_eq!(store.due(9).await.expect("it looks"), [], "the file is not read again");
        std::fs::remove_dir_all(&place).expect("it is gone");
        assert_eq!(store.due(9).await.expect("it looks"), []);
        assert!(lock(&store.0.heads).is_empty());
        store.create(&run, &waiting).await.expect("it is made");
        settle();
        assert_eq!(store.due(9).await.expect("it looks"), []);
        // Another process continues the run.
        let other = FolderStore::open(&temp.0).expect("a folder");
        let working = RunChange::new(RunStatus::Working, "2");
        assert_eq!(other.save(&run, 1, &working).await.expect("it is saved"), Some(2));
        assert_eq!(store.due(9).await.expect("it looks"), [run]);
    }

    #[tokio::test]
    async fn a_mark_that_a_crash_left_is_taken_away() {
        let (temp, run) = (Temp::new(), RunId::new("a").expect("an id"));
        let store = FolderStore::open(&temp.0).expect("a folder");
        store.create(&run, &RunChange::new(RunStatus::Working, "1")).await.expect("it is made");
        store.save(&run, 1, &RunChange::new(RunStatus::Failed, "2")).await.expect("it is saved");
        let mark = temp.0.join("open/a");
        assert!(!mark.exists());
        std::fs::write(&mark, "").expect("a file");
        std::fs::write(temp.0.join("open/no such run"), "").expect("a file");
        assert_eq!(store.due(9).await.expect("it lists"), []);
        assert!(!mark.exists());
    }
}
