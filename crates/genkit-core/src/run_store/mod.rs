//! Stores of runs: what is saved of a run, and who works on it.

mod error;
mod id;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use id::RunId;

use crate::error::Result;
use crate::future::BoxFuture;
pub use crate::time::now_ms;

/// A store of durable runs: `FolderStore`, SQLite in the crate `genkit-sqlite`, or a
/// database that several machines share.
///
/// A store knows nothing of what it keeps: texts, a status, a time. What it promises:
///
/// * what [`create`](Self::create) and [`save`](Self::save) have returned is there after a crash of the process and of
///   the machine;
/// * a save is whole or not there, and of two saves at one revision one alone is taken;
/// * a lease has one owner at a time, in all processes, and ends by itself.
///
/// `genkit::testing::check_run_store` looks whether a store does.
pub trait RunStore: Send + Sync + 'static {
    /// Creates a run, at revision 1. `false` where there is one of that id: nothing is changed
    /// then.
    ///
    /// # Errors
    /// The store cannot be written.
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>>;

    /// Loads all that is kept of a run; `None` where there is none.
    ///
    /// # Errors
    /// The store cannot be read.
    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>>;

    /// Reads where a run stands, which costs less than to load it.
    ///
    /// # Errors
    /// The store cannot be read.
    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>>;

    /// Saves a change of the run as it was at revision `at`: the new revision, which is one more; `None` where the run is
    /// no longer at `at`, and nothing is changed then (compare and set).
    ///
    /// # Errors
    /// The store cannot be written. It may have been written all the same.
    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>>;

    /// Leases a run to a worker for `ttl` from now, or renews the lease for its owner: where the run stands.
    /// `None` where another owner has it, or where there is no such run.
    ///
    /// # Errors
    /// The store cannot be written.
    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>>;

    /// Releases a lease; nothing where `owner` has none.
    ///
    /// # Errors
    /// The store cannot be written.
    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Runs with work to do now, at most `limit`: of status [`Working`](RunStatus::Working), not to be left alone until
    /// later, without a living lease. Those that wait longest come first, as far as the store knows.
    ///
    /// # Errors
    /// The store cannot be read.
    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>>;

    /// Removes a run with all that is kept of it. `false` where there is none.
    ///
    /// # Errors
    /// The store cannot be written.
    fn remove<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>>;
}

/// The status of a durable run, in MCP's words for tasks.
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
    /// It waits for answers.
    InputRequired,
    /// It has its result.
    Completed,
    /// It has failed.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl RunStatus {
    const ALL: [Self; 5] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled];

    /// Name of the status, as stores keep it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Whether the run is over: nothing will change any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A change of a run: one settled step.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct RunChange {
    /// The status from now on.
    pub status: RunStatus,
    /// Wake-up time: when there is work to do, in milliseconds since 1970; `None` is at once.
    pub wake_at_ms: Option<u64>,
    /// Head: what replaces the old one, JSON on one line, so that it has no NUL either.
    pub head: String,
    /// Log: what is added to it, JSON on one line each.
    pub log: Vec<String>,
}

impl RunChange {
    /// A change with this status and head, and nothing else.
    pub fn new(status: RunStatus, head: impl Into<String>) -> Self {
        Self { status, wake_at_ms: None, head: head.into(), log: Vec::new() }
    }

    /// Adds lines to the log.
    #[must_use]
    pub fn with_log(self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { log: lines.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the wake-up time: when there is work to do, in milliseconds since 1970.
    #[must_use]
    pub fn with_wake_at_ms(self, time: Option<u64>) -> Self {
        Self { wake_at_ms: time, ..self }
    }
}

/// Head of a run: where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunHead {
    /// Revision: how often it was saved.
    pub revision: u64,
    /// Status of the run.
    pub status: RunStatus,
    /// Wake-up time: when there is work to do, in milliseconds since 1970; `None` is at once.
    pub wake_at_ms: Option<u64>,
}

impl RunHead {
    /// Head of a run at this revision.
    pub fn new(revision: u64, status: RunStatus, wake_at_ms: Option<u64>) -> Self {
        Self { revision, status, wake_at_ms }
    }
}

/// Stored run: all that is kept of it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// Head: where it stands.
    pub at: RunHead,
    /// The head of the last change.
    pub head: String,
    /// The lines of all changes, in their order.
    pub log: Vec<String>,
}

impl StoredRun {
    /// Stored run of this head and log.
    pub fn new(at: RunHead, head: impl Into<String>, log: Vec<String>) -> Self {
        Self { at, head: head.into(), log }
    }
}

/// Counts, never content.
impl std::fmt::Debug for RunChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunChange")
            .field("status", &self.status)
            .field("wake_at_ms", &self.wake_at_ms)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}

/// Counts, never content.
impl std::fmt::Debug for StoredRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredRun")
            .field("at", &self.at)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}
