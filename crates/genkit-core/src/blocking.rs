//! Execution of slow work on a blocking thread, so that it does not delay other tasks.

use std::sync::OnceLock;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// The size above which arguments are decoded and checked on a blocking thread, in bytes of JSON. Default is 64 KiB.
const LARGE: usize = 64 * 1024;

/// Returns whether decoding and checking `value` may take long.
pub(crate) fn is_large(value: &Value) -> bool {
    genkit_schema::internal::size::is_larger(value, LARGE)
}

/// Runs `work` on a blocking thread. At most half as many jobs run concurrently as there are processors, so that checks
/// of large values leave capacity for other work.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    static PLACES: OnceLock<Semaphore> = OnceLock::new();
    if Handle::try_current().is_err() {
        return work();
    }
    let places = PLACES.get_or_init(|| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Semaphore::new((processors / 2).max(1))
    });
    let Ok(place) = places.acquire().await else { return work() };
    let done = tokio::task::spawn_blocking(work).await;
    drop(place);
    match done {
        Ok(done) => done,
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    }
}
