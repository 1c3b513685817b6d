//! An in-memory session store, for tests and for several servers in one program.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{SessionStore, StoredSession};
use genkit_core::internal::fair_share::{Item, find_greediest};
use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, Result};

/// The maximum number of stored sessions. Default is 10,000; beyond that, the least recently used session of the client
/// with the most sessions is removed.
pub(super) const MAX_STORED: usize = 10_000;

/// The time that a session is kept after it was last saved or loaded. Default is 1 day.
const STORED: Duration = Duration::from_secs(24 * 3600);

/// A session store in the memory of this program. Clones share the same sessions.
///
/// ```
/// use genkit::mcp::server::{MemorySessions, SessionStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let sessions = MemorySessions::new();
/// assert!(sessions.load("5b1c8a0e-0d3c-4f4e-9d8a-0a6d7c2b1e11").await?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemorySessions(Arc<Mutex<HashMap<String, (Instant, StoredSession)>>>);

impl MemorySessions {
    /// Creates an empty session store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a session. Returns the id of a session that was removed to make room for it.
    pub(super) fn keep(&self, id: &str, session: StoredSession, limit: usize) -> Option<String> {
        let mut stored = lock(&self.0);
        if stored.len() >= limit && !stored.contains_key(id) {
            stored.retain(|_, (used, _)| used.elapsed() < STORED);
        }
        stored.insert(id.to_owned(), (Instant::now(), session));
        let mut removed = None;
        if stored.len() > limit {
            let items = stored.iter().map(|(id, (age, session))| Item {
                id,
                owner: &session.opened_by,
                weight: 1,
                age: *age,
            });
            // Count the new session as well, so that a client does not evict a session of another client with equally
            // many.
            removed = find_greediest(items).map(|(id, _)| id.clone());
            removed.as_ref().map(|id| stored.remove(id));
        }
        removed
    }
}

impl SessionStore for MemorySessions {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredSession>>> {
        Box::pin(async move {
            let mut stored = lock(&self.0);
            let Some((used, session)) = stored.get_mut(id) else { return Ok(None) };
            if used.elapsed() > STORED {
                stored.remove(id);
                return Ok(None);
            }
            *used = Instant::now();
            Ok(Some(session.clone()))
        })
    }

    fn save<'a>(&'a self, id: &'a str, session: StoredSession) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.keep(id, session, MAX_STORED);
            Ok(())
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            lock(&self.0).remove(id);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quota::ClientKey;

    fn stored_session(client: &str) -> StoredSession {
        let stored = r#"{"protocolVersion":"2025-11-25","capabilities":{},"level":"info","subscriptions":[],"ready":true}"#;
        let session = serde_json::from_str(stored).expect("a session");
        StoredSession { opened_by: Some(ClientKey::Principal(client.to_owned())), ..session }
    }

    fn ids_left(sessions: &MemorySessions) -> Vec<String> {
        let mut left: Vec<String> = lock(&sessions.0).keys().cloned().collect();
        left.sort_unstable();
        left
    }

    #[test]
    fn least_recently_used_session_is_evicted_first() {
        let sessions = MemorySessions::new();
        for id in ["1", "2", "3", "1", "4"] {
            sessions.keep(id, stored_session("ada"), 3);
        }
        assert_eq!(ids_left(&sessions), ["1", "3", "4"]);
    }

    #[test]
    fn client_with_the_most_sessions_loses_one() {
        let sessions = MemorySessions::new();
        for id in ["ada", "eve1", "eve2", "eve3", "eve4", "eve5", "eve6"] {
            sessions.keep(id, stored_session(&id[..3]), 4);
        }
        assert_eq!(ids_left(&sessions), ["ada", "eve4", "eve5", "eve6"]);
        for id in ["ada2", "ada3"] {
            sessions.keep(id, stored_session("ada"), 4);
        }
        assert_eq!(ids_left(&sessions), ["ada2", "ada3", "eve5", "eve6"], "half for each");
    }
}
