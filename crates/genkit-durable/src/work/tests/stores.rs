//! Stores for the tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, Result};
use genkit_core::{RunChange, RunEntry, RunFilter, RunHead, RunId, RunStore, StoredRun};

/// A future that is run at most once.
type Hook = Arc<Mutex<Option<BoxFuture<'static, ()>>>>;

/// A store that several instances share.
pub(super) struct Shared(pub(super) Arc<dyn RunStore>);

/// A store that runs a hook before a call of a worker.
#[derive(Clone)]
pub(super) struct Interrupted {
    pub(super) inner: Arc<dyn RunStore>,
    pub(super) before_save: Hook,
    pub(super) before_load: Hook,
    pub(super) before_peek_of_child: Hook,
    /// The number of finished loads.
    pub(super) loads: Arc<AtomicUsize>,
}

impl Default for Interrupted {
    fn default() -> Self {
        Self {
            inner: Arc::new(crate::memory::MemoryRuns::default()),
            before_save: Arc::default(),
            before_load: Arc::default(),
            before_peek_of_child: Arc::default(),
            loads: Arc::default(),
        }
    }
}

async fn run_hook(hook: &Hook) {
    let taken = lock(hook).take();
    if let Some(taken) = taken {
        taken.await;
    }
}

macro_rules! rest_of_store {
    ($inner:tt) => {
        fn create<'a>(&'a self, id: &'a RunId, to: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
            self.$inner.create(id, to)
        }
        fn lease<'a>(
            &'a self,
            id: &'a RunId,
            owner: &'a str,
            ttl: Duration,
        ) -> BoxFuture<'a, Result<Option<RunHead>>> {
            self.$inner.lease(id, owner, ttl)
        }
        fn release<'a>(&'a self, id: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
            self.$inner.release(id, owner)
        }
        fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
            self.$inner.due(limit)
        }
        fn delete<'a>(&'a self, id: &'a RunId) -> BoxFuture<'a, Result<bool>> {
            self.$inner.delete(id)
        }
        fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
            self.$inner.list(filter)
        }
    };
}

impl RunStore for Shared {
    rest_of_store!(0);

    fn load<'a>(&'a self, id: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        self.0.load(id)
    }

    fn peek<'a>(&'a self, id: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        self.0.peek(id)
    }

    fn save<'a>(
        &'a self,
        id: &'a RunId,
        at: u64,
        to: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        self.0.save(id, at, to)
    }
}

impl RunStore for Interrupted {
    rest_of_store!(inner);

    fn load<'a>(&'a self, id: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        Box::pin(async move {
            run_hook(&self.before_load).await;
            let loaded = self.inner.load(id).await;
            self.loads.fetch_add(1, Ordering::SeqCst);
            loaded
        })
    }

    fn peek<'a>(&'a self, id: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        Box::pin(async move {
            if id.as_str().contains('.') {
                run_hook(&self.before_peek_of_child).await;
            }
            self.inner.peek(id).await
        })
    }

    fn save<'a>(
        &'a self,
        id: &'a RunId,
        at: u64,
        to: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(async move {
            run_hook(&self.before_save).await;
            self.inner.save(id, at, to).await
        })
    }
}
