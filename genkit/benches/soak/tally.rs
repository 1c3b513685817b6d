//! Counters for the traffic.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts since the start, and times since the last row.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) calls: AtomicU64,
    /// Responses that are missing, or belong to another request.
    pub(crate) errors: AtomicU64,
    /// Calls to a server that was being restarted; these may fail.
    pub(crate) restarting: AtomicU64,
    pub(crate) told: AtomicU64,
    pub(crate) late: AtomicU64,
    pub(crate) lost: AtomicU64,
    times: Mutex<Vec<Duration>>,
    words: Mutex<BTreeMap<String, u64>>,
}

impl Tally {
    /// Adds a call and its outcome.
    pub(crate) fn call(&self, took: Duration, result: Result<(), String>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        match result {
            Ok(()) => self.times.lock().unwrap().push(took),
            Err(error) => self.error(&error),
        }
    }

    pub(crate) fn error(&self, error: &str) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        let words: String = error.chars().filter(|c| !c.is_ascii_digit()).take(160).collect();
        *self.words.lock().unwrap().entry(words).or_default() += 1;
    }

    /// Returns the median and the 99th percentile since the last time, in milliseconds.
    pub(crate) fn percentiles(&self) -> [f64; 2] {
        let mut times = std::mem::take(&mut *self.times.lock().unwrap());
        times.sort();
        [50, 99].map(|of_hundred| {
            let place = (times.len() * of_hundred / 100).min(times.len().saturating_sub(1));
            times.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
        })
    }

    pub(crate) fn print_errors(&self) {
        for (words, count) in &*self.words.lock().unwrap() {
            println!("  {count} x {words}");
        }
    }
}
