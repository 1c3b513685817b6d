//! A store whose process dies before or after a change, and the processes around it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use genkit::durable::{FolderStore, RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::{BoxFuture, Result};

/// The environment variable with the role of a process.
const ROLE: &str = "GENKIT_TASK_ROLE";

/// The startup time limit of a process.
const START: Duration = Duration::from_secs(30);

/// The role of a process.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) folder: PathBuf,
    /// `folder`, `sqlite`, or the address of Postgres.
    pub(super) store: String,
    /// The change at which it dies; 0 if it does not die.
    pub(super) dies_at: usize,
    pub(super) dies_after: bool,
    /// The duration of a lease, so that the next process does not have to wait for that of a dead one.
    pub(super) lease_ms: u64,
    /// The address of the other server, for a host.
    pub(super) other: String,
}

impl Role {
    /// Returns the role of this process, if it was started with one.
    pub(super) fn of_this() -> Option<Self> {
        let role = std::env::var(ROLE).ok()?;
        let parts: Vec<&str> = role.split('\n').collect();
        let [folder, store, at, after, lease, other] = parts[..] else { panic!("{role}") };
        Some(Self {
            folder: folder.into(),
            store: store.to_owned(),
            dies_at: at.parse().unwrap(),
            dies_after: after == "true",
            lease_ms: lease.parse().unwrap(),
            other: other.to_owned(),
        })
    }

    /// Starts this test binary as a process with this role.
    pub(super) fn start(&self, test: &str) -> Child {
        let Self { folder, store, dies_at, dies_after, lease_ms, other } = self;
        let folder = folder.display();
        let role = format!("{folder}\n{store}\n{dies_at}\n{dies_after}\n{lease_ms}\n{other}");
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--test-threads=1"])
            .env(ROLE, role)
            .env_remove("RUST_LOG")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub(super) async fn store(&self) -> Deadly {
        let inner: Arc<dyn RunStore> = match &*self.store {
            "folder" => Arc::new(FolderStore::open(self.folder.join("runs")).unwrap()),
            "sqlite" => {
                let file = self.folder.join("runs.db");
                Arc::new(genkit_sqlite::SqliteStore::open(file).unwrap())
            }
            url => Arc::new(genkit_postgres::PostgresStore::connect(url).await.unwrap()),
        };
        let Self { dies_at, dies_after, lease_ms, .. } = *self;
        Deadly { inner, changes: AtomicUsize::new(0), dies_at, dies_after, lease_ms }
    }
}

/// Dies as with `kill -9`: nothing is flushed or dropped.
fn die() -> ! {
    let this = std::process::id().to_string();
    Command::new("kill").args(["-9", &this]).status().unwrap();
    loop {
        std::thread::park();
    }
}

/// Waits for the end of a process. Returns whether it was killed.
pub(super) fn was_killed(child: &mut Child) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let status = child.wait().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{status:?}");
    !status.success()
}

/// Returns what a process writes when it is ready.
pub(super) fn announced(child: &mut Child, file: &Path) -> Option<String> {
    let until = Instant::now() + START;
    loop {
        if let Ok(text) = std::fs::read_to_string(file)
            && text.ends_with('\n')
        {
            return Some(text.trim().to_owned());
        }
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        assert!(Instant::now() < until, "it does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A store whose process dies at a change.
pub(super) struct Deadly {
    inner: Arc<dyn RunStore>,
    changes: AtomicUsize,
    dies_at: usize,
    dies_after: bool,
    lease_ms: u64,
}

impl Deadly {
    /// Makes a change, unless the process must die at it.
    async fn change<T>(&self, change: impl Future<Output = Result<T>>) -> Result<T> {
        let number = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.dies_at && !self.dies_after {
            die();
        }
        let changed = change.await;
        if number == self.dies_at {
            die();
        }
        changed
    }
}

impl RunStore for Deadly {
    all_of_inner_but!(create, save, lease);

    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        Box::pin(self.change(self.inner.create(run, first)))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(self.change(self.inner.save(run, at, change)))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        _: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        self.inner.lease(run, owner, Duration::from_millis(self.lease_ms))
    }
}
