//! Stores of runs: their saved data and leases.

mod clock;
mod error;
mod id;
mod list;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use clock::{LeaseEnd, LeaseTime};
pub use id::RunId;
pub use id::short_hash;
pub use list::{RunEntry, RunFilter};

use crate::error::Result;
use crate::future::BoxFuture;
pub use crate::time::now_ms;

/// A store of durable runs: `FolderStore`, SQLite in the crate `genkit-sqlite`, or a
/// database that several machines share.
///
/// A store does not interpret the data: it stores strings, a status and a time. It guarantees:
///
/// * After [`create`](Self::create) or [`save`](Self::save) returns, the data survives a crash of the process and of
///   the machine.
/// * A save is atomic, and of two saves at the same revision only one succeeds.
/// * A lease has one owner at a time across all processes, and expires on its own.
/// * A save for an owner fails once another owner has the lease. A save for an incarnation fails once the run was
///   deleted, even if another run was created with the same id.
/// * A run that cannot be read does not affect other runs.
///
/// `genkit::testing::check_run_store` checks these guarantees.
pub trait RunStore: Send + Sync + 'static {
    /// Creates a run at revision 1. Returns `false` and changes nothing if the id already exists. The run gets a new
    /// [incarnation](RunHead::incarnation), for example from [`RunHead::new_incarnation`].
    ///
    /// # Errors
    /// Returns an error if writing to the store fails.
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>>;

    /// Loads all data of a run. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if reading from the store fails.
    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>>;

    /// Reads the revision, status and wake-up time of a run, which is cheaper than loading it.
    ///
    /// # Errors
    /// Returns an error if reading from the store fails.
    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>>;

    /// Saves a change to the run at revision `at`, and returns the new revision, which is one higher. Returns `None`
    /// and changes nothing if the run is not at revision `at` (compare and set), if the lease does not belong to
    /// [`RunChange::owner`], or if the run's incarnation differs from [`RunChange::incarnation`].
    /// A lease that has expired belongs to its owner until another owner takes it.
    ///
    /// # Errors
    /// Returns an error if writing to the store fails. The change may have been saved
    /// nevertheless.
    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>>;

    /// Leases a run to a worker for `ttl` from now, or renews the lease of its owner. Returns the head of the run, or
    /// `None` if another owner has the lease or the run does not exist. The head is
    /// [abandoned](RunHead::is_abandoned) if the lease of another owner has expired without a release.
    ///
    /// # Errors
    /// Returns an error if writing to the store fails.
    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>>;

    /// Releases a lease. Has no effect if `owner` does not have the lease.
    ///
    /// # Errors
    /// Returns an error if writing to the store fails.
    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Returns up to `limit` runs with work to do now: runs with the status [`Working`](RunStatus::Working) whose
    /// wake-up time has passed and that have no valid lease. Runs that have waited longest come first, if possible. A
    /// run that cannot be read is either omitted or returned, so that its worker reports the error.
    ///
    /// # Errors
    /// Returns an error if reading from the store fails.
    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>>;

    /// Deletes a run and its data. Returns `false` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if writing to the store fails.
    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>>;

    /// Returns a page of the runs that `filter` selects, in the order of their ids. A run that cannot be read is an
    /// entry without a status. The default implementation returns `FailedPrecondition`.
    ///
    /// # Errors
    /// Returns an error if reading from the store fails, or if the store cannot list its runs.
    fn list<'a>(&'a self, _filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        Box::pin(std::future::ready(Err(self::error::Error::ListUnsupported.into())))
    }
}

/// The status of a durable run, with the names that MCP uses for tasks.
///
/// ```
/// use genkit::durable::RunStatus;
///
/// assert!(RunStatus::Failed.is_over() && !RunStatus::InputRequired.is_over());
/// assert_eq!(RunStatus::InputRequired.as_str(), "input_required");
/// assert_eq!(RunStatus::from_name("working"), Some(RunStatus::Working));
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
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Returns whether the run is finished and no longer changes.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A change to a run: the data of one save.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct RunChange {
    /// The new status.
    pub status: RunStatus,
    /// The wake-up time in milliseconds since the Unix epoch, the earliest time to continue the run. `None` means now.
    pub wake_at_ms: Option<u64>,
    /// The new head, which replaces the old head: JSON on one line without NUL.
    pub head: String,
    /// Log lines to append, each of them JSON on one line.
    pub log: Vec<String>,
    /// The owner whose lease this save requires. `None` means a change without a lease, such as an answer.
    pub owner: Option<String>,
    /// The incarnation that this save requires. `None` accepts any.
    pub incarnation: Option<u64>,
    /// The name of the run in lists, such as the name of its flow. `None` leaves the stored name unchanged.
    pub name: Option<String>,
    /// The tags of the run. `None` leaves the stored tags unchanged.
    pub tags: Option<Vec<String>>,
    /// The error of the run, or of the last attempt of its next step.
    pub error: Option<String>,
}

impl RunChange {
    /// Creates a change with this status and head, without a wake-up time or log lines.
    pub fn new(status: RunStatus, head: impl Into<String>) -> Self {
        Self {
            status,
            wake_at_ms: None,
            head: head.into(),
            log: Vec::new(),
            owner: None,
            incarnation: None,
            name: None,
            tags: None,
            error: None,
        }
    }

    /// Sets the owner whose lease the save requires.
    #[must_use]
    pub fn with_owner(self, owner: impl Into<String>) -> Self {
        Self { owner: Some(owner.into()), ..self }
    }

    /// Sets the incarnation that the save requires.
    #[must_use]
    pub fn with_incarnation(self, incarnation: u64) -> Self {
        Self { incarnation: Some(incarnation), ..self }
    }

    /// Sets the name of the run in lists.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Sets the tags of the run.
    #[must_use]
    pub fn with_tags(self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { tags: Some(tags.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets the error of the run, or of the last attempt of its next step.
    #[must_use]
    pub fn with_error(self, error: Option<String>) -> Self {
        Self { error, ..self }
    }

    /// Checks that the head and the log lines can be stored as lines.
    ///
    /// # Errors
    /// Returns an error if one of them contains a line break.
    pub fn check_lines(&self) -> Result<()> {
        match std::iter::once(&self.head).chain(&self.log).any(|text| text.contains('\n')) {
            true => Err(error::Error::LineBreak.into()),
            false => Ok(()),
        }
    }

    /// Returns whether a save may change a run with this head, whose lease belongs to `owner`. Useful for stores that
    /// lock the run during a save.
    pub fn may_change(&self, head: &RunHead, owner: Option<&str>) -> bool {
        self.incarnation.is_none_or(|incarnation| incarnation == head.incarnation)
            && self.owner.as_deref().is_none_or(|expected| owner == Some(expected))
    }

    /// Sets the lines to append to the log.
    #[must_use]
    pub fn with_log(self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { log: lines.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the wake-up time in milliseconds since the Unix epoch, the earliest time to continue
    /// the run.
    #[must_use]
    pub fn with_wake_at_ms(self, time: Option<u64>) -> Self {
        Self { wake_at_ms: time, ..self }
    }
}

/// The head of a run: its revision, status, wake-up time and incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunHead {
    /// The revision: the number of saves.
    pub revision: u64,
    /// The status of the run.
    pub status: RunStatus,
    /// The wake-up time in milliseconds since the Unix epoch, the earliest time to continue the run. `None` means now.
    pub wake_at_ms: Option<u64>,
    /// The incarnation: a number that distinguishes the run from an earlier run with the same id. The number is 0 if
    /// the run was created by a version without incarnations.
    pub incarnation: u64,
    /// Whether the last owner of the lease has not released it, because its process ended or lost the connection to the
    /// store. Only set by [`RunStore::lease`].
    pub is_abandoned: bool,
}

impl RunHead {
    /// Creates the head of a run at this revision, with incarnation 0.
    pub fn new(revision: u64, status: RunStatus, wake_at_ms: Option<u64>) -> Self {
        Self { revision, status, wake_at_ms, incarnation: 0, is_abandoned: false }
    }

    /// Sets the incarnation.
    #[must_use]
    pub fn with_incarnation(self, incarnation: u64) -> Self {
        Self { incarnation, ..self }
    }

    /// Sets whether the last owner of the lease has not released it.
    #[must_use]
    pub fn with_abandoned(self, is_abandoned: bool) -> Self {
        Self { is_abandoned, ..self }
    }

    /// Returns a random incarnation for a new run, from 1 to 2⁵³ - 1.
    pub fn new_incarnation() -> u64 {
        use std::hash::{BuildHasher as _, Hasher as _, RandomState};
        let mut random = RandomState::new().build_hasher();
        random.write_u64(now_ms());
        (random.finish() >> 11).max(1)
    }
}

/// The stored data of a run.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// The revision, status and wake-up time.
    pub at: RunHead,
    /// The head of the last change.
    pub head: String,
    /// The log lines of all changes, in order.
    pub log: Vec<String>,
}

impl StoredRun {
    /// Creates the stored data from a position `at`, the head of the last change, and a log.
    pub fn new(at: RunHead, head: impl Into<String>, log: Vec<String>) -> Self {
        Self { at, head: head.into(), log }
    }
}

/// Prints only counts.
impl std::fmt::Debug for RunChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunChange")
            .field("status", &self.status)
            .field("wake_at_ms", &self.wake_at_ms)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}

/// Prints only counts.
impl std::fmt::Debug for StoredRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredRun")
            .field("at", &self.at)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}
