//! A store that wraps another, and whose saves fail on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::{BoxFuture, Error, ErrorKind, Result};

/// The way in which a save fails.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fails {
    /// Nothing was written.
    Before,
    /// The save succeeded, but an error is returned.
    After,
}

/// A store whose saves fail a number of times, beginning with the `first`-th. Creating a run does not count.
#[derive(Clone)]
pub(super) struct FailingStore<S> {
    pub(super) inner: S,
    pub(super) saves: Arc<AtomicUsize>,
    pub(super) first: usize,
    pub(super) times: usize,
    pub(super) how: Fails,
}

impl<S: RunStore> FailingStore<S> {
    pub(super) fn new(inner: S, first: usize, times: usize, how: Fails) -> Self {
        Self { inner, saves: Arc::default(), first, times, how }
    }
}

impl<S: RunStore> RunStore for FailingStore<S> {
    all_of_inner_but!(save);

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let number = self.saves.fetch_add(1, Ordering::SeqCst) + 1;
        let fails = (self.first..self.first + self.times).contains(&number);
        Box::pin(async move {
            if fails && matches!(self.how, Fails::Before) {
                return Err(Error::new(ErrorKind::Unavailable, "the disk is gone"));
            }
            let saved = self.inner.save(run, at, change).await?;
            match fails {
                true => Err(Error::new(ErrorKind::Unavailable, "the connection is gone")),
                false => Ok(saved),
            }
        })
    }
}
