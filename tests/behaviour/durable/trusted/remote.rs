//! A store that a process reaches over a network.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::{BoxFuture, Error, ErrorKind, Result};

use super::super::memory::MemoryStore;

/// The store of one process. While it is unavailable, every call fails; a process that ends during this time releases
/// nothing, as if it were killed.
#[derive(Clone, Default)]
pub(super) struct Remote {
    pub(super) inner: MemoryStore,
    is_away: Arc<AtomicBool>,
    /// The number of saves that failed.
    pub(super) failed: Arc<AtomicUsize>,
}

impl Remote {
    /// Returns the same store, as another process reaches it.
    pub(super) fn of_other_process(&self) -> Self {
        Self { inner: self.inner.clone(), ..Self::default() }
    }

    pub(super) fn go_away(&self, yes: bool) {
        self.is_away.store(yes, Ordering::SeqCst);
    }

    fn call<'a, T: Send + 'a>(&self, call: BoxFuture<'a, Result<T>>) -> BoxFuture<'a, Result<T>> {
        match self.is_away.load(Ordering::SeqCst) {
            true => {
                let error = Error::new(ErrorKind::Unavailable, "the network is gone");
                Box::pin(std::future::ready(Err(error)))
            }
            false => call,
        }
    }
}

impl RunStore for Remote {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        self.call(Box::pin(async { self.inner.create(run, first).await }))
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        self.call(Box::pin(async { self.inner.load(run).await }))
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        self.call(Box::pin(async { self.inner.peek(run).await }))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        if self.is_away.load(Ordering::SeqCst) {
            self.failed.fetch_add(1, Ordering::SeqCst);
        }
        self.call(Box::pin(async move { self.inner.save(run, at, change).await }))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        self.call(Box::pin(async move { self.inner.lease(run, owner, ttl).await }))
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        self.call(Box::pin(async move { self.inner.release(run, owner).await }))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        self.call(Box::pin(async move { self.inner.due(limit).await }))
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        self.call(Box::pin(async move { self.inner.delete(run).await }))
    }
}
