//! A limit that clients share, so that no client can use it up alone.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;

use super::until_sent::UntilSent;
use genkit_core::internal::fair_share::{can_take, scaled_floor};
use genkit_core::internal::sync::lock;

/// The memory for running requests and for responses that have not been sent yet, in bytes. Default is 128 MiB, or four
/// times the largest request if that is more.
const MEMORY: usize = 128 * 1024 * 1024;

/// The unit of memory that is counted, in bytes.
const UNIT: usize = 1024;

/// A limit on the number of slots that all clients hold together. A client cannot hold more slots than it leaves free
/// for other clients, so a single client gets at most half of them. A client can always hold up to 8 slots, or half of
/// all slots if that is less, while any are free.
#[derive(Debug)]
pub struct FairLimit<K> {
    total: usize,
    held: Mutex<HeldPermits<K>>,
}

#[derive(Debug)]
struct HeldPermits<K> {
    all: usize,
    of_clients: HashMap<K, usize>,
}

/// Slots held by a client, released on drop.
#[derive(Debug)]
#[must_use = "dropping it releases the slots"]
pub struct FairPermit<K: Eq + Hash> {
    limit: Arc<FairLimit<K>>,
    client: K,
    count: usize,
    /// Other slots to release together with these.
    joined: Vec<FairPermit<K>>,
}

/// Bytes that count as memory of a client.
struct CountedBytes<K: Eq + Hash> {
    bytes: Bytes,
    _permit: FairPermit<K>,
}

impl<K: Eq + Hash> AsRef<[u8]> for CountedBytes<K> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The error if a client already uses its share of the memory, or if no memory is left.
#[derive(Debug, thiserror::Error)]
#[error(
    "the requests and responses of this client already use its share of the memory; try again in a moment"
)]
pub struct NoMemory;

impl<K: Clone + Eq + Hash> FairLimit<K> {
    /// Creates a limit of `total` slots.
    pub fn new(total: usize) -> Arc<Self> {
        let held = HeldPermits { all: 0, of_clients: HashMap::new() };
        Arc::new(Self { total, held: Mutex::new(held) })
    }

    /// Creates a limit for memory that clients share, for requests of at most `largest` bytes.
    pub fn for_memory(largest: usize) -> Arc<Self> {
        Self::new(MEMORY.max(largest.saturating_mul(4)) / UNIT)
    }

    /// Takes a slot for a client. Returns `None` if all slots are taken, or if the client already holds its share.
    pub fn take_slot(self: &Arc<Self>, client: K) -> Option<FairPermit<K>> {
        self.take_slots(client, 1)
    }

    /// Takes `bytes` of memory for a client, from a limit created by [`for_memory`](Self::for_memory).
    ///
    /// # Errors
    /// Returns an error if the client already holds its share, or if there is not enough memory.
    pub fn take_memory(
        self: &Arc<Self>,
        client: K,
        bytes: usize,
    ) -> Result<FairPermit<K>, NoMemory> {
        self.take_slots(client, bytes.div_ceil(UNIT)).ok_or(NoMemory)
    }

    /// Takes memory for bytes of a client, until they are sent or dropped.
    ///
    /// # Errors
    /// Returns an error if the client already holds its share, or if there is not enough memory.
    pub fn count_bytes(self: &Arc<Self>, client: K, bytes: Bytes) -> Result<Bytes, NoMemory>
    where
        K: Send + Sync + 'static,
    {
        let permit = self.take_memory(client, bytes.len())?;
        Ok(Bytes::from_owner(CountedBytes { bytes, _permit: permit }))
    }

    fn take_slots(self: &Arc<Self>, client: K, count: usize) -> Option<FairPermit<K>> {
        let mut held = lock(&self.held);
        let own = held.of_clients.get(&client).copied().unwrap_or_default();
        if !can_take(own, count, self.total.saturating_sub(held.all), scaled_floor(self.total)) {
            return None;
        }
        held.all += count;
        *held.of_clients.entry(client.clone()).or_default() += count;
        drop(held);
        Some(FairPermit { limit: Arc::clone(self), client, count, joined: Vec::new() })
    }

    /// Returns the number of free slots.
    #[doc(hidden)]
    pub fn count_free(&self) -> usize {
        self.total.saturating_sub(lock(&self.held).all)
    }
}

impl<K: Eq + Hash> FairPermit<K> {
    /// Holds `other` until these slots are released.
    pub fn join(mut self, other: Self) -> Self {
        self.joined.push(other);
        self
    }
}

impl<K: Eq + Hash + Send + Sync + Unpin + 'static> FairPermit<K> {
    /// Holds the slots until the response is sent, or abandoned.
    pub fn until_sent(self, response: Response) -> Response {
        response.map(|body| Body::new(UntilSent::new(body, self)))
    }
}

impl<K: Eq + Hash> Drop for FairPermit<K> {
    fn drop(&mut self) {
        let mut held = lock(&self.limit.held);
        held.all -= self.count;
        if let Some(own) = held.of_clients.get_mut(&self.client) {
            *own -= self.count;
            if *own == 0 {
                held.of_clients.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all(
        limit: &Arc<FairLimit<&'static str>>,
        client: &'static str,
    ) -> Vec<FairPermit<&'static str>> {
        std::iter::from_fn(|| limit.take_slot(client)).collect()
    }

    #[test]
    fn greedy_client_leaves_slots_for_other_clients() {
        let limit = FairLimit::new(1024);
        let greedy = take_all(&limit, "greedy");
        let second = take_all(&limit, "second");
        assert_eq!((greedy.len(), second.len()), (512, 256));
        assert!(limit.take_slot("third").is_some());
        drop(greedy);
        assert!(limit.take_slot("second").is_some());
    }

    #[test]
    fn memory_is_shared_by_bytes() {
        let limit = FairLimit::for_memory(0);
        let half = limit.take_memory("greedy", MEMORY / 2).expect("half is free");
        assert!(limit.take_memory("greedy", 1).is_err());
        let other = limit.take_memory("other", MEMORY / 4).expect("a quarter is free");
        let held = half.join(other);
        assert_eq!(limit.count_free(), MEMORY / 4 / UNIT);
        drop(held);
        assert_eq!(limit.count_free(), MEMORY / UNIT);
    }

    #[test]
    fn bytes_count_until_they_are_dropped() {
        let limit = FairLimit::for_memory(0);
        let large = || Bytes::from(vec![b'x'; MEMORY / 2]);
        let counted = limit.count_bytes("greedy", large()).expect("half is free");
        assert!(limit.count_bytes("greedy", Bytes::from_static(b"x")).is_err());
        let part = counted.slice(1..3);
        drop(counted);
        assert_eq!((&*part, limit.count_free()), (&b"xx"[..], MEMORY / 2 / UNIT));
        drop(part);
        assert_eq!(limit.count_free(), MEMORY / UNIT);
    }

    #[test]
    fn small_limit_still_serves_a_client() {
        let limit = FairLimit::new(1);
        let only = limit.take_slot("a");
        assert!(only.is_some() && limit.take_slot("b").is_none());
        drop(only);
        assert!(limit.take_slot("b").is_some());
        assert!(lock(&limit.held).of_clients.is_empty());
    }
}
