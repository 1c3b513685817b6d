//! Limits of runs on Temporal and their defaults.

use std::time::Duration;

/// The maximum size of a compressed message, in bytes. Default is 1,900 KiB, since Temporal rejects messages of 2 MiB.
pub(crate) const MAX_PACKED: usize = 1900 * 1024;

/// The maximum size of a message before compression, in bytes. Default is 64 MiB.
pub(crate) const MAX_UNPACKED: usize = 64 * 1024 * 1024;

/// The time without a heartbeat after which Temporal considers the worker of a step lost. Default is 10 seconds.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(10);

/// The interval between two heartbeats of a step, which also report that the run was cancelled. Default is 1 second.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// The maximum number of workers that can be lost during one step without a new result of `once`. Default is 10.
pub(crate) const MAX_LOST_WORKERS: u32 = 10;

/// The time that a step has in addition to its own limit, before Temporal considers its worker lost. Default is 1 minute.
pub(crate) const LIMIT_MARGIN: Duration = Duration::from_secs(60);

/// The limit of a step without another limit, such as a flow. Default is 365 days.
pub(crate) const LONGEST_STEP: Duration = Duration::from_secs(365 * 24 * 3600);

/// The time that a run has to accept a result and to determine its next steps. Default is 1 minute.
pub(crate) const ADVANCE_TIMEOUT: Duration = Duration::from_secs(60);

/// The time that external operations have to end after their step was cancelled, and that steps have to end after their
/// worker was stopped. Default is 5 seconds.
pub(crate) const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest wait before Temporal passes a run or a step to another worker, if a worker lacks one of its
/// dependencies. Default is 10 seconds.
pub(crate) const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// The time that a run waits for the worker that has it in memory, before another worker can continue it. Default is 5
/// seconds.
pub(crate) const STICKY_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout for connecting to Temporal. Default is 5 seconds.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout of a request to Temporal, and of a request that a worker answers. Default is 30 seconds.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
