//! Execution of slow work on a blocking thread, so that it does not delay other tasks.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, Weak};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::context::Context;
use crate::sync::lock;

/// The size above which arguments are decoded and checked on a blocking thread, in bytes of JSON. Default is 64 KiB.
const LARGE: usize = 64 * 1024;

/// Returns whether decoding and checking `value` may take long.
pub(crate) fn is_large(value: &Value) -> bool {
    genkit_schema::internal::size::is_larger(value, LARGE)
}

/// The slots for slow work. A client runs and queues at most half as many jobs as there are slots, so its other jobs
/// do not delay those of other clients.
struct JobSlots {
    count: usize,
    all: Semaphore,
    /// Has entries only for clients with jobs. The program itself is `None`.
    shares: Mutex<HashMap<Option<u64>, Weak<Semaphore>>>,
}

impl JobSlots {
    fn new(count: usize) -> Self {
        Self { count, all: Semaphore::new(count), shares: Mutex::default() }
    }

    async fn acquire(&self, client: Option<u64>) -> (OwnedSemaphorePermit, SemaphorePermit<'_>) {
        let share = {
            let mut shares = lock(&self.shares);
            shares.retain(|_, share| share.strong_count() > 0);
            shares.get(&client).and_then(Weak::upgrade).unwrap_or_else(|| {
                let size = if client.is_some() { self.count.div_ceil(2) } else { self.count };
                let share = Arc::new(Semaphore::new(size));
                shares.insert(client, Arc::downgrade(&share));
                share
            })
        };
        let share = share.acquire_owned().await.expect("the semaphore is never closed");
        (share, self.all.acquire().await.expect("the semaphore is never closed"))
    }
}

/// Runs `work` for the function of `context` on a blocking thread. At most half as many jobs run concurrently as there
/// are processors, so that checks of large values leave capacity for other work.
pub async fn run_blocking<T: Send + 'static>(
    context: &Context,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    static SLOTS: LazyLock<JobSlots> = LazyLock::new(|| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        JobSlots::new((processors / 2).max(1))
    });
    if Handle::try_current().is_err() {
        return work();
    }
    let _slot = SLOTS.acquire(context.client_share()).await;
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn client_with_many_jobs_does_not_delay_other_clients() {
        for count in [1, 4] {
            let slots = JobSlots::new(count);
            let mut held: Vec<_> = (0..count.div_ceil(2))
                .map(|_| slots.acquire(Some(1)).now_or_never().expect("a slot is free"))
                .collect();
            let mut greedy = Vec::new();
            for _ in 0..8 {
                let mut next = Box::pin(slots.acquire(Some(1)));
                assert!(next.as_mut().now_or_never().is_none(), "its share is used up");
                greedy.push(next);
            }
            let mut other = Box::pin(slots.acquire(Some(2)));
            let mut program = Box::pin(slots.acquire(None));
            let mut started = other.as_mut().now_or_never();
            if started.is_none() {
                assert!(program.as_mut().now_or_never().is_none());
                held.pop();
                started = other.as_mut().now_or_never();
            }
            assert!(started.is_some(), "the other client is next");
            drop(started);
            assert!(program.as_mut().now_or_never().is_some(), "and then the program");
            held.pop();
            assert!(greedy[0].as_mut().now_or_never().is_some());
        }
    }

    #[tokio::test]
    async fn clients_without_jobs_are_forgotten() {
        let slots = JobSlots::new(2);
        for client in 0..100 {
            drop(slots.acquire(Some(client)).await);
        }
        let _held = slots.acquire(None).await;
        assert_eq!(lock(&slots.shares).len(), 1);
    }
}
