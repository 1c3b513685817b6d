//! A session store on top of a store of durable runs. Each session is a run without steps, kept until it expires.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::memory::{MAX_STORED, MemorySessions};
use super::{SessionStore, StoredSession};
use crate::error::Error as E;
use genkit_core::internal::run_store::now_ms;
use genkit_core::{BoxFuture, Result, RunChange, RunId, RunStatus, RunStore};
use genkit_durable::internal::SkippedRuns;
use serde_json::Value;

/// The time that a session is kept after an instance last saved or loaded it. Default is 1 day.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// The maximum number of attempts to save a session while other instances change it. Default is 16.
const SAVE_TRIES: u32 = 16;

/// The maximum number of runs checked for expiry per sweep. Default is 1,024.
const SWEPT: usize = 1024;

/// A session store that uses a store of durable runs (a folder, SQLite, Postgres).
///
/// A session survives a restart and continues on any instance that uses the same store. The events of its calls are
/// stored as well, so that a client that lost its connection can read the remaining events from any instance.
///
/// ```no_run
/// use genkit::durable::FolderStore;
/// use genkit::mcp::server::RunSessions;
///
/// # async fn run() -> genkit::Result<()> {
/// let sessions = RunSessions::new(FolderStore::open("runs")?); // or the store for SQLite or Postgres
/// genkit::serve_mcp().http("127.0.0.1:8000").session_store(sessions).await
/// # }
/// ```
///
/// The store contains a hash of the session's id, not the id itself; the events of calls are stored unencrypted. See
/// [`SessionStore`] for the state that cannot move to another instance.
#[derive(Clone)]
pub struct RunSessions {
    store: Arc<dyn RunStore>,
    kept: Duration,
    skipped: Arc<SkippedRuns>,
    /// The sessions that this instance has stored, without their contents, and their maximum number.
    pub(in crate::http) known: (MemorySessions, usize),
}

impl RunSessions {
    /// Creates a session store on top of this run store, which can also contain other kinds of runs.
    pub fn new(store: impl RunStore) -> Self {
        Self {
            store: Arc::new(store),
            kept: KEPT,
            skipped: Arc::default(),
            known: (MemorySessions::new(), MAX_STORED),
        }
    }

    /// Sets the time that a session is kept after an instance last saved or loaded it. Default is 1 day.
    pub fn retention(self, kept: Duration) -> Self {
        Self { kept, ..self }
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `retention`")]
    #[must_use]
    pub fn kept(self, kept: Duration) -> Self {
        self.retention(kept)
    }

    /// Counts a stored session. If there are too many, deletes the least recently used session of the client with the
    /// most sessions.
    async fn count_session(&self, id: &str, session: StoredSession) -> Result<()> {
        let (client, capabilities, subscriptions) = (None, Value::Null, Vec::new());
        let counted = StoredSession { client, capabilities, subscriptions, ..session };
        match self.known.0.keep(id, counted, self.known.1) {
            Some(other) => self.delete(&other).await,
            None => Ok(()),
        }
    }

    async fn remove_expired(&self, run: &RunId) -> Result<()> {
        // Another instance may have loaded the session in the meantime.
        let at = self.store.peek(run).await?;
        if at.is_some_and(|at| at.wake_at_ms.is_some_and(|until| until <= now_ms())) {
            self.store.delete(run).await?;
        }
        Ok(())
    }

    /// Returns the change that stores a session and restarts its lifetime.
    fn change(&self, session: String) -> RunChange {
        let kept = u64::try_from(self.kept.as_millis()).unwrap_or(u64::MAX);
        let until = now_ms().saturating_add(kept);
        RunChange::new(RunStatus::Working, session).with_wake_at_ms(Some(until))
    }
}

impl SessionStore for RunSessions {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredSession>>> {
        Box::pin(async move {
            let run = RunId::for_session(id);
            self.known.0.load(id).await?; // Marks it as the most recently used.
            let Some(stored) = self.store.load(&run).await? else { return Ok(None) };
            let left = stored.at.wake_at_ms.unwrap_or_default().saturating_sub(now_ms());
            if left == 0 {
                return Ok(None);
            }
            let Ok(session) = serde_json::from_str(&stored.head) else {
                tracing::warn!(
                    "ignoring a stored session written by another version of this library"
                );
                return Ok(None);
            };
            if u128::from(left) < self.kept.as_millis() / 2 {
                // If another instance was faster, it saved the same change.
                let change = self.change(stored.head).with_incarnation(stored.at.incarnation);
                self.store.save(&run, stored.at.revision, &change).await?;
            }
            Ok(Some(session))
        })
    }

    fn save<'a>(&'a self, id: &'a str, session: StoredSession) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let run = RunId::for_session(id);
            let text = serde_json::to_string(&session)
                .map_err(|source| E::SessionUnserializable { source })?;
            let change = self.change(text);
            for _ in 0..SAVE_TRIES {
                let is_saved = match self.store.peek(&run).await? {
                    None => self.store.create(&run, &change).await?,
                    Some(at) => self.store.save(&run, at.revision, &change).await?.is_some(),
                };
                if is_saved {
                    return self.count_session(id, session).await;
                }
            }
            Err(E::SessionContended.into())
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.known.0.delete(id).await?;
            self.store.delete(&RunId::for_session(id)).await.map(drop)
        })
    }

    fn sweep(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let due = self.store.due(SWEPT).await?;
            for id in due.into_iter().filter(RunId::is_session_run) {
                let is_removed = self.remove_expired(&id).await;
                self.skipped.skip_unreadable(&id, is_removed)?;
            }
            Ok(())
        })
    }

    fn streams(&self) -> Option<Arc<dyn RunStore>> {
        Some(Arc::clone(&self.store))
    }
}

impl fmt::Debug for RunSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSessions").field("kept", &self.kept).finish_non_exhaustive()
    }
}
