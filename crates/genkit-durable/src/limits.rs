//! Limits of durable runs, with their defaults.

use std::time::Duration;

/// How long a lease lasts, renewed three times as often. Default is 30 seconds: so long nobody takes over a run whose
/// process died.
pub const LEASE: Duration = Duration::from_secs(30);

/// How often a save is tried, while the store fails. Default is 5.
pub(super) const SAVE_TRIES: u32 = 5;

/// How long the first wait between two of them is; each next one is twice as long. Default is 100 ms.
pub(super) const SAVE_WAIT: Duration = Duration::from_millis(100);

/// How often a step is tried that fails with what may pass. Default is 5.
pub const STEP_TRIES: u32 = 5;

/// How long the first wait between two tries of a step is; each next one is four times as long. Default is 1 second.
const STEP_WAIT: Duration = Duration::from_secs(1);

/// The longest wait between two tries of a step. Default is 5 minutes, but for a provider that asks for more.
const LONGEST_STEP_WAIT: Duration = Duration::from_secs(300);

/// How many runs one worker works on at a time. Default is 16.
pub(super) const CONCURRENCY: usize = 16;

/// How often a worker looks for runs that are due. Default is 1 second.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// How often one who waits for a run looks at it, at most. Default is 500 ms.
pub(super) const WATCH: Duration = Duration::from_millis(500);

/// How long a worker leaves a run alone that it cannot work on, because it lacks a tool for example. Default is a minute.
pub(super) const SKIP: Duration = Duration::from_secs(60);

/// How long the wait after the `tries`-th try of a step is, which a provider may make longer.
pub(super) fn step_wait(tries: u32, asked: Option<Duration>) -> Duration {
    let waits = STEP_WAIT * 4_u32.saturating_pow(tries.saturating_sub(1).min(8));
    waits.min(LONGEST_STEP_WAIT).max(asked.unwrap_or(Duration::ZERO))
}
