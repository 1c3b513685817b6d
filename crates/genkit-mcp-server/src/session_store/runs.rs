//! Sessions on the stores of durable runs: each is a run that nobody works on, until its time is over.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{SessionStore, StoredSession};
use crate::error::Error as E;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::run_store::now_ms;
use genkit_core::{RunChange, RunId, RunStatus, RunStore};

/// How long a session is kept that no instance saves or loads. Default is 1 day.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// How often a save is tried that another instance was faster with. Default is 16.
const SAVE_TRIES: u32 = 16;

/// How many runs are looked at when those are taken away whose time is over. Default is 1,024.
const SWEPT: usize = 1024;

/// Session store on a store of durable runs (a folder, SQLite, Postgres), so that a session survives a restart and
/// goes on at any instance on that store; and the events of its calls, so that a client that lost its connection
/// reads the rest at any instance.
///
/// ```no_run
/// use genkit::durable::FolderStore;
/// use genkit::mcp::server::RunSessions;
///
/// # async fn run() -> genkit::Result<()> {
/// let sessions = RunSessions::new(FolderStore::open("runs")?); // or SQLite's, or Postgres'
/// genkit::serve_mcp().http("127.0.0.1:8000").session_store(sessions).await
/// # }
/// ```
///
/// The store has a hash of a session's id, not the id; the events of calls are in it as they are. What cannot move to
/// another instance says [`SessionStore`].
#[derive(Clone)]
pub struct RunSessions {
    store: Arc<dyn RunStore>,
    kept: Duration,
}

impl RunSessions {
    /// Session store on this store of runs, which may have runs of other kinds, too.
    pub fn new(store: impl RunStore) -> Self {
        Self { store: Arc::new(store), kept: KEPT }
    }

    /// Lifetime: how long a session is kept that no instance saves or loads. Default is 1 day.
    pub fn kept(self, kept: Duration) -> Self {
        Self { kept, ..self }
    }

    /// The session with this JSON, kept from now on.
    fn change(&self, session: String) -> RunChange {
        let kept = u64::try_from(self.kept.as_millis()).unwrap_or(u64::MAX);
        let until = now_ms().saturating_add(kept);
        RunChange::new(RunStatus::Working, session).with_wake_at_ms(Some(until))
    }
}

impl SessionStore for RunSessions {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredSession>>> {
        Box::pin(async move {
            let run = RunId::of_session(id);
            let Some(stored) = self.store.load(&run).await? else { return Ok(None) };
            let left = stored.at.wake_at_ms.unwrap_or_default().saturating_sub(now_ms());
            if left == 0 {
                return Ok(None);
            }
            let Ok(session) = serde_json::from_str(&stored.head) else {
                tracing::warn!("a session in the store is of another version of this library");
                return Ok(None);
            };
            if u128::from(left) < self.kept.as_millis() / 2 {
                // Another instance may have been faster, which did the same.
                self.store.save(&run, stored.at.revision, &self.change(stored.head)).await?;
            }
            Ok(Some(session))
        })
    }

    fn save<'a>(&'a self, id: &'a str, session: StoredSession) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let run = RunId::of_session(id);
            let session = serde_json::to_string(&session)
                .map_err(|source| E::SessionUnserializable { source })?;
            let change = self.change(session);
            for _ in 0..SAVE_TRIES {
                let is_saved = match self.store.peek(&run).await? {
                    None => self.store.create(&run, &change).await?,
                    Some(at) => self.store.save(&run, at.revision, &change).await?.is_some(),
                };
                if is_saved {
                    return Ok(());
                }
            }
            Err(E::SessionContended.into())
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.store.remove(&RunId::of_session(id)).await.map(drop) })
    }

    fn sweep(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let due = self.store.due(SWEPT).await?;
            for id in due.into_iter().filter(RunId::is_of_session) {
                // Somebody may have loaded it since.
                let at = self.store.peek(&id).await?;
                if at.is_some_and(|at| at.wake_at_ms.is_some_and(|until| until <= now_ms())) {
                    self.store.remove(&id).await?;
                }
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
