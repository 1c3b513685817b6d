//! The SQLite store.

use std::path::Path;
use std::time::{Duration, SystemTime};

use genkit::durable::{RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::{BoxFuture, Error, Result};

use crate::writer::WriterThread;
use crate::{rows, schema};

/// A SQLite store: durable runs in one file, which many processes on one machine may share.
///
/// If the store creates the file, only this user can access it (mode 600). The file must be on a local disk, because
/// SQLite's locks do not work over networks.
#[derive(Clone)]
pub struct SqliteStore(WriterThread);

impl SqliteStore {
    /// Opens the SQLite file, or creates it.
    ///
    /// # Errors
    /// `FailedPrecondition` if the file cannot be opened, is not a database, or has tables of a newer version of this
    /// crate; `Unavailable` if another program locks it or the disk fails.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        make_private(path)?;
        Ok(Self(WriterThread::new(schema::open_database(Some(path))?)?))
    }

    /// Creates a SQLite store in memory, for tests. It is removed with its last clone.
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
    /// The same as for [`open`](Self::open).
    pub fn in_memory() -> Result<Self> {
        Ok(Self(WriterThread::new(schema::open_database(None)?)?))
    }
}

/// Creates the file with access for this user only, if it does not exist, since it contains conversations.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let made = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    made.map(drop).map_err(|error| {
        let text = format!("cannot open the SQLite store of runs `{}`", path.display());
        Error::new(genkit::ErrorKind::FailedPrecondition, text).with_source(error)
    })
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<()> {
    Ok(())
}

/// Rejects a change with a line break in its head or log lines.
fn check_change(change: &RunChange) -> Result<()> {
    let mut texts = std::iter::once(&change.head).chain(&change.log);
    match texts.any(|text| text.contains('\n')) {
        true => Err(Error::invalid_argument(
            "the head and each log line of a run must not contain line breaks",
        )),
        false => Ok(()),
    }
}

/// Returns the time of this machine, in milliseconds since 1970.
fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl RunStore for SqliteStore {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        let (run, first) = (run.clone(), first.clone());
        Box::pin(async move {
            check_change(&first)?;
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
            check_change(&change)?;
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
        let ttl = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
        self.0.run_job(true, move |db| {
            // Read the clock only once the lock is held, so that waiting for the lock does not shorten the lease.
            let now = unix_ms();
            rows::lease_run(db, &run, &owner, [now, now.saturating_add(ttl)])
        })
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        let (run, owner) = (run.clone(), owner.to_owned());
        self.0.run_job(true, move |db| rows::release_lease(db, &run, &owner))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        self.0.run_job(false, move |db| rows::due_runs(db, unix_ms(), limit))
    }

    fn remove<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        let run = run.clone();
        self.0.run_job(true, move |db| rows::remove_run(db, &run))
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
    async fn it_keeps_what_a_store_promises() {
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
    async fn the_file_is_its_users_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = Temp::new("private");
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
