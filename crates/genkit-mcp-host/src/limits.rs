//! Limits on what a server may cost: times, sizes, counts.

use std::time::Duration;

/// How long a server's key may be, in bytes. Default is 64.
pub(crate) const MAX_KEY: usize = 64;

/// How long a request may go without a sign of life: an answer or progress. Default is 60 seconds.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// How long a request may take with all signs of life. Default is 10 minutes.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a server may take to start and to answer the handshake. Default is 30 seconds.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Probe: how long a server may take to tell whether it is new before it is taken for an old one.
/// Default is 3 seconds.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a list of tools waits for servers that are still starting. Default is 10 seconds.
pub(crate) const STARTUP_TIMEOUT: Duration = Duration::from_secs(10);

/// How long all pages of a list may take. Default is 30 seconds.
pub(crate) const LIST_TIMEOUT: Duration = Duration::from_secs(30);

/// For how long a list that failed is not read again. Default is 10 seconds.
pub(crate) const LIST_RETRY_AFTER: Duration = Duration::from_secs(10);

/// For how long a list is cached in a session over HTTP, whose stream of changes may be broken. Default
/// is 5 minutes.
pub(crate) const SESSION_LIST_TTL: Duration = Duration::from_secs(300);

/// For how long lists do not wait for a server that was slow. Default is 60 seconds.
pub(crate) const SLOW_LIST_PAUSE: Duration = Duration::from_secs(60);

/// How many pages of a list are read. Default is 1,000.
pub(crate) const MAX_PAGES: usize = 1000;

/// How many items of a list are read. Default is 20,000.
pub(crate) const MAX_ITEMS: usize = 20_000;

/// How large a list may be, in bytes of JSON. Default is 64 MiB.
pub(crate) const MAX_LIST: usize = 64 * 1024 * 1024;

/// How long a cursor may be, in bytes. Default is 16 KiB.
pub(crate) const MAX_CURSOR: usize = 16 * 1024;

/// How large one tool's definition may be, in bytes of JSON. Default is 256 KiB.
pub(crate) const MAX_DEFINITION: usize = 256 * 1024;

/// How many notifications a server may send in a second. Default is 10,000.
pub(crate) const MAX_NOTIFICATIONS: u32 = 10_000;

/// How many requests of a program may be in flight at one server. Default is 256.
pub(crate) const MAX_IN_FLIGHT: usize = 256;

/// How many requests of a server may be open at once; what comes then is declined. Default is 8.
pub(crate) const MAX_SERVER_REQUESTS: usize = 8;

/// How many requests a server may send in a second; what comes then is declined. Default is 100.
pub(crate) const MAX_SERVER_REQUESTS_PER_SECOND: u32 = 100;

/// How large a question of a server may be, with its form, in bytes of JSON. Default is 64 KiB; what is
/// larger is declined.
pub(crate) const MAX_QUESTION: usize = 64 * 1024;

/// How many log lines of a server in a second `tracing` has. Default is 50.
pub(crate) const MAX_LOG_LINES: u32 = 50;

/// How much of a log line of a server `tracing` has, in bytes. Default is 4 KiB.
pub(crate) const MAX_LOG_LINE: usize = 4 * 1024;

/// How much of a log message an event has, in bytes of JSON. Default is 64 KiB; what is larger is cut to
/// text.
pub(crate) const MAX_LOG_EVENT: usize = 64 * 1024;

/// How long the message of progress may be, in bytes. Default is 4 KiB.
pub(crate) const MAX_PROGRESS_MESSAGE: usize = 4 * 1024;

/// How many characters of a server's instructions are kept. Default is 65,536.
pub(crate) const MAX_INSTRUCTIONS: usize = 65_536;

/// How many times a request may be answered with questions. Default is 10.
pub(crate) const MAX_ROUNDS: usize = 10;

/// How long the id of a server's task may be, in bytes. Default is 1 KiB.
pub(crate) const MAX_TASK_ID: usize = 1024;

/// How often a task is asked for whose server does not say. Default is each second.
pub(crate) const POLL: Duration = Duration::from_secs(1);

/// How soon a task is asked for again, at the least, whatever its server says. Default is 100 ms.
pub(crate) const SHORTEST_POLL: Duration = Duration::from_millis(100);

/// How late a task is asked for again, at the most, whatever its server says. Default is 1 minute.
pub(crate) const LONGEST_POLL: Duration = Duration::from_secs(60);

/// How long a durable run holds its worker for a task before it lets go between two looks. Default is 5 seconds.
pub(crate) const LET_GO: Duration = Duration::from_secs(5);

/// How long a task is followed at the most, whatever time to live its server says. Default is 7 days.
pub(crate) const LONGEST_TASK: Duration = Duration::from_secs(7 * 24 * 3600);

/// How long a task of a server is followed that does not say how long it lives, over all lives of a durable run.
/// Default is 1 day.
pub(crate) const TASK_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// How long a server may take to learn that nobody wants a task any more. Default is 5 seconds.
pub(crate) const CANCEL_TASK: Duration = Duration::from_secs(5);

/// How large a question may be that a later run goes on from, in bytes of JSON. Default is 64 KiB; what
/// is larger is requested again.
pub(crate) const MAX_RECORDED_QUESTION: usize = 64 * 1024;

/// How long a person, or whoever answers for them, may take to answer a server. Default is 10
/// minutes.
pub(crate) const QUESTION_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a model may take to answer a server. Default is 2 minutes.
pub(crate) const SAMPLING_TIMEOUT: Duration = Duration::from_secs(120);

/// How many requests for the model may run at once; what comes then is refused. Default is 8.
pub(crate) const MAX_SAMPLING: usize = 8;

/// How many of these one server may have. Default is 4.
pub(crate) const MAX_SERVER_SAMPLING: usize = 4;

/// How long a session may take to answer a ping. Default is 5 seconds.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// The first wait before a server is started again; each next is twice as long.
pub(crate) const FIRST_BACKOFF: Duration = Duration::from_millis(500);

/// The longest wait before a server is started again. Default is 60 seconds.
pub(crate) const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// How many connections that were lost soon are made anew at once, before there are waits.
pub(crate) const IMMEDIATE_RETRIES: u32 = 3;

/// A connection that held as long is stable: the waits begin anew. Default is 10 seconds.
pub(crate) const STABLE_AFTER: Duration = Duration::from_secs(10);

/// How many starts may fail in a row before a call fails at once, without waiting for the next.
pub(crate) const MAX_AWAITED_TRIES: u32 = 2;
