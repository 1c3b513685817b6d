//! A store whose operations can fail or wait.

use std::path::PathBuf;
use std::sync::Mutex;

use genkit_core::{Error, RunChange, RunEntry, RunFilter, RunHead, RunId, RunStore, StoredRun};
use genkit_durable::FolderStore;

use super::*;

/// Runs before an operation on a run, and may fail it.
pub(super) type Hook =
    Box<dyn Fn(&'static str, &RunId) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// A store in a folder whose operations can fail or wait.
#[derive(Clone)]
pub(super) struct Hooked {
    inner: FolderStore,
    hook: Arc<Mutex<Hook>>,
}

impl Hooked {
    pub(super) fn open(folder: &PathBuf) -> Self {
        let ready: Hook = Box::new(|_, _| Box::pin(std::future::ready(Ok(()))));
        Self { inner: FolderStore::open(folder).unwrap(), hook: Arc::new(Mutex::new(ready)) }
    }

    pub(super) fn set_hook(
        &self,
        hook: impl Fn(&'static str, &RunId) -> BoxFuture<'static, Result<()>> + Send + Sync + 'static,
    ) {
        *lock(&self.hook) = Box::new(hook);
    }

    /// Fails the operations that `fails` selects.
    pub(super) fn fail(&self, fails: impl Fn(&str, &str) -> bool + Send + Sync + 'static) {
        self.set_hook(move |operation, run| {
            let result = match fails(operation, &run.to_string()) {
                true => Err(Error::new(ErrorKind::Unavailable, "no disk")),
                false => Ok(()),
            };
            Box::pin(std::future::ready(result))
        });
    }

    fn before(&self, operation: &'static str, run: &RunId) -> BoxFuture<'static, Result<()>> {
        lock(&self.hook)(operation, run)
    }
}

impl RunStore for Hooked {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        let before = self.before("create", run);
        Box::pin(async move {
            before.await?;
            self.inner.create(run, first).await
        })
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        let before = self.before("load", run);
        Box::pin(async move {
            before.await?;
            self.inner.load(run).await
        })
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let before = self.before("peek", run);
        Box::pin(async move {
            before.await?;
            self.inner.peek(run).await
        })
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let before = self.before("save", run);
        Box::pin(async move {
            before.await?;
            self.inner.save(run, at, change).await
        })
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let before = self.before("lease", run);
        Box::pin(async move {
            before.await?;
            self.inner.lease(run, owner, ttl).await
        })
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        self.inner.release(run, owner)
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        self.inner.due(limit)
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        self.inner.delete(run)
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        self.inner.list(filter)
    }
}

/// A new folder for a store, removed on drop.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        Self(std::env::temp_dir().join(format!("genkit-lost-{}", uuid::Uuid::new_v4())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
