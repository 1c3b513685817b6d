//! The memory that request bodies share: how much a server buffers at once, and which body is dropped first.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::connections::client_for;
use genkit_core::internal::sync::lock;

/// The total size of the bodies above 16 KiB that a server buffers at once, in bytes. Default is 64 MiB, or twice the
/// largest body if that is more.
const ROOM: usize = 64 * 1024 * 1024;

/// The time that a body waits for memory before another body is dropped. Default is 1 second.
const EVICTION_DELAY: Duration = Duration::from_secs(1);

/// The error if a body was dropped to free memory.
#[derive(Debug)]
pub(super) struct BudgetExceeded;

/// The memory that all bodies share. If it is exhausted, the client that uses the most loses its oldest body.
#[derive(Debug)]
pub struct BodyBudget {
    all: usize,
    taken: Mutex<Reservation>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Reservation {
    bytes: usize,
    next: u64,
    bodies: HashMap<u64, Body>,
}

#[derive(Debug)]
struct Body {
    client: Option<IpAddr>,
    bytes: usize,
    /// Cancelled when the body must be dropped.
    wanted: CancellationToken,
}

/// The memory of a body; released on drop.
#[derive(Debug)]
pub(super) struct BudgetGuard {
    room: Arc<BodyBudget>,
    number: u64,
    wanted: CancellationToken,
}

impl BodyBudget {
    /// Creates a pool for bodies of at most `limit` bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Self::with_size(ROOM.max(limit.saturating_mul(2)))
    }

    fn with_size(all: usize) -> Arc<Self> {
        Arc::new(Self { all, taken: Mutex::default(), freed: Notify::new() })
    }

    /// Reserves `bytes` of memory, waiting for it if necessary.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        client: Option<IpAddr>,
        bytes: usize,
    ) -> Result<BudgetGuard, BudgetExceeded> {
        let client = client.map(client_for);
        let wanted = CancellationToken::new();
        let number = {
            let mut taken = lock(&self.taken);
            let number = taken.next;
            taken.next += 1;
            taken.bodies.insert(number, Body { client, bytes: 0, wanted: wanted.clone() });
            number
        };
        let guard = BudgetGuard { room: Arc::clone(self), number, wanted };
        guard.grow(bytes).await?;
        Ok(guard)
    }

    /// Resizes the reservation of a body to `bytes`; returns whether there was enough memory.
    fn resize(&self, number: u64, bytes: usize) -> bool {
        let mut taken = lock(&self.taken);
        let taken = &mut *taken;
        let Some(body) = taken.bodies.get_mut(&number) else { return false };
        if taken.bytes - body.bytes + bytes > self.all {
            return false;
        }
        taken.bytes = taken.bytes - body.bytes + bytes;
        body.bytes = bytes;
        true
    }

    fn make_room(&self) {
        let taken = lock(&self.taken);
        let held = taken.bodies.iter().filter(|(_, body)| !body.wanted.is_cancelled());
        let mut of_clients: HashMap<Option<IpAddr>, (usize, u64)> = HashMap::new();
        for (number, body) in held.filter(|(_, body)| body.bytes > 0) {
            let client = of_clients.entry(body.client).or_insert((0, *number));
            *client = (client.0 + body.bytes, client.1.min(*number));
        }
        let greediest = of_clients.into_values().max_by_key(|(bytes, _)| *bytes);
        if let Some(body) = greediest.and_then(|(_, oldest)| taken.bodies.get(&oldest)) {
            body.wanted.cancel();
        }
    }
}

impl BudgetGuard {
    /// Grows the reservation to `bytes` in total.
    pub(super) async fn grow(&self, bytes: usize) -> Result<(), BudgetExceeded> {
        loop {
            let mut freed = std::pin::pin!(self.room.freed.notified());
            freed.as_mut().enable();
            if self.room.resize(self.number, bytes) {
                return Ok(());
            }
            tokio::select! {
                () = freed => {}
                () = self.wanted.cancelled() => return Err(BudgetExceeded),
                () = tokio::time::sleep(EVICTION_DELAY) => self.room.make_room(),
            }
        }
    }

    /// Waits until this body must be dropped.
    pub(super) async fn wait_for_eviction(&self) {
        self.wanted.cancelled().await;
    }
}

impl Drop for BudgetGuard {
    fn drop(&mut self) {
        let mut taken = lock(&self.room.taken);
        if let Some(body) = taken.bodies.remove(&self.number) {
            taken.bytes -= body.bytes;
        }
        drop(taken);
        self.room.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([127, 0, 0, last]))
    }

    #[tokio::test(start_paused = true)]
    async fn client_that_holds_the_most_gives_way_with_its_oldest_body() {
        let room = BodyBudget::with_size(100);
        let honest = room.reserve(client(2), 30).await.expect("room");
        let first = room.reserve(client(1), 35).await.expect("room");
        let second = room.reserve(client(1), 35).await.expect("room");
        let waiting = tokio::spawn({
            let room = Arc::clone(&room);
            async move { room.reserve(client(3), 20).await }
        });
        first.wait_for_eviction().await;
        assert!(!second.wanted.is_cancelled() && !honest.wanted.is_cancelled());
        drop(first);
        assert!(waiting.await.expect("no panic").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn room_that_is_given_back_is_taken_at_once() {
        let room = BodyBudget::with_size(100);
        let whole = room.reserve(client(1), 100).await.expect("room");
        let waiting = tokio::spawn({
            let room = Arc::clone(&room);
            async move { room.reserve(client(2), 100).await }
        });
        tokio::task::yield_now().await;
        drop(whole);
        assert!(waiting.await.expect("no panic").is_ok());
        let left = lock(&room.taken);
        assert!(left.bytes == 0 && left.bodies.is_empty());
    }
}
