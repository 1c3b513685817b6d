//! Stores of runs: their saved data and leases.

mod error;
mod id;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use id::RunId;
pub use id::short_hash;

use crate::error::Result;
use crate::future::BoxFuture;
pub use crate::time::now_ms;

/// A store of durable runs: `FolderStore`, SQLite in the crate `genkit-sqlite`, or a
/// database that several machines share.
///
/// A store does not interpret the data: it holds texts, a status and a time. It guarantees:
///
/// * After [`create`](Self::create) or [`save`](Self::save) returns, the data survives a crash of the process and of
///   the machine.
/// * A save is atomic, and of two saves at the same revision only one succeeds.
/// * A lease has one owner at a time across all processes, and expires on its own.
///
/// `genkit::testing::check_run_store` checks these guarantees.
pub trait RunStore: Send + Sync + 'static {
    /// Creates a run at revision 1. Returns `false` and changes nothing if the id exists.
    ///
    /// # Errors
    /// The store cannot be written.
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>>;

    /// Loads all data of a run. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// The store cannot be read.
    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>>;

    /// Reads the revision, status and wake-up time of a run, which is cheaper than loading it.
    ///
    /// # Errors
    /// The store cannot be read.
    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>>;

    /// Saves a change to the run at revision `at`, and returns the new revision, which is one higher. Returns `None`
    /// and changes nothing if the run is not at revision `at` (compare and set).
    ///
    /// # Errors
    /// The store cannot be written. The change may have been saved nevertheless.
    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>>;

    /// Leases a run to a worker for `ttl` from now, or renews the lease of its owner. Returns the head of the run, or
    /// `None` if another owner has the lease or the run does not exist.
    ///
    /// # Errors
    /// The store cannot be written.
    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>>;

    /// Releases a lease. Does nothing if `owner` does not have it.
    ///
    /// # Errors
    /// The store cannot be written.
    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Returns up to `limit` runs with work to do now: runs with the status [`Working`](RunStatus::Working), without a
    /// later wake-up time and without a valid lease. Runs that have waited longest come first, if possible.
    ///
    /// # Errors
    /// The store cannot be read.
    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>>;

    /// Removes a run and its data. Returns `false` if it does not exist.
    ///
    /// # Errors
    /// The store cannot be written.
    fn remove<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>>;
}

/// The status of a durable run, with the names that MCP uses for tasks.
///
/// ```
/// use genkit::durable::RunStatus;
///
/// assert!(RunStatus::Failed.is_over() && !RunStatus::InputRequired.is_over());
/// assert_eq!(RunStatus::InputRequired.as_str(), "input_required");
/// assert_eq!(RunStatus::of_name("working"), Some(RunStatus::Working));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// There is work to do, now or later.
    Working,
    /// The run waits for answers.
    InputRequired,
    /// The run has a result.
    Completed,
    /// The run has failed.
    Failed,
    /// The run was cancelled.
    Cancelled,
}

impl RunStatus {
    const ALL: [Self; 5] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled];

    /// Returns the name of the status, as stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the status with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Returns `true` if the run is finished and will not change any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A change of a run, which saves the result of one step.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct RunChange {
    /// The new status.
    pub status: RunStatus,
    /// Wake-up time in milliseconds since 1970, the earliest time to continue the run. `None` for now.
    pub wake_at_ms: Option<u64>,
    /// The new head, which replaces the old one: JSON on one line without NUL.
    pub head: String,
    /// Log lines to append, each of them JSON on one line.
    pub log: Vec<String>,
}

impl RunChange {
    /// Creates a change with this status and head, without a wake-up time and log lines.
    pub fn new(status: RunStatus, head: impl Into<String>) -> Self {
        Self { status, wake_at_ms: None, head: head.into(), log: Vec::new() }
    }

    /// Adds lines to the log.
    #[must_use]
    pub fn with_log(self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { log: lines.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the wake-up time in milliseconds since 1970, the earliest time to continue the run.
    #[must_use]
    pub fn with_wake_at_ms(self, time: Option<u64>) -> Self {
        Self { wake_at_ms: time, ..self }
    }
}

/// The head of a run: its revision, status and wake-up time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunHead {
    /// Revision: the number of saves.
    pub revision: u64,
    /// Status of the run.
    pub status: RunStatus,
    /// Wake-up time in milliseconds since 1970, the earliest time to continue the run. `None` for now.
    pub wake_at_ms: Option<u64>,
}

impl RunHead {
    /// Creates the head of a run at this revision.
    pub fn new(revision: u64, status: RunStatus, wake_at_ms: Option<u64>) -> Self {
        Self { revision, status, wake_at_ms }
    }
}

/// The stored data of a run.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// Revision, status and wake-up time.
    pub at: RunHead,
    /// The head of the last change.
    pub head: String,
    /// The log lines of all changes, in order.
    pub log: Vec<String>,
}

impl StoredRun {
    /// Creates the stored data from a head and a log.
    pub fn new(at: RunHead, head: impl Into<String>, log: Vec<String>) -> Self {
        Self { at, head: head.into(), log }
    }
}

/// Prints counts only.
impl std::fmt::Debug for RunChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunChange")
            .field("status", &self.status)
            .field("wake_at_ms", &self.wake_at_ms)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}

/// Prints counts only.
impl std::fmt::Debug for StoredRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredRun")
            .field("at", &self.at)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}
