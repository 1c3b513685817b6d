//! Limits of durable runs and their defaults.

use std::time::Duration;

/// The duration of a lease. Default is 30 seconds; an instance can set a different duration. A lease is renewed after a
/// third of this time. If a process dies, other processes take over its runs after this time.
pub const LEASE: Duration = Duration::from_secs(30);

/// The wait before the second attempt to save. Default is 100 ms; it doubles with each further attempt.
pub(super) const SAVE_WAIT: Duration = Duration::from_millis(100);

/// The longest wait between two attempts to save, or to renew a lease. Default is 1 second.
pub(super) const LONGEST_SAVE_WAIT: Duration = Duration::from_secs(1);

/// The timeout of a call to the store. Default is 20 seconds.
pub(super) const STORE_TIMEOUT: Duration = Duration::from_secs(20);

/// The maximum number of processes that may end during one step of a run or of a task. Default is 10.
pub const MAX_ENDED_PROCESSES: u32 = 10;

/// A run is suspect once this number of processes has ended during one of its steps. Default is 2. A process performs
/// only one suspect run at a time.
pub(super) const SUSPECT_AFTER_PROCESSES: u32 = 2;

/// The maximum number of runs that one worker performs in parallel. Default is 16.
pub(super) const CONCURRENCY: usize = 16;

/// The interval between two searches of a worker for due runs. Default is 1 second.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// The longest interval between two reads of the status of a run by a handle that waits for it. Default is 500 ms.
pub(super) const WATCH: Duration = Duration::from_millis(500);

/// The time that a handle of a run keeps waiting if the engine of the run does not respond. Default is 1 minute.
pub(super) const ENGINE_PATIENCE: Duration = Duration::from_secs(60);

/// The longest interval between two deletions of finished runs by a worker. Default is 10 minutes.
pub(super) const SWEEP: Duration = Duration::from_secs(600);

/// The time for which a worker ignores a run that it cannot perform, for example because a tool is missing. Default is
/// a minute.
pub(super) const SKIP: Duration = Duration::from_secs(60);

/// The interval between two measurements of the runs of a store by a worker. Default is a minute.
pub(super) const MEASURE: Duration = Duration::from_secs(60);
