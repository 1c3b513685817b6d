//! A session store in memory, for tests and for several servers in one program.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{SessionStore, StoredSession};
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::sync::lock;

/// The maximum number of stored sessions. Default is 10,000; beyond that, the least recently used session is removed.
const MAX_STORED: usize = 10_000;

/// How long a session is kept after it was last saved or loaded. Default is 1 day.
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

    fn keep(&self, id: &str, session: StoredSession, limit: usize) {
        let mut stored = lock(&self.0);
        if stored.len() >= limit && !stored.contains_key(id) {
            stored.retain(|_, (used, _)| used.elapsed() < STORED);
        }
        if stored.len() >= limit && !stored.contains_key(id) {
            let oldest = stored.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                stored.remove(&oldest);
            }
        }
        stored.insert(id.to_owned(), (Instant::now(), session));
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

    #[test]
    fn longest_unused_goes_first() {
        let sessions = MemorySessions::new();
        for id in ["1", "2", "3", "1", "4"] {
            let stored = r#"{"protocolVersion":"2025-11-25","capabilities":{},"level":"info","subscriptions":[],"ready":true}"#;
            sessions.keep(id, serde_json::from_str(stored).expect("a session"), 3);
        }
        let mut left: Vec<String> = lock(&sessions.0).keys().cloned().collect();
        left.sort_unstable();
        assert_eq!(left, ["1", "3", "4"]);
    }
}
