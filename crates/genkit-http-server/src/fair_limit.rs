//! A limit that clients share, so that no client can use it up alone.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use genkit_core::internal::fair_share::{floor_of, may_take};
use genkit_core::internal::sync::lock;

/// A limit on the number of slots that all clients hold together. A client cannot hold more slots than it leaves free
/// for the others: a single client gets at most half of them, and a new client always finds a free slot.
#[derive(Debug)]
pub struct FairLimit<K> {
    total: usize,
    held: Mutex<HeldPlaces<K>>,
}

#[derive(Debug)]
struct HeldPlaces<K> {
    all: usize,
    of_clients: HashMap<K, usize>,
}

/// A slot held by a client, released on drop.
#[derive(Debug)]
#[must_use = "dropping it releases the slot"]
pub struct FairPlace<K: Eq + Hash> {
    limit: Arc<FairLimit<K>>,
    client: K,
}

impl<K: Clone + Eq + Hash> FairLimit<K> {
    /// Creates a limit of `total` slots.
    pub fn new(total: usize) -> Arc<Self> {
        let held = HeldPlaces { all: 0, of_clients: HashMap::new() };
        Arc::new(Self { total, held: Mutex::new(held) })
    }

    /// Takes a slot for a client. Returns `None` if all slots are taken, or if the client already holds its share.
    pub fn take_place(self: &Arc<Self>, client: K) -> Option<FairPlace<K>> {
        let mut held = lock(&self.held);
        let own = held.of_clients.get(&client).copied().unwrap_or_default();
        if !may_take(own, 1, self.total.saturating_sub(held.all), floor_of(self.total)) {
            return None;
        }
        held.all += 1;
        *held.of_clients.entry(client.clone()).or_default() += 1;
        drop(held);
        Some(FairPlace { limit: Arc::clone(self), client })
    }

    /// Returns the number of free slots.
    #[doc(hidden)]
    pub fn count_free(&self) -> usize {
        self.total.saturating_sub(lock(&self.held).all)
    }
}

impl<K: Eq + Hash> Drop for FairPlace<K> {
    fn drop(&mut self) {
        let mut held = lock(&self.limit.held);
        held.all -= 1;
        if let Some(own) = held.of_clients.get_mut(&self.client) {
            *own -= 1;
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
    ) -> Vec<FairPlace<&'static str>> {
        std::iter::from_fn(|| limit.take_place(client)).collect()
    }

    #[test]
    fn greedy_client_leaves_slots_for_other_clients() {
        let limit = FairLimit::new(1024);
        let greedy = take_all(&limit, "greedy");
        let second = take_all(&limit, "second");
        assert_eq!((greedy.len(), second.len()), (512, 256));
        assert!(limit.take_place("third").is_some());
        drop(greedy);
        assert!(limit.take_place("second").is_some());
    }

    #[test]
    fn small_limit_still_serves_a_client() {
        let limit = FairLimit::new(1);
        let only = limit.take_place("a");
        assert!(only.is_some() && limit.take_place("b").is_none());
        drop(only);
        assert!(limit.take_place("b").is_some());
        assert!(lock(&limit.held).of_clients.is_empty());
    }
}
