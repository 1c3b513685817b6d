//! How much clients may ask at once and how often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, ErrorKind, Result};
use crate::sync::lock;

/// How many clients the rate is counted for; the least recent are forgotten.
const MAX_CLIENTS: usize = 10_000;

/// Lets requests in, or says why not.
pub(crate) struct Gate {
    in_flight: Arc<Semaphore>,
    max_in_flight: usize,
    per_second: Option<u32>,
    buckets: Mutex<HashMap<String, Bucket>>,
}

/// What a client may still ask: refilled with time.
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Gate {
    pub(crate) fn new(max_in_flight: usize, per_second: Option<u32>) -> Self {
        Self {
            in_flight: Arc::new(Semaphore::new(max_in_flight)),
            max_in_flight,
            per_second,
            buckets: Mutex::default(),
        }
    }

    /// A place for one request of `client`, held until the permit is dropped.
    pub(crate) fn enter(&self, client: &str) -> Result<OwnedSemaphorePermit> {
        self.count(client)?;
        Arc::clone(&self.in_flight).try_acquire_owned().map_err(|_| {
            Error::new(
                ErrorKind::ResourceExhausted,
                format!(
                    "{} requests are running already: try again in a moment",
                    self.max_in_flight
                ),
            )
        })
    }

    fn count(&self, client: &str) -> Result<()> {
        let Some(per_second) = self.per_second else { return Ok(()) };
        let limit = f64::from(per_second);
        let now = Instant::now();
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= MAX_CLIENTS && !buckets.contains_key(client) {
            // A bucket that is full again says nothing: those go.
            buckets.retain(|_, bucket| bucket.after(now, limit) < limit);
            if buckets.len() >= MAX_CLIENTS {
                buckets.clear();
            }
        }
        let bucket =
            buckets.entry(client.to_owned()).or_insert(Bucket { tokens: limit, filled: now });
        bucket.tokens = bucket.after(now, limit);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return Err(Error::new(
                ErrorKind::ResourceExhausted,
                format!("more than {per_second} requests in a second: slow down"),
            ));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

impl Bucket {
    fn after(&self, now: Instant, limit: f64) -> f64 {
        (self.tokens + now.duration_since(self.filled).as_secs_f64() * limit).min(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_than_may_run_is_refused() {
        let gate = Gate::new(2, None);
        let first = gate.enter("a").expect("room");
        let _second = gate.enter("b").expect("room");
        assert!(gate.enter("c").is_err());
        drop(first);
        assert!(gate.enter("c").is_ok());
    }

    #[test]
    fn the_rate_is_counted_for_each_client() {
        let gate = Gate::new(100, Some(3));
        for _ in 0..3 {
            assert!(gate.enter("a").is_ok());
        }
        assert!(gate.enter("a").is_err());
        assert!(gate.enter("b").is_ok());
    }
}
