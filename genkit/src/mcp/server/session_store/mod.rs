//! Stored sessions: what of a session must be known to go on with it after a restart.

mod memory;
mod stored;

pub use self::memory::MemorySessions;
pub(crate) use self::stored::StoredClient;
pub use self::stored::StoredSession;

use crate::error::Result;
use crate::future::BoxFuture;

/// A store of MCP sessions, so that those of one instance go on after its restart, or at another:
/// [`MemorySessions`], or a database.
///
/// The server saves a session when it is opened and when its client changes what is stored (its level
/// of logging, its subscriptions), and loads it when a request names one that it does not know. What
/// runs in a session, and what it was not told yet, is not stored.
///
/// ```no_run
/// use genkit::mcp::server::MemorySessions;
///
/// # async fn run() -> genkit::Result<()> {
/// let sessions = MemorySessions::new();
/// genkit::serve_mcp().http("127.0.0.1:8000").session_store(sessions.clone()).await
/// # }
/// ```
pub trait SessionStore: Send + Sync + 'static {
    /// The session of this id, a UUID; `None` where there is none, or no longer.
    ///
    /// # Errors
    /// The store cannot be read: the request is refused, and may be tried again.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredSession>>>;

    /// Keeps a session under this id, in place of what was there.
    ///
    /// # Errors
    /// It cannot be kept. The session goes on in this instance, and the log says so.
    fn save<'a>(&'a self, id: &'a str, session: StoredSession) -> BoxFuture<'a, Result<()>>;

    /// Forgets a session that its client has ended, if it is there.
    ///
    /// # Errors
    /// It cannot be forgotten: the log says so.
    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>>;
}
