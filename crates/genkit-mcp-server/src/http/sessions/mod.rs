//! Sessions over HTTP: their ownership, eviction and expiry. Performs no I/O.

mod http_session;
pub(super) mod restoring;
#[cfg_attr(not(feature = "durable"), path = "resuming_off.rs")]
pub(super) mod resuming;
mod session_id;
mod sweeping;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(super) use self::http_session::{HttpSession, Owner, SessionInUse};
pub(super) use self::session_id::SessionId;
use crate::quota::{ClientQuota, Kind, QuotaGuard, Quotas, SessionQuota};
use crate::session::Session;
use genkit_core::internal::sync::{read, write};

/// The time that a session can be idle. A session is idle while the client reads none of its streams and the session
/// has no running requests, except requests that wait for an answer without a connection. Default is 5 minutes.
const IDLE: Duration = Duration::from_secs(300);

/// All sessions of a server.
pub(super) struct SessionTable {
    open: RwLock<HashMap<SessionId, Arc<HttpSession>>>,
    started: Instant,
    /// The time that a session can be idle, in milliseconds.
    idle: u64,
    is_swept: std::sync::Once,
    /// Ends all sessions.
    end: CancellationToken,
}

impl SessionTable {
    /// Creates an empty table. Sessions end after `idle`, or the default if it is `None`.
    pub(super) fn new(end: CancellationToken, idle: Option<Duration>) -> Arc<Self> {
        Arc::new(Self {
            open: RwLock::default(),
            started: Instant::now(),
            idle: to_millis(idle.unwrap_or(IDLE)),
            is_swept: std::sync::Once::new(),
            end,
        })
    }

    /// Returns the milliseconds since the table was created.
    pub(super) fn now_ms(&self) -> u64 {
        to_millis(self.started.elapsed())
    }

    /// Returns a session of this owner, which is in use until the returned value is dropped.
    pub(super) fn find_session(&self, id: SessionId, owner: &Owner) -> Option<SessionInUse> {
        let found = read(&self.open).get(&id).cloned()?;
        // Do not reveal to other principals that the session exists.
        if !found.belongs_to(owner) {
            return None;
        }
        found.begin_use()
    }

    /// Returns whether a session exists, regardless of its owner.
    pub(super) fn has_session(&self, id: SessionId) -> bool {
        read(&self.open).contains_key(&id)
    }

    /// Reserves a session for a client. If the limit is reached, ends the longest idle session of the client with the
    /// most sessions.
    pub(super) fn make_room(
        &self,
        quotas: &Quotas,
        client: &Arc<ClientQuota>,
    ) -> Option<(Arc<SessionQuota>, QuotaGuard)> {
        if let Some(opened) = client.open_session() {
            return Some(opened);
        }
        let giver = quotas.client_to_evict_for(client, Kind::Session);
        let idle = self.longest_idle(giver.as_ref().unwrap_or(client))?;
        self.end_session(idle.id());
        drop(idle);
        client.open_session()
    }

    /// Returns the session of a client that has been idle the longest. Sessions that were never initialized come
    /// first.
    fn longest_idle(&self, client: &Arc<ClientQuota>) -> Option<Arc<HttpSession>> {
        let open = read(&self.open);
        let of_client = open.values().filter(|it| Arc::ptr_eq(it.session.quota().client(), client));
        let idle = of_client.filter_map(|it| Some((it.idle_rank()?, it)));
        idle.min_by_key(|(rank, _)| *rank).map(|(_, session)| Arc::clone(session))
    }

    /// Adds a session. If the id already exists, the existing session is used instead.
    pub(super) fn open_session(
        self: &Arc<Self>,
        id: SessionId,
        owner: Owner,
        session: Arc<Session>,
    ) -> Option<SessionInUse> {
        self.is_swept.call_once(|| sweeping::spawn_sweeper(self));
        let found = match write(&self.open).entry(id) {
            Entry::Occupied(there) => Arc::clone(there.get()),
            Entry::Vacant(place) => {
                let end = self.end.child_token();
                let session = HttpSession::new(id, owner, session, self.started, end);
                Arc::clone(place.insert(Arc::new(session)))
            }
        };
        found.belongs_to(&owner).then(|| found.begin_use())?
    }

    /// Ends a session, if it exists.
    pub(super) fn end_session(&self, id: SessionId) {
        let ended = write(&self.open).remove(&id);
        if let Some(session) = ended {
            session.end_session();
        }
    }

    /// Ends all sessions.
    pub(super) fn end_all(&self) {
        let ended = std::mem::take(&mut *write(&self.open));
        ended.into_values().for_each(|session| session.end_session());
    }

    /// Ends sessions that have been idle for too long, with their pending questions, and discards expired
    /// streams.
    fn end_idle(&self) {
        let now = self.now_ms();
        let mut idle = Vec::new();
        let open = read(&self.open);
        for session in open.values() {
            session.forget_expired(now);
            if session.idle_since().is_some_and(|since| now.saturating_sub(since) > self.idle) {
                idle.push(session.id());
            }
        }
        tracing::trace!(sessions = open.len(), idle = idle.len(), "looked for idle sessions");
        drop(open);
        idle.into_iter().for_each(|id| self.end_session(id));
    }
}

fn to_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Drop for SessionTable {
    fn drop(&mut self) {
        self.end_all();
    }
}
