//! Rate limit and concurrency limit: how often clients may call, and how much runs at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::Error as E;
use crate::sync::lock;

/// How many clients the rate is counted for; the least recent are forgotten.
const MAX_CLIENTS: usize = 10_000;

/// Admits requests, or tells why not.
pub(crate) struct RequestLimiter {
    in_flight: Arc<Semaphore>,
    max_in_flight: usize,
    per_second: Option<u32>,
    buckets: Mutex<HashMap<String, TokenBucket>>,
}

/// A token bucket: what a client may still call, refilled with time.
struct TokenBucket {
    tokens: f64,
    filled: Instant,
}

impl RequestLimiter {
    pub(crate) fn new(max_in_flight: usize, per_second: Option<u32>) -> Self {
        Self {
            in_flight: Arc::new(Semaphore::new(max_in_flight)),
            max_in_flight,
            per_second,
            buckets: Mutex::default(),
        }
    }

    /// A place for one request of `client`, held until the permit is dropped.
    pub(crate) fn admit(&self, client: &str) -> Result<OwnedSemaphorePermit, E> {
        self.count(client)?;
        let permit = Arc::clone(&self.in_flight).try_acquire_owned();
        permit.map_err(|_| E::TooManyRunning(self.max_in_flight))
    }

    fn count(&self, client: &str) -> Result<(), E> {
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
            buckets.entry(client.to_owned()).or_insert(TokenBucket { tokens: limit, filled: now });
        bucket.tokens = bucket.after(now, limit);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return Err(E::TooManyPerSecond(per_second));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

impl TokenBucket {
    fn after(&self, now: Instant, limit: f64) -> f64 {
        (self.tokens + now.duration_since(self.filled).as_secs_f64() * limit).min(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_than_may_run_is_refused() {
        let limiter = RequestLimiter::new(2, None);
        let first = limiter.admit("a").expect("room");
        let _second = limiter.admit("b").expect("room");
        assert!(limiter.admit("c").is_err());
        drop(first);
        assert!(limiter.admit("c").is_ok());
    }

    #[test]
    fn the_rate_is_counted_for_each_client() {
        let limiter = RequestLimiter::new(100, Some(3));
        for _ in 0..3 {
            assert!(limiter.admit("a").is_ok());
        }
        assert!(limiter.admit("a").is_err());
        assert!(limiter.admit("b").is_ok());
    }
}
