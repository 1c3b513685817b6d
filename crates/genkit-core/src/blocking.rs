//! Work that may be slow, where it does not hold up others.

use std::sync::OnceLock;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// How large arguments are that are read and checked apart from what else runs, in bytes of JSON. Default is 64 KiB.
const LARGE: usize = 64 * 1024;

/// Whether reading and checking `value` may take long.
pub(crate) fn is_large(value: &Value) -> bool {
    genkit_schema::internal::size::is_larger(value, LARGE)
}

/// Does `work` in a thread of its own; half as many at a time as there are processors, so that checks of large values
/// leave room for everything else.
pub(crate) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
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
