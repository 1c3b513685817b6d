//! Limits of runs on Restate and their defaults.

use std::time::Duration;

/// The longest time that Restate waits for a step. Default is 15 minutes; a longer timeout of a tool in the
/// registry extends it. A model call may take 10 minutes. After the time Restate gives the step to another worker, or
/// suspends a flow that waits for an answer.
pub(crate) const LONGEST_STEP: Duration = Duration::from_secs(900);

/// The additional time before the connection of such a step is closed. Default is 1 minute.
pub(crate) const ABORT: Duration = Duration::from_secs(60);

/// The time that work elsewhere has to end after its step was cancelled. Default is 5 seconds.
pub(crate) const CANCEL: Duration = Duration::from_secs(5);

/// The wait before Restate retries a step after its connection failed, which doubles with each retry. Default is 100
/// ms.
pub(crate) const FIRST_RETRY: Duration = Duration::from_millis(100);

/// The longest wait between two such retries. Default is 5 seconds.
pub(crate) const LONGEST_RETRY: Duration = Duration::from_secs(5);

/// The timeout for connecting to Restate. Default is 5 seconds.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// The timeout of a request to Restate. Default is 30 seconds.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);

/// The maximum size of a response of Restate, in bytes. Default is 64 MiB.
pub(crate) const MAX_ANSWER: usize = 64 * 1024 * 1024;
