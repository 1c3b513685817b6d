//! A session over HTTP: its owner, its usage, and the streams that its client can resume.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{SessionId, to_millis};
use crate::http::standalone_stream::StandaloneStream;
use crate::http::streams::{EventStream, RetainedStreams};
use crate::session::Session;
#[cfg(feature = "durable")]
use crate::session::random_bytes;
use genkit_core::internal::sync::lock;

/// The owner of a session, as a hash of the principal's id. Without a principal, every client that knows the session id
/// counts as the owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Owner(pub(in super::super) Option<[u8; 32]>);

impl Owner {
    pub(in super::super) fn for_principal(principal: Option<&str>) -> Self {
        Self(principal.map(|principal| Sha256::digest(principal.as_bytes()).into()))
    }
}

/// A session.
pub(in super::super) struct HttpSession {
    id: SessionId,
    owner: Owner,
    pub(in super::super) session: Arc<Session>,
    /// The time at which the session table was created.
    started: Instant,
    /// The time at which the session was last used, in milliseconds since `started`.
    used: AtomicU64,
    /// The number of running requests and open streams.
    in_use: AtomicUsize,
    is_ready: AtomicBool,
    kept: Mutex<RetainedStreams>,
    standing: OnceLock<Arc<StandaloneStream>>,
    /// Cancelled when the session ends.
    ended: CancellationToken,
}

/// A session that is in use until this is dropped.
pub(in super::super) struct SessionInUse(Arc<HttpSession>);

impl HttpSession {
    pub(super) fn new(
        id: SessionId,
        owner: Owner,
        session: Arc<Session>,
        started: Instant,
        ended: CancellationToken,
    ) -> Self {
        Self {
            id,
            owner,
            session,
            started,
            used: AtomicU64::new(to_millis(started.elapsed())),
            in_use: AtomicUsize::new(0),
            is_ready: AtomicBool::new(false),
            kept: Mutex::default(),
            standing: OnceLock::new(),
            ended,
        }
    }

    pub(in super::super) fn id(&self) -> SessionId {
        self.id
    }

    pub(in super::super) fn owner(&self) -> Owner {
        self.owner
    }

    pub(super) fn belongs_to(&self, owner: &Owner) -> bool {
        self.owner == *owner
    }

    /// Marks the session as in use, unless it has ended.
    pub(super) fn begin_use(self: Arc<Self>) -> Option<SessionInUse> {
        self.used.store(to_millis(self.started.elapsed()), Ordering::Relaxed);
        self.in_use.fetch_add(1, Ordering::Relaxed);
        let in_use = SessionInUse(self);
        (!in_use.has_ended()).then_some(in_use)
    }

    /// Marks the handshake as complete.
    pub(in super::super) fn mark_ready(&self) {
        self.is_ready.store(true, Ordering::Relaxed);
    }

    /// Returns whether the handshake is complete.
    pub(in super::super) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Relaxed)
    }

    /// Returns the time at which the session became idle, in milliseconds since `started`, or `None` if it is in use. A
    /// request that waits for an answer after its connection was lost does not count as use: its client can reconnect
    /// and answer while the session exists, but the request does not extend the session.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let (mut in_use, mut used) =
            (self.in_use.load(Ordering::Relaxed), self.used.load(Ordering::Relaxed));
        if in_use > 0 {
            let (waiting, left) = lock(&self.kept).count_waiting();
            in_use = in_use.saturating_sub(waiting);
            used = used.max(left.map_or(0, |left| to_millis(left - self.started)));
        }
        (in_use == 0).then_some(used)
    }

    /// Returns the rank for eviction, lowest first; a session with `None` is not evicted.
    pub(super) fn idle_rank(&self) -> Option<(bool, u64)> {
        Some((self.is_ready.load(Ordering::Relaxed), self.idle_since()?))
    }

    /// Retains a stream so that its client can resume it, and returns its number.
    pub(in super::super) fn keep_stream(&self, stream: &Arc<EventStream>, now: u64) -> u64 {
        lock(&self.kept).keep_stream(stream, now)
    }

    /// Retains a stream under a number that is unique across all instances, and returns the number.
    #[cfg(feature = "durable")]
    pub(in super::super) fn keep_everywhere(&self, stream: &Arc<EventStream>, now: u64) -> u64 {
        // The number is random, and small enough for a JSON number. Two streams of a session collide with
        // probability 2^-52.
        let number = (u64::from_le_bytes(random_bytes()) >> 12).max(1);
        lock(&self.kept).keep_as(number, stream, now);
        number
    }

    pub(in super::super) fn find_stream(&self, number: u64) -> Option<Arc<EventStream>> {
        lock(&self.kept).find(number)
    }

    /// Discards expired streams.
    pub(super) fn forget_expired(&self, now: u64) {
        let mut kept = lock(&self.kept);
        if !kept.is_empty() {
            kept.forget_excess(now);
        }
    }

    /// Returns the stream that does not belong to a request.
    pub(in super::super) fn standalone_stream(&self) -> &Arc<StandaloneStream> {
        self.standing.get_or_init(Arc::default)
    }

    pub(in super::super) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Returns a token that is cancelled when the session ends.
    pub(in super::super) fn end_token(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Cancels all running requests of the session, and discards its streams.
    pub(super) fn end_session(&self) {
        self.ended.cancel();
        self.session.connection.end_questions();
        self.session.connection.cancel_all();
        *lock(&self.kept) = RetainedStreams::default();
    }
}

impl Deref for SessionInUse {
    type Target = HttpSession;

    fn deref(&self) -> &HttpSession {
        &self.0
    }
}

impl Drop for SessionInUse {
    fn drop(&mut self) {
        // The session was in use until now, for example by a stream that was open for a long time.
        self.0.used.store(to_millis(self.0.started.elapsed()), Ordering::Relaxed);
        self.0.in_use.fetch_sub(1, Ordering::Relaxed);
    }
}
