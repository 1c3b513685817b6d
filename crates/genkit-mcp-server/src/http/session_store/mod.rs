//! Session stores, which store the state that is required to resume a session after a restart.

mod memory;
#[cfg(feature = "durable")]
mod runs;
mod stored;

pub use self::memory::MemorySessions;
#[cfg(feature = "durable")]
pub use self::runs::RunSessions;
pub(crate) use self::stored::StoredClient;
pub use self::stored::StoredSession;

use std::time::Duration;

use genkit_core::{BoxFuture, Result};

/// The time limit of an operation on a session store. Default is 5 seconds.
pub(crate) const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// A session store, which lets an MCP session continue after a restart or on another instance.
///
/// Use [`MemorySessions`], or `RunSessions` (feature `durable`), which stores sessions in a folder, in SQLite or in
/// Postgres, or implement your own.
///
/// The server saves a session when it is opened and when its client changes stored values (its log level or its
/// subscriptions), and loads it when a request names a session that this instance does not have.
///
/// ```no_run
/// use genkit::mcp::server::MemorySessions;
///
/// # async fn run() -> genkit::Result<()> {
/// let sessions = MemorySessions::new();
/// genkit::serve_mcp().http("127.0.0.1:8000").session_store(sessions.clone()).await
/// # }
/// ```
///
/// # What does not move to another instance
///
/// | state | behavior | remedy |
/// |---|---|---|
/// | a call in progress | completes on its instance; with `RunSessions`, its stream can be read on any instance; if the instance of the call died, the client receives an error that reports this | call again if that is safe, or use `#[tool(task)]` |
/// | a question that waits for its answer (elicitation, sampling, roots, approvals) | an answer that arrives at another instance is rejected with 400 and logged; the function waits until its `.question_timeout(..)` | protocol 2026-07-28, where the client carries the state of the question; or a proxy that routes each session (`Mcp-Session-Id`) to its instance |
/// | `notifications/cancelled` | has no effect on another instance; the call runs to completion | as above |
/// | changes (of lists or of subscribed resources) | reported only to clients that listen on the instance where they occur | as above |
/// | a new log level, a subscription, or the end of a session, if another instance has the session open | the other instance keeps the old state until the session has been idle there for `.session_timeout(..)` | as above |
pub trait SessionStore: Send + Sync + 'static {
    /// Loads the session with this id, a UUID; returns `None` if it does not exist or has expired.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read. The request is rejected, and the client can
    /// retry it.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredSession>>>;

    /// Saves a session under this id, replacing an existing session.
    ///
    /// # Errors
    /// Returns an error if the session cannot be saved. The error is logged, and the session
    /// continues on this instance.
    fn save<'a>(&'a self, id: &'a str, session: StoredSession) -> BoxFuture<'a, Result<()>>;

    /// Deletes a session that its client ended, if it exists.
    ///
    /// # Errors
    /// Returns an error if the session cannot be deleted. The error is logged.
    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Removes expired sessions. The server calls this every minute. The default implementation does nothing.
    ///
    /// # Errors
    /// Returns an error if the sweep fails. The error is logged.
    fn sweep(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns the store for the events of streams, so that clients can resume a stream on any instance
    /// (`Last-Event-ID`). Returns `None` by default: a stream can only be resumed on the instance that runs the call.
    #[cfg(feature = "durable")]
    fn streams(&self) -> Option<std::sync::Arc<dyn genkit_core::RunStore>> {
        None
    }
}
