//! Quotas: what clients share, and how much of it each may have.
//!
//! A client is its principal, else its address, else the one that is there. Whoever holds as much as
//! is left for all others takes no more: one client alone gets half, and a newcomer always finds some.
//! A session is held to the same rule inside of its client.

#![cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "the one client of a pipe shares with nobody")
)]

#[cfg(feature = "http")]
mod address;
mod book;
mod bound;
mod client;
mod holder;
mod place;
mod question;
mod rate;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

#[cfg(feature = "http")]
pub(crate) use self::bound::Kind;
pub(crate) use self::bound::{
    MAX_CLIENT_NAME, MAX_INITIALIZE, MAX_SESSION_QUESTIONS, MAX_SESSIONS, QuotaLimits,
};
pub(crate) use self::client::{ClientKey, ClientQuota, SessionQuota};
pub(crate) use self::place::HeldPlace;

pub(crate) use self::book::Held;

use self::book::Book;
use genkit_core::internal::sync::lock;

/// How many clients are remembered that hold nothing: the longest unused are forgotten. Default is
/// 10,000.
const MAX_IDLE_CLIENTS: usize = 10_000;

/// All clients of a server, and what they share.
pub(crate) struct Quotas {
    book: Arc<Book>,
    per_second: Option<u32>,
    clients: Mutex<HashMap<ClientKey, Known>>,
}

struct Known {
    client: Arc<ClientQuota>,
    used: Instant,
}

impl Known {
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.client) == 1 && self.client.is_idle()
    }
}

impl Quotas {
    pub(crate) fn new(limits: &QuotaLimits) -> Self {
        Self {
            book: Arc::new(Book::new(limits.bounds())),
            per_second: limits.per_second,
            clients: Mutex::default(),
        }
    }

    /// The client that a request comes from.
    pub(crate) fn client(&self, key: ClientKey) -> Arc<ClientQuota> {
        self.client_at(key, Instant::now())
    }

    fn client_at(&self, key: ClientKey, now: Instant) -> Arc<ClientQuota> {
        let mut clients = lock(&self.clients);
        if let Some(known) = clients.get_mut(&key) {
            known.used = now;
            return Arc::clone(&known.client);
        }
        if clients.len() >= MAX_IDLE_CLIENTS {
            forget_idle(&mut clients);
        }
        let client = ClientQuota::new(key.clone(), Arc::clone(&self.book), self.per_second);
        clients.insert(key, Known { client: Arc::clone(&client), used: now });
        client
    }

    /// Whose longest idle session ends so that `client` may have one more: that of the
    /// client with the most. `None` is nobody's: there is room.
    #[cfg(feature = "http")]
    pub(crate) fn gives_way_to(
        &self,
        client: &Arc<ClientQuota>,
        kind: Kind,
    ) -> Option<Arc<ClientQuota>> {
        if self.book.left(kind) > 0 {
            return None;
        }
        let held = |client: &ClientQuota| client.held(kind);
        let clients = lock(&self.clients);
        let most = clients.values().map(|known| &known.client).max_by_key(|client| held(client));
        // Among equals it is the newcomer's own, so that nobody is pushed out below a fair share.
        Some(Arc::clone(most.filter(|most| held(most) > held(client)).unwrap_or(client)))
    }
}

/// Forgets the longest unused quarter of those that nobody holds on to: what they held was given
/// back, and a rate that was not used for long is whole again.
fn forget_idle(clients: &mut HashMap<ClientKey, Known>) {
    let mut idle: Vec<Instant> =
        clients.values().filter(|known| known.is_idle()).map(|known| known.used).collect();
    let last = (idle.len() / 4).max(1).min(idle.len());
    if last == 0 {
        return;
    }
    let (_, &mut oldest, _) = idle.select_nth_unstable(last - 1);
    clients.retain(|_, known| known.used > oldest || !known.is_idle());
}

#[cfg(test)]
mod tests;
