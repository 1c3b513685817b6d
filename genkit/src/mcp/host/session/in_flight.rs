//! Which of the open requests a message of the server is about.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{ClientRequest, GetExtensions as _, GetMeta as _, ProgressToken, RequestId};
use tokio::sync::{Mutex as Turns, MutexGuard as Turn, Notify};

use super::call::{Call, Calls};
use crate::sync::lock;

/// How long a question waits to know which call it is about. Default is 30 seconds.
const PLACING: Duration = Duration::from_secs(30);

/// A call as it rides in the extensions of its request.
#[derive(Clone)]
pub(crate) struct CallTag(pub(crate) Arc<Call>);

/// The requests of one connection that are under way.
#[derive(Default)]
pub(crate) struct Desk {
    calls: Mutex<Calls>,
    /// A call went away, or a question was placed.
    changed: Notify,
    /// Questions of which it is not known which call they are about.
    unplaced: Mutex<usize>,
    /// The server asks questions, and does not say about what: its calls are made one by one.
    asks: AtomicBool,
    turns: Turns<()>,
}

impl Desk {
    /// Notes a request before it is written, so that nothing about it can come too early.
    pub(crate) fn sending(&self, id: &RequestId, request: &ClientRequest) {
        if let Some(CallTag(call)) = request.extensions().get::<CallTag>() {
            let token = request.get_meta().get_progress_token();
            lock(&self.calls).add(id.clone(), token, Arc::clone(call));
        }
    }

    /// Forgets a request that was answered or given up.
    pub(crate) fn settled(&self, id: &RequestId) {
        if lock(&self.calls).remove(id) {
            self.changed.notify_waiters();
        }
    }

    /// Nothing more comes.
    pub(crate) fn close(&self) {
        self.changed.notify_waiters();
    }

    /// The call of this id: transports with a stream for each request know it.
    pub(crate) fn call(&self, id: &RequestId) -> Option<Arc<Call>> {
        lock(&self.calls).by_id(id)
    }

    pub(crate) fn with_token(&self, token: &ProgressToken) -> Option<Arc<Call>> {
        lock(&self.calls).by_token(token)
    }

    /// The call that a server asks about, over a transport that does not say which: certain where
    /// only one is open. A guess could show one user the question of another.
    pub(crate) async fn asker(&self, server: &str) -> Option<Arc<Call>> {
        self.asks.store(true, Ordering::Release);
        *lock(&self.unplaced) += 1;
        let _placed = Unplaced(self);
        let certain = async {
            loop {
                let changed = self.changed.notified();
                let mut candidates = lock(&self.calls).that_may_ask();
                let hopeless = !candidates.iter().any(|call| call.askable)
                    || candidates.len() <= *lock(&self.unplaced) && candidates.len() > 1;
                match candidates.len() {
                    1 => return candidates.pop(),
                    _ if hopeless => return None,
                    _ => changed.await,
                }
            }
        };
        let call = tokio::time::timeout(PLACING, certain).await.ok().flatten();
        if call.is_none() {
            tracing::warn!(
                server,
                "a server asks the user something, and it is not known for which of its calls: it is \
                 declined, and calls are made one by one from now on. `.on_elicit(..)` answers all"
            );
        }
        call
    }

    /// Waits for its turn where calls are made one by one.
    pub(crate) async fn turn(&self) -> Option<Turn<'_, ()>> {
        match self.asks.load(Ordering::Acquire) {
            true => Some(self.turns.lock().await),
            false => None,
        }
    }
}

struct Unplaced<'a>(&'a Desk);

impl Drop for Unplaced<'_> {
    fn drop(&mut self) {
        *lock(&self.0.unplaced) -= 1;
        self.0.changed.notify_waiters();
    }
}
