//! The limits of tasks, with their defaults.

use std::time::Duration;

/// How long a task is kept after its creation, whether it has finished or not. Default is 1 day.
pub(crate) const TTL: Duration = Duration::from_secs(24 * 3600);

/// The poll interval suggested to clients. Default is 1 second.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// The maximum number of tasks running in one server; further calls run without a task. Default is 1,000.
pub(super) const MAX_RUNNING: usize = 1000;

/// The maximum number of tasks per client that one server created and that have not expired; further calls run without
/// a task. Default is 1,000.
pub(super) const MAX_CLIENT_TASKS: usize = 1000;

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

/// How long a server ignores a task that it cannot run, for example because it lacks the tool. Default is a minute.
pub(super) const SKIP: Duration = Duration::from_secs(60);

/// How long a server that shuts down waits for its tasks to stop. Default is 2 seconds.
pub(super) const STOP: Duration = Duration::from_secs(2);

/// The number of times it checks during that time.
pub(super) const STOP_LOOKS: u32 = 100;

/// The maximum number of attempts to change a task while others change it. Default is 100.
pub(super) const CHANGE_TRIES: u32 = 100;
