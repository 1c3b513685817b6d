//! Limits on the time, sizes and counts that a server may use.

use std::time::Duration;

/// The longest key of a server, in bytes. Default is 64.
pub(crate) const MAX_KEY: usize = 64;

/// How long a request may take without a response or progress. Default is 60 seconds.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// How long a request may take in total, even with progress. Default is 10 minutes.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a server may take to start and complete the handshake. Default is 30 seconds.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a server may take to respond to the probe for the newest protocol before it is treated as an older server.
/// Default is 3 seconds.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a list of tools waits for servers that are still starting. Default is 10 seconds.
pub(crate) const STARTUP_TIMEOUT: Duration = Duration::from_secs(10);

/// How long reading all pages of a list may take. Default is 30 seconds.
pub(crate) const LIST_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait before a list that failed is requested again. Default is 10 seconds.
pub(crate) const LIST_RETRY_AFTER: Duration = Duration::from_secs(10);

/// How long a list is cached in a session over HTTP, where the stream that reports changes may be broken. Default is 5
/// minutes.
pub(crate) const SESSION_LIST_TTL: Duration = Duration::from_secs(300);

/// How long lists skip a server after it was slow. Default is 60 seconds.
pub(crate) const SLOW_LIST_PAUSE: Duration = Duration::from_secs(60);

/// How many pages of a list are read. Default is 1,000.
pub(crate) const MAX_PAGES: usize = 1000;

/// How many items of a list are read. Default is 20,000.
pub(crate) const MAX_ITEMS: usize = 20_000;

/// The largest list, in bytes of JSON. Default is 64 MiB.
pub(crate) const MAX_LIST: usize = 64 * 1024 * 1024;

/// The longest cursor, in bytes. Default is 16 KiB.
pub(crate) const MAX_CURSOR: usize = 16 * 1024;

/// The largest definition of one item, in bytes of JSON. Default is 256 KiB.
pub(crate) const MAX_DEFINITION: usize = 256 * 1024;

/// How many notifications a server may send per second. Default is 10,000.
pub(crate) const MAX_NOTIFICATIONS: u32 = 10_000;

/// How many requests may be in flight at one server. Default is 256.
pub(crate) const MAX_IN_FLIGHT: usize = 256;

/// How many requests from a server may be open at once; the rest are declined. Default is 8.
pub(crate) const MAX_SERVER_REQUESTS: usize = 8;

/// How many requests a server may send per second; the rest are declined. Default is 100.
pub(crate) const MAX_SERVER_REQUESTS_PER_SECOND: u32 = 100;

/// The largest question from a server, including its form, in bytes of JSON; a larger one is declined. Default is 64 KiB.
pub(crate) const MAX_QUESTION: usize = 64 * 1024;

/// How many log lines of a server per second are sent to `tracing`. Default is 50.
pub(crate) const MAX_LOG_LINES: u32 = 50;

/// The longest log line of a server that is sent to `tracing`, in bytes. Default is 4 KiB.
pub(crate) const MAX_LOG_LINE: usize = 4 * 1024;

/// The largest log message in an event, in bytes of JSON; a larger one is shortened to text. Default is 64 KiB.
pub(crate) const MAX_LOG_EVENT: usize = 64 * 1024;

/// The longest progress message, in bytes. Default is 4 KiB.
pub(crate) const MAX_PROGRESS_MESSAGE: usize = 4 * 1024;

/// The longest instructions of a server that are kept, in characters. Default is 65,536.
pub(crate) const MAX_INSTRUCTIONS: usize = 65_536;

/// How many times a server may respond to a request with questions. Default is 10.
pub(crate) const MAX_ROUNDS: usize = 10;

/// The longest id of a server's task, in bytes. Default is 1 KiB.
pub(crate) const MAX_TASK_ID: usize = 1024;

/// The polling interval of a task if its server does not specify one. Default is 1 second.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The shortest polling interval of a task, regardless of its server. Default is 100 ms.
pub(crate) const SHORTEST_POLL: Duration = Duration::from_millis(100);

/// The longest polling interval of a task, regardless of its server. Default is 1 minute.
pub(crate) const LONGEST_POLL: Duration = Duration::from_secs(60);

/// How long a durable run occupies its worker while it waits for a task, before it releases the worker between polls.
/// Default is 5 seconds.
pub(crate) const WORKER_RELEASE_AFTER: Duration = Duration::from_secs(5);

/// The longest time that a task is polled, regardless of the time to live that its server specifies. Default is 7
/// days.
pub(crate) const LONGEST_TASK: Duration = Duration::from_secs(7 * 24 * 3600);

/// How long a task without a time to live is polled, across all executions of a durable run. Default is 1 day.
pub(crate) const TASK_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// How long cancelling a task at its server may take. Default is 5 seconds.
pub(crate) const CANCEL_TASK: Duration = Duration::from_secs(5);

/// The largest question that is recorded for a later run to resume from, in bytes of JSON; a larger one is requested
/// again. Default is 64 KiB.
pub(crate) const MAX_RECORDED_QUESTION: usize = 64 * 1024;

/// How long the user, or a handler on their behalf, may take to answer a question from a server. Default is 10 minutes.
pub(crate) const QUESTION_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a model may take to respond to a sampling request. Default is 2 minutes.
pub(crate) const SAMPLING_TIMEOUT: Duration = Duration::from_secs(120);

/// How many sampling requests may run at once; the rest are rejected. Default is 8.
pub(crate) const MAX_SAMPLING: usize = 8;

/// How many sampling requests from one server may run at once. Default is 4.
pub(crate) const MAX_SERVER_SAMPLING: usize = 4;

/// How long a session may take to respond to a ping. Default is 5 seconds.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// The delay before the first retry of a failed connection; each later delay is twice as long.
pub(crate) const FIRST_BACKOFF: Duration = Duration::from_millis(500);

/// The longest delay before a failed connection is retried. Default is 60 seconds.
pub(crate) const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// How many lost connections in a row are re-established without a delay.
pub(crate) const IMMEDIATE_RETRIES: u32 = 3;

/// A connection that lasted this long is stable, and resets the delays. Default is 10 seconds.
pub(crate) const STABLE_AFTER: Duration = Duration::from_secs(10);

/// How many connection attempts may fail in a row before calls fail immediately instead of waiting for the next
/// attempt.
pub(crate) const MAX_AWAITED_TRIES: u32 = 2;
