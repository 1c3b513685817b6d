//! Limits of durable runs and their defaults.

use std::time::Duration;

/// The duration of a lease, which is renewed three times as often. Default is 30 seconds; an instance can set another
/// one. If a process dies, its runs are not taken over before that.
pub const LEASE: Duration = Duration::from_secs(30);

/// The wait before the second attempt to save, which doubles with each further attempt. Default is 100 ms.
pub(super) const SAVE_WAIT: Duration = Duration::from_millis(100);

/// The longest wait between two attempts to save, or to renew a lease. Default is 1 second.
pub(super) const LONGEST_SAVE_WAIT: Duration = Duration::from_secs(1);

/// How long a call to the store may take. Default is 20 seconds.
pub(super) const STORE_TIMEOUT: Duration = Duration::from_secs(20);

/// The number of processes that may end at one step of a run, or of a task. Default is 10.
pub const LIVES: u32 = 10;

/// The number of such processes after which a worker performs the run without other such runs. Default is 2.
pub(super) const SUSPECT_LIVES: u32 = 2;

/// The number of runs that one worker works on in parallel. Default is 16.
pub(super) const CONCURRENCY: usize = 16;

/// The interval between two searches of a worker for due runs. Default is 1 second.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// The longest interval between two reads of the status of a run by a handle that waits for it. Default is 500 ms.
pub(super) const WATCH: Duration = Duration::from_millis(500);

/// How long a handle of a run keeps waiting if the engine of the run does not respond. Default is 1 minute.
pub(super) const ENGINE_PATIENCE: Duration = Duration::from_secs(60);

/// The longest interval between two deletions of finished runs by a worker. Default is 10 minutes.
pub(super) const SWEEP: Duration = Duration::from_secs(600);

/// How long a worker ignores a run that it cannot work on, for example because a tool is missing. Default is
/// a minute.
pub(super) const SKIP: Duration = Duration::from_secs(60);

/// The interval between two measurements of the runs of a store by a worker. Default is a minute.
pub(super) const MEASURE: Duration = Duration::from_secs(60);
