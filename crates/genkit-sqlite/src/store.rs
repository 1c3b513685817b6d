//! The SQLite store.

use std::path::Path;
use std::time::Duration;

use genkit::durable::{
    LeaseTime, RunChange, RunEntry, RunFilter, RunHead, RunId, RunStore, StoredRun,
};
use genkit::{BoxFuture, Error, Result};

use crate::writer::WriterThread;
use crate::{rows, schema};

/// A SQLite store: durable runs in one file, which many processes on one machine can share.
///
/// If the store creates the file, only this user can access it (mode 600). The file must be on a local disk, because
/// SQLite's locks do not work over networks.
#[derive(Clone)]
pub struct SqliteStore(WriterThread, fn() -> LeaseTime);

impl SqliteStore {
    /// Opens the SQLite file, or creates it if it does not exist.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the file cannot be opened, is not a database, or has tables of a newer version
    /// of this crate, and `Unavailable` if another program locks it or the disk fails.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        make_private(path)?;
        Ok(Self(WriterThread::new(schema::open_database(Some(path))?)?, LeaseTime::now))
    }

    /// Creates an in-memory SQLite store, for tests. It is removed when the last clone is dropped.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let store = genkit_sqlite::SqliteStore::in_memory()?;
    /// genkit::testing::check_run_store(store).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`open`](Self::open).
    pub fn in_memory() -> Result<Self> {
        Ok(Self(WriterThread::new(schema::open_database(None)?)?, LeaseTime::now))
    }
}

/// Creates the file if it does not exist. Only this user can access it, since it contains conversations.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Opening a pipe would wait for a program that reads from it.
    let is_other = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let made = match is_other {
        true => Err(std::io::Error::other("it is not a regular file")),
        false => std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path),
    };
    made.map(drop).map_err(|error| {
        let text = format!("cannot open the SQLite run store `{}`", path.display());
        Error::new(genkit::ErrorKind::FailedPrecondition, text).with_source(error)
    })
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<()> {
    Ok(())
}

impl RunStore for SqliteStore {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        let (run, first) = (run.clone(), first.clone());
        Box::pin(async move {
            first.check_lines()?;
            self.0.run_job(true, move |db| rows::create_run(db, &run, &first)).await
        })
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        let run = run.clone();
        self.0.run_job(false, move |db| rows::load_run(db, &run))
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let run = run.clone();
        self.0.run_job(false, move |db| rows::peek_head(db, &run))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let (run, change) = (run.clone(), change.clone());
        Box::pin(async move {
            change.check_lines()?;
            self.0.run_job(true, move |db| rows::save_change(db, &run, at, &change)).await
        })
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let (run, owner) = (run.clone(), owner.to_owned());
        let clock = self.1;
        self.0.run_job(true, move |db| {
            // Read the clock only once the lock is held, so that waiting for the lock does not shorten the lease.
            rows::lease_run(db, &run, &owner, &clock(), ttl)
        })
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        let (run, owner) = (run.clone(), owner.to_owned());
        self.0.run_job(true, move |db| rows::release_lease(db, &run, &owner))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        let clock = self.1;
        self.0.run_job(false, move |db| rows::due_runs(db, &clock(), limit))
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        let run = run.clone();
        self.0.run_job(true, move |db| rows::remove_run(db, &run))
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        let filter = filter.clone();
        self.0.run_job(false, move |db| rows::list_runs(db, &filter))
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use genkit::durable::RunStatus;
    use genkit::testing::check_run_store;

    use super::*;

    struct Temp(std::path::PathBuf);

    impl Temp {
        fn new(name: &str) -> Self {
            let folder = format!("genkit-sqlite-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            Self(folder)
        }

        fn file(&self) -> std::path::PathBuf {
            self.0.join("runs.db")
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn store_passes_check_run_store() {
        let temp = Temp::new("promises");
        let store = SqliteStore::open(temp.file()).expect("a file");
        check_run_store(store).await.expect("it is a store");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn several_connections_to_one_file_see_one_store() {
        let temp = Temp::new("several");
        let stores: Vec<_> =
            (0..4).map(|_| SqliteStore::open(temp.file()).expect("a file")).collect();
        let run = RunId::new("r").expect("an id");
        let first = RunChange::new(RunStatus::Working, "0");
        assert!(stores[0].create(&run, &first).await.expect("it is made"));
        let mut saves = Vec::new();
        for (at, store) in stores.iter().enumerate() {
            let (store, run) = (store.clone(), run.clone());
            saves.push(tokio::spawn(async move {
                let mut taken = Vec::new();
                for revision in 1..=50 {
                    let change = RunChange::new(RunStatus::Working, at.to_string());
                    let change = change.with_log([revision.to_string()]);
                    let saved =
                        store.save(&run, revision, &change).await.expect("it can be written");
                    taken.extend(saved);
                }
                taken
            }));
        }
        let mut taken = Vec::new();
        for save in saves {
            taken.extend(save.await.expect("it ends"));
        }
        let stored = stores[3].load(&run).await.expect("it reads").expect("it is there");
        taken.sort_unstable();
        let expected: Vec<u64> = (2..=stored.at.revision).collect();
        assert_eq!(taken, expected, "each revision was taken once");
        let log: Vec<String> = (1..stored.at.revision).map(|at| at.to_string()).collect();
        assert_eq!(stored.log, log);
    }

    #[tokio::test]
    async fn wall_clock_does_not_decide_who_has_a_run() {
        use std::sync::atomic::{AtomicU64, Ordering};
        static WALL: AtomicU64 = AtomicU64::new(1_000_000_000);
        fn clock() -> LeaseTime {
            let uptime = Some(("boot".to_owned(), 5_000));
            LeaseTime { wall_ms: WALL.load(Ordering::SeqCst), uptime }
        }
        let (temp, run) = (Temp::new("clock"), RunId::new("r").expect("an id"));
        let store = SqliteStore(SqliteStore::open(temp.file()).expect("a file").0, clock);
        store.create(&run, &RunChange::new(RunStatus::Working, "0")).await.expect("it is made");
        let lease = Duration::from_secs(30);
        assert!(store.lease(&run, "a", lease).await.expect("it leases").is_some());
        for jump in [0, 999_000_000, 2_000_000_000] {
            WALL.store(jump, Ordering::SeqCst);
            assert!(store.lease(&run, "b", lease).await.expect("it reads").is_none(), "{jump}");
            assert_eq!(store.due(9).await.expect("it lists"), [], "{jump}");
        }
        // The machine was restarted, so its processes are gone.
        fn restarted() -> LeaseTime {
            LeaseTime { uptime: Some(("other".to_owned(), 1_000)), ..clock() }
        }
        let store = SqliteStore(store.0, restarted);
        assert_eq!(store.due(9).await.expect("it lists"), std::slice::from_ref(&run));
        let taken = store.lease(&run, "b", lease).await.expect("it leases");
        assert!(taken.is_some_and(|head| head.is_abandoned));
    }

    #[tokio::test]
    async fn tables_of_the_first_version_are_extended() {
        let (temp, run) = (Temp::new("older"), RunId::new("old").expect("an id"));
        let db = rusqlite::Connection::open(temp.file()).expect("a file");
        db.execute_batch(schema::TABLES).expect("it makes tables");
        let insert =
            "INSERT INTO runs (id, revision, status, head) VALUES ('old', 3, 'working', 'h')";
        db.execute_batch(insert).expect("it inserts");
        let store = SqliteStore::open(temp.file()).expect("it is extended");
        let head = store.peek(&run).await.expect("it reads").expect("it is there");
        assert_eq!((head.revision, head.incarnation), (3, 0));
        let change = RunChange::new(RunStatus::Completed, "i").with_incarnation(0);
        assert_eq!(store.save(&run, 3, &change).await.expect("it saves"), Some(4));
        // An older version can still use the file.
        db.execute_batch(&insert.replace("old", "new")).expect("it inserts");
    }

    #[tokio::test]
    async fn row_of_another_program_affects_its_run_only() {
        let temp = Temp::new("foreign");
        let store = SqliteStore::open(temp.file()).expect("a file");
        let (bad, good) = (RunId::new("bad").expect("an id"), RunId::new("good").expect("an id"));
        for run in [&bad, &good] {
            store.create(run, &RunChange::new(RunStatus::Working, "0")).await.expect("it is made");
        }
        let db = rusqlite::Connection::open(temp.file()).expect("a file");
        db.execute_batch("UPDATE runs SET status = 'dreaming' WHERE id = 'bad'")
            .expect("it writes");
        assert_eq!(store.due(9).await.expect("it lists"), std::slice::from_ref(&good));
        // Another program can write text that is not UTF-8, and ids that are not valid.
        db.execute_batch(
            "UPDATE runs SET tags = CAST(x'ff' AS TEXT) WHERE id = 'bad';
             INSERT INTO runs (id, revision, status, head) VALUES (CAST(x'ff' AS TEXT), 1, 'working', ''),
                 ('../up', 1, 'working', ''), ('', 1, 'working', ''), (' ', 1, 'working', '')",
        )
        .expect("it writes");
        assert_eq!(store.due(1).await.expect("it lists"), std::slice::from_ref(&good));
        let filter = RunFilter::new().limit(1);
        let first = store.list(&filter).await.expect("it lists").remove(0);
        assert_eq!((first.id.as_str(), first.status), ("bad", None));
        assert!(first.error.is_some_and(|error| error.contains("utf-8")), "its tags");
        let second = store.list(&filter.after(bad.clone())).await.expect("it lists").remove(0);
        assert_eq!((second.id, second.status), (good, Some(RunStatus::Working)));
        let error = store.peek(&bad).await.expect_err("it is unreadable");
        assert_eq!(error.kind(), genkit::ErrorKind::Internal);
        assert!(error.chain().contains("dreaming"), "{}", error.chain());
    }

    #[test]
    fn search_by_tag_reads_only_the_index_of_tags() {
        let db = schema::open_database(None).expect("a store");
        let statement = rows::list_statement(&RunFilter::new().tag("vip"));
        let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).expect("it is valid");
        let steps = plan.query_map([rusqlite::types::Null; 8], |row| row.get(3)).expect("a plan");
        let steps: Vec<String> = steps.collect::<rusqlite::Result<_>>().expect("text");
        let scans: Vec<_> = steps.iter().filter(|step| step.starts_with("SCAN")).collect();
        assert_eq!(scans, ["SCAN runs USING COVERING INDEX runs_tags"], "{steps:?}");
        assert!(steps.iter().any(|step| step.contains("INTEGER PRIMARY KEY")), "{steps:?}");
    }

    #[tokio::test]
    async fn tables_of_a_newer_version_are_left_alone() {
        let temp = Temp::new("newer");
        drop(SqliteStore::open(temp.file()).expect("a file"));
        let db = rusqlite::Connection::open(temp.file()).expect("a file");
        db.execute_batch("PRAGMA user_version = 9").expect("it is set");
        let error = SqliteStore::open(temp.file()).expect_err("it is newer");
        assert!(error.to_string().contains("version 9"), "{error}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn file_is_its_users_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = Temp::new("private");
        // Opening the pipe would wait for a program that reads from it.
        let pipe = temp.0.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("it runs").success());
        let error = SqliteStore::open(&pipe).expect_err("it is a pipe").chain();
        assert!(error.contains("not a regular file"), "{error}");
        std::fs::remove_file(&pipe).expect("it is there");
        let store = SqliteStore::open(temp.file()).expect("a file");
        let run = RunId::new("r").expect("an id");
        store.create(&run, &RunChange::new(RunStatus::Working, "0")).await.expect("it is made");
        let entries =
            std::fs::read_dir(&temp.0).expect("it lists").map(|entry| entry.expect("a file"));
        let modes: Vec<u32> = entries
            .map(|file| file.metadata().expect("it is there").permissions().mode() & 0o777)
            .collect();
        assert!(modes.len() >= 2, "the file and its log");
        assert!(modes.iter().all(|mode| *mode == 0o600), "{modes:?}");
    }
}
