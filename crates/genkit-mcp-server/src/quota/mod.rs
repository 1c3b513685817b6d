//! Quotas: the resources that clients share, and the amounts that each client can hold.
//!
//! A client is identified by its principal, or else by its address; a pipe has a single client. A client cannot hold
//! more of a resource than it leaves free for other clients: a single client gets at most half, and some of the
//! resource is always left for a new client. The same rule applies to the sessions of one client.

#![cfg_attr(not(feature = "http"), allow(unused, reason = "a pipe has a single client"))]

#[cfg(feature = "http")]
mod address;
mod book;
mod bound;
mod client;
mod holder;
mod question;
mod slot;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

#[cfg(feature = "http")]
pub(crate) use self::bound::Kind;
pub(crate) use self::bound::{
    MAX_CLIENT_NAME, MAX_INITIALIZE, MAX_SESSION_QUESTIONS, MAX_SESSIONS, QuotaLimits,
};
pub(crate) use self::client::{ClientKey, ClientQuota, SessionQuota};
pub(crate) use self::slot::SlotGuard;

pub(crate) use self::book::QuotaGuard;

use self::book::QuotaLedger;
use genkit_core::internal::sync::lock;

/// The number of known clients beyond which the least recently used idle clients are forgotten. Default is 10,000.
const MAX_IDLE_CLIENTS: usize = 10_000;

/// All clients of a server, and the resources that they share.
pub(crate) struct Quotas {
    book: Arc<QuotaLedger>,
    per_second: Option<u32>,
    clients: Mutex<HashMap<ClientKey, KnownClient>>,
}

struct KnownClient {
    client: Arc<ClientQuota>,
    used: Instant,
}

impl KnownClient {
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.client) == 1 && self.client.is_idle()
    }
}

impl Quotas {
    pub(crate) fn new(limits: &QuotaLimits) -> Self {
        Self {
            book: Arc::new(QuotaLedger::new(limits.bounds())),
            per_second: limits.per_second,
            clients: Mutex::default(),
        }
    }

    /// Returns the client that a request comes from.
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
            remove_idle(&mut clients);
        }
        let client = ClientQuota::new(key.clone(), Arc::clone(&self.book), self.per_second);
        clients.insert(key, KnownClient { client: Arc::clone(&client), used: now });
        client
    }

    /// Returns the client whose longest idle session should end so that `client` can open one more: the client with the
    /// most sessions. Returns `None` if there is still room.
    #[cfg(feature = "http")]
    pub(crate) fn client_to_evict_for(
        &self,
        client: &Arc<ClientQuota>,
        kind: Kind,
    ) -> Option<Arc<ClientQuota>> {
        if self.book.count_left(kind) > 0 {
            return None;
        }
        let held = |client: &ClientQuota| client.held(kind);
        let clients = lock(&self.clients);
        let most = clients.values().map(|known| &known.client).max_by_key(|client| held(client));
        // On a tie, the new session replaces a session of the same client, so that no client falls below its fair
        // share.
        Some(Arc::clone(most.filter(|most| held(most) > held(client)).unwrap_or(client)))
    }
}

/// Removes the least recently used quarter of the idle clients. They hold no resources, and their rate limit has
/// probably refilled.
fn remove_idle(clients: &mut HashMap<ClientKey, KnownClient>) {
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
