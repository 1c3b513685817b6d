//! An in-memory store that uses tokio's clock.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{RunChange, RunHead, RunId, RunStatus, RunStore, StoredRun};
use genkit::{BoxFuture, Error, Result};
use tokio::time::Instant;

#[derive(Clone, Default)]
pub(super) struct MemoryStore(Arc<Mutex<BTreeMap<RunId, Kept>>>);

struct Kept {
    run: StoredRun,
    lease: Option<(String, Instant)>,
}

impl MemoryStore {
    /// Ends the lease of a run, as if its owner could not renew it.
    pub(super) fn steal(&self, run: &str) {
        let run = RunId::new(run).unwrap();
        self.0.lock().unwrap().get_mut(&run).unwrap().lease = None;
    }
}

fn has_line_break(change: &RunChange) -> bool {
    std::iter::once(&change.head).chain(&change.log).any(|text| text.contains('\n'))
}

fn head_of(revision: u64, change: &RunChange) -> RunHead {
    RunHead::new(revision, change.status, change.wake_at_ms)
}

fn owner_of(kept: &Kept) -> Option<&str> {
    kept.lease.as_ref().map(|(owner, _)| &**owner)
}

fn ready<'a, T: Send + 'a>(value: Result<T>) -> BoxFuture<'a, Result<T>> {
    Box::pin(std::future::ready(value))
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    since.as_millis() as u64
}

impl RunStore for MemoryStore {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        let mut runs = self.0.lock().unwrap();
        if runs.contains_key(run) {
            return ready(Ok(false));
        }
        let head = head_of(1, first).with_incarnation(RunHead::new_incarnation());
        let stored = StoredRun::new(head, &first.head, first.log.clone());
        runs.insert(run.clone(), Kept { run: stored, lease: None });
        ready(Ok(true))
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        ready(Ok(self.0.lock().unwrap().get(run).map(|kept| kept.run.clone())))
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        ready(Ok(self.0.lock().unwrap().get(run).map(|kept| kept.run.at)))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        if has_line_break(change) {
            return ready(Err(Error::invalid_argument("a line break")));
        }
        let mut runs = self.0.lock().unwrap();
        let may_change = |kept: &&mut Kept| {
            kept.run.at.revision == at && change.may_change(&kept.run.at, owner_of(kept))
        };
        let Some(kept) = runs.get_mut(run).filter(may_change) else { return ready(Ok(None)) };
        kept.run.at = head_of(at + 1, change).with_incarnation(kept.run.at.incarnation);
        kept.run.head.clone_from(&change.head);
        kept.run.log.extend(change.log.iter().cloned());
        ready(Ok(Some(at + 1)))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        let mut runs = self.0.lock().unwrap();
        let Some(kept) = runs.get_mut(run) else { return ready(Ok(None)) };
        let is_anothers =
            |(other, until): &(String, Instant)| other != owner && *until > Instant::now();
        if kept.lease.as_ref().is_some_and(is_anothers) {
            return ready(Ok(None));
        }
        let is_abandoned = owner_of(kept).is_some_and(|other| other != owner);
        kept.lease = Some((owner.to_owned(), Instant::now() + ttl));
        ready(Ok(Some(kept.run.at.with_abandoned(is_abandoned))))
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        if let Some(kept) = self.0.lock().unwrap().get_mut(run) {
            kept.lease.take_if(|(other, _)| other == owner);
        }
        ready(Ok(()))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        let runs = self.0.lock().unwrap();
        let is_due = |(_, kept): &(&RunId, &Kept)| {
            let is_leased = kept.lease.as_ref().is_some_and(|(_, until)| *until > Instant::now());
            kept.run.at.status == RunStatus::Working
                && !is_leased
                && kept.run.at.wake_at_ms.is_none_or(|time| time <= now_ms())
        };
        ready(Ok(runs.iter().filter(is_due).take(limit).map(|(id, _)| id.clone()).collect()))
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        ready(Ok(self.0.lock().unwrap().remove(run).is_some()))
    }
}

#[tokio::test]
async fn store_of_these_tests_is_a_store() {
    genkit::testing::check_run_store(MemoryStore::default()).await.unwrap();
}

/// The suite detects the errors that it is meant to detect.
#[tokio::test]
async fn store_that_loses_saves_is_found_out() {
    struct Forgets {
        inner: MemoryStore,
    }

    impl RunStore for Forgets {
        all_of_inner_but!(save);

        fn save<'a>(
            &'a self,
            run: &'a RunId,
            _: u64,
            change: &'a RunChange,
        ) -> BoxFuture<'a, Result<Option<u64>>> {
            // The last writer wins, regardless of what it had read.
            let at = self.inner.0.lock().unwrap().get(run).map(|kept| kept.run.at.revision);
            Box::pin(async move {
                match at {
                    Some(at) => self.inner.save(run, at, change).await,
                    None => Ok(None),
                }
            })
        }
    }

    let forgets = Forgets { inner: MemoryStore::default() };
    let error = genkit::testing::check_run_store(forgets).await.unwrap_err();
    assert!(error.to_string().contains("a save at an old revision is rejected"), "{error}");
}
