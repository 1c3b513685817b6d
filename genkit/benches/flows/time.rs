//! The processor time of this thread.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Returns the duration of one call, in nanoseconds.
pub(crate) fn of_one(calls: u32, mut run: impl FnMut()) -> f64 {
    let start = now();
    for _ in 0..calls {
        run();
    }
    (now() - start).as_nanos() as f64 / f64::from(calls)
}

/// Returns the duration of one call without dropping its result.
pub(crate) fn of_making<T>(calls: u32, mut run: impl FnMut() -> T) -> f64 {
    let mut made = Vec::with_capacity(calls as usize);
    let start = now();
    for _ in 0..calls {
        made.push(run());
    }
    (now() - start).as_nanos() as f64 / f64::from(calls)
}

/// Returns the duration of one future, in nanoseconds.
pub(crate) async fn of_async(calls: u32, mut run: impl AsyncFnMut()) -> f64 {
    let start = now();
    for _ in 0..calls {
        run().await;
    }
    (now() - start).as_nanos() as f64 / f64::from(calls)
}

/// Returns the processor time of this thread. The system reports it in milliseconds, so one sample must take many
/// milliseconds.
fn now() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let ticks = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = ticks.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
