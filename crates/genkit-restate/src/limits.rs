//! Limits of runs on Restate and their defaults.

use std::time::Duration;

/// The longest time that Restate waits for a step. Default is 15 minutes, which is longer than the timeout of a model
/// call; a tool in the registry with a longer timeout extends it. After this time, Restate sends the step to another
/// worker, or suspends a flow that waits for an answer.
pub(crate) const LONGEST_STEP: Duration = Duration::from_secs(900);

/// The additional time before Restate closes the connection of a step that takes too long. Default is 1 minute.
pub(crate) const ABORT: Duration = Duration::from_secs(60);

/// The time that external operations have to end after their step was cancelled. Default is 5 seconds.
pub(crate) const CANCEL: Duration = Duration::from_secs(5);

/// The wait before Restate retries a step after its connection failed. Default is 100 ms; it doubles with each retry.
pub(crate) const FIRST_RETRY: Duration = Duration::from_millis(100);

/// The longest wait between two such retries. Default is 5 seconds.
pub(crate) const LONGEST_RETRY: Duration = Duration::from_secs(5);

/// The timeout for connecting to Restate. Default is 5 seconds.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// The timeout of a request to Restate. Default is 30 seconds.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);

/// The maximum size of a response from Restate, in bytes. Default is 64 MiB.
pub(crate) const MAX_ANSWER: usize = 64 * 1024 * 1024;
