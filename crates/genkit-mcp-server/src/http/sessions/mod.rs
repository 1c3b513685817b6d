//! Sessions over HTTP: who has which, who goes when there is no room, and what ends them. No IO.

mod http_session;
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
use crate::quota::{ClientQuota, Held, Kind, Quotas, SessionQuota};
use crate::session::Session;
use genkit_core::internal::sync::{read, write};

/// How long a session may be idle: no request of it runs or it waits for an answer over a connection
/// that is gone, and no stream of it is read. Default is 5 minutes.
const IDLE: Duration = Duration::from_secs(300);

/// All sessions of a server.
pub(super) struct SessionTable {
    open: RwLock<HashMap<SessionId, Arc<HttpSession>>>,
    started: Instant,
    /// How long one may be idle, in milliseconds.
    idle: u64,
    is_swept: std::sync::Once,
    /// Ends all of them.
    end: CancellationToken,
}

impl SessionTable {
    /// None, each of which may be idle for so long; `None` is the default.
    pub(super) fn new(end: CancellationToken, idle: Option<Duration>) -> Arc<Self> {
        Arc::new(Self {
            open: RwLock::default(),
            started: Instant::now(),
            idle: milliseconds(idle.unwrap_or(IDLE)),
            is_swept: std::sync::Once::new(),
            end,
        })
    }

    /// Milliseconds, since it was made.
    pub(super) fn now(&self) -> u64 {
        milliseconds(self.started.elapsed())
    }

    /// A session of this owner, in use until what is returned is dropped.
    pub(super) fn find(&self, id: SessionId, owner: &Owner) -> Option<SessionInUse> {
        let found = read(&self.open).get(&id).cloned()?;
        // Others are told that there is none.
        if !found.belongs_to(owner) {
            return None;
        }
        found.begin()
    }

    /// Whether there is one, whoever owns it.
    pub(super) fn contains(&self, id: SessionId) -> bool {
        read(&self.open).contains_key(&id)
    }

    /// Room for one more session of a client, for which the longest idle may have to end.
    pub(super) fn make_room(
        &self,
        quotas: &Quotas,
        client: &Arc<ClientQuota>,
    ) -> Option<(Arc<SessionQuota>, Held)> {
        if let Some(opened) = client.open_session() {
            return Some(opened);
        }
        let giver = quotas.gives_way_to(client, Kind::Session);
        let idle = self.longest_idle(giver.as_ref().unwrap_or(client))?;
        self.end(idle.id());
        drop(idle);
        client.open_session()
    }

    /// The session of a client that nobody has used for the longest time; those that were never made
    /// ready go before all others.
    fn longest_idle(&self, client: &Arc<ClientQuota>) -> Option<Arc<HttpSession>> {
        let open = read(&self.open);
        let of_client = open.values().filter(|it| Arc::ptr_eq(it.session.quota().client(), client));
        let idle = of_client.filter_map(|it| Some((it.idle_rank()?, it)));
        idle.min_by_key(|(rank, _)| *rank).map(|(_, session)| Arc::clone(session))
    }

    /// Takes a session in. One of that id that is there already is left as it is, and used instead.
    pub(super) fn open(
        self: &Arc<Self>,
        id: SessionId,
        owner: Owner,
        session: Arc<Session>,
    ) -> Option<SessionInUse> {
        self.is_swept.call_once(|| sweeping::begin(self));
        let found = match write(&self.open).entry(id) {
            Entry::Occupied(there) => Arc::clone(there.get()),
            Entry::Vacant(place) => {
                let end = self.end.child_token();
                let session = HttpSession::new(id, owner, session, self.started, end);
                Arc::clone(place.insert(Arc::new(session)))
            }
        };
        found.belongs_to(&owner).then(|| found.begin())?
    }

    /// Ends a session, if it is there.
    pub(super) fn end(&self, id: SessionId) {
        let ended = write(&self.open).remove(&id);
        if let Some(session) = ended {
            session.end();
        }
    }

    /// Ends all of them.
    pub(super) fn end_all(&self) {
        let ended = std::mem::take(&mut *write(&self.open));
        ended.into_values().for_each(|session| session.end());
    }

    /// Ends who was idle for too long, with what is asked there, and forgets what is kept for too long.
    fn sweep(&self) {
        let now = self.now();
        let mut idle = Vec::new();
        let open = read(&self.open);
        for session in open.values() {
            session.forget(now);
            if session.idle_since().is_some_and(|since| now.saturating_sub(since) > self.idle) {
                idle.push(session.id());
            }
        }
        tracing::trace!(sessions = open.len(), idle = idle.len(), "looked for idle sessions");
        drop(open);
        idle.into_iter().for_each(|id| self.end(id));
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Drop for SessionTable {
    fn drop(&mut self) {
        self.end_all();
    }
}
