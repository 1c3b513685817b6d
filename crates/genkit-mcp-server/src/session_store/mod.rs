//! Stored sessions: what of a session must be known to go on with it after a restart.

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

use genkit_core::BoxFuture;
use genkit_core::Result;

/// How long a store of sessions may take. Default is 5 seconds.
pub(crate) const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// Session store, so that MCP sessions of one instance go on after its restart, or at another: [`MemorySessions`];
/// with the feature `durable` `RunSessions`, in a folder, in SQLite or in Postgres; or one of your own.
///
/// The server saves a session when it is opened and when its client changes what is stored (its level
/// of logging, its subscriptions), and loads it when a request names one that it does not know.
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
/// | what | what becomes of it | remedy |
/// |---|---|---|
/// | a call that runs | it is answered where it runs; with `RunSessions` its stream is read at any instance, and one whose instance has died gets an error that says so | call again where that is safe; `#[tool(task)]` |
/// | a question that waits for its answer (elicitation, sampling, roots, approvals) | an answer that comes to another instance is refused with 400, and the log says so; the function waits until its `.question_timeout(..)` | protocol 2026-07-28, whose questions travel through the client; or a proxy that keeps a session (`Mcp-Session-Id`) at its instance |
/// | `notifications/cancelled` | the call runs to its end | the same |
/// | changes (of lists, of resources that somebody subscribed to) | told at the instance where they happen, to who listens there | the same |
/// | a level, a subscription and an end, where another instance has the session open already | that one goes on with what it knows, until it was idle for `.session_timeout(..)` | the same |
pub trait SessionStore: Send + Sync + 'static {
    /// Loads the session of this id, a UUID; `None` where there is none, or no longer.
    ///
    /// # Errors
    /// The store cannot be read: the request is refused, and may be tried again.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredSession>>>;

    /// Saves a session under this id, in place of what was there.
    ///
    /// # Errors
    /// It cannot be kept. The session goes on in this instance, and the log says so.
    fn save<'a>(&'a self, id: &'a str, session: StoredSession) -> BoxFuture<'a, Result<()>>;

    /// Deletes a session that its client has ended, if it is there.
    ///
    /// # Errors
    /// It cannot be forgotten: the log says so.
    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Sweeps: takes away what nobody comes back to any more; the server calls it each minute.
    /// Default is to do nothing.
    ///
    /// # Errors
    /// It cannot be done now: the log says so.
    fn sweep(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Stream store: where the events of streams are kept, too, so that their clients may come back for them
    /// at any instance (`Last-Event-ID`). Default is none: they come back to the instance that runs the call.
    #[cfg(feature = "durable")]
    fn streams(&self) -> Option<std::sync::Arc<dyn genkit_core::RunStore>> {
        None
    }
}
