//! The limits of tasks, with their defaults.

use std::time::Duration;

/// The poll interval suggested to clients. Default is 1 second.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// The maximum size of the answers to open questions in a `tasks/update`, in bytes of JSON. Default is 256 KiB.
pub(super) const MAX_ANSWERS: usize = 256 * 1024;

/// The maximum length of a status message, in bytes; longer messages are truncated. Default is 4 KiB.
pub(super) const MAX_MESSAGE: usize = 4 * 1024;

/// The minimum interval between saves of a task's progress. Default is 1 second.
pub(super) const PROGRESS: Duration = Duration::from_secs(1);

/// The interval between sweeps for abandoned and expired tasks. Default is 2 seconds.
pub(super) const SWEEP: Duration = Duration::from_secs(2);

/// The maximum number of tasks handled per sweep. Default is 256.
pub(super) const SWEEP_LIMIT: usize = 256;

/// The time that a server ignores a task that it cannot run, for example because it lacks the tool. Default is 1
/// minute.
pub(super) const SKIP: Duration = Duration::from_secs(60);

/// The maximum number of attempts to change a task that other servers change concurrently. Default is 100.
pub(super) const CHANGE_TRIES: u32 = 100;
