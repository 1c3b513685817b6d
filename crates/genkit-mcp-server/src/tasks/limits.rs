//! Limits of tasks, with their defaults.

use std::time::Duration;

/// How long a task lives, from its creation until it is gone, whether it has ended or not. Default is 1 day.
pub(crate) const TTL: Duration = Duration::from_secs(24 * 3600);

/// How often clients are asked to look at a task. Default is 1 second.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// How many tasks run in one server at once; more calls are answered when they end. Default is 1,000.
pub(super) const MAX_RUNNING: usize = 1000;

/// How many tasks of one client one server has made that are not gone; more calls are answered when they end. Default
/// is 1,000.
pub(super) const MAX_CLIENT_TASKS: usize = 1000;

/// How large the answers of a `tasks/update` may be that are for open questions, in bytes of JSON. Default is 256 KiB.
pub(super) const MAX_ANSWERS: usize = 256 * 1024;

/// How long the message of a task's status may be, in bytes: it is cut. Default is 4 KiB.
pub(super) const MAX_MESSAGE: usize = 4 * 1024;

/// How often the progress of a task is saved, at most. Default is each second.
pub(super) const PROGRESS: Duration = Duration::from_secs(1);

/// How often a server looks for tasks that nobody works on, and for those whose time is over. Default is 2 seconds.
pub(super) const SWEEP: Duration = Duration::from_secs(2);

/// How many of them it sees at a time. Default is 256.
pub(super) const SWEEP_LIMIT: usize = 256;

/// How long a task is left alone that a server cannot work on, because it lacks the tool for example. Default is a minute.
pub(super) const SKIP: Duration = Duration::from_secs(60);

/// How long a server that ends waits until its tasks have stopped. Default is 2 seconds.
pub(super) const STOP: Duration = Duration::from_secs(2);

/// How often it looks in that time.
pub(super) const STOP_LOOKS: u32 = 100;

/// How often a change of a task is tried that another was faster with. Default is 100.
pub(super) const CHANGE_TRIES: u32 = 100;
