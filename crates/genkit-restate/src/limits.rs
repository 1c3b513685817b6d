//! Limits of runs on Restate, with their defaults.

use std::time::Duration;

/// The longest step that is waited for. Default is 15 minutes, and more where a tool of the registry says so: a model
/// call may take 10. After that Restate gives the step to another worker, or lets one that waits for an answer sleep.
pub(crate) const LONGEST_STEP: Duration = Duration::from_secs(900);

/// How long a step may go on after that before its connection is cut. Default is 1 minute.
pub(crate) const ABORT: Duration = Duration::from_secs(60);

/// How long what a cancelled step began elsewhere has to end. Default is 5 seconds.
pub(crate) const CANCEL: Duration = Duration::from_secs(5);

/// How long Restate waits before it gives a step to a worker again whose connection broke; twice as long each time. Default is 100 ms.
pub(crate) const FIRST_RETRY: Duration = Duration::from_millis(100);

/// The longest wait between two of them. Default is 5 seconds.
pub(crate) const LONGEST_RETRY: Duration = Duration::from_secs(5);

/// How long connecting to Restate may take. Default is 5 seconds.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// How long Restate may take for one request. Default is 30 seconds.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);

/// How large an answer of Restate may be, in bytes. Default is 64 MiB.
pub(crate) const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// How often one who waits for a run looks at it, at most. Default is 500 ms.
pub(crate) const WATCH: Duration = Duration::from_millis(500);

/// How long one who waits for a run bears that Restate does not answer. Default is 1 minute.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
