//! One connection: what it is doing, and for how long it may.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::task::AbortHandle;

/// How long the head of a request may take, counted from the connection's own beginning for its
/// first one. Default is 30 seconds.
pub(super) const HEAD_SECONDS: u32 = 30;

/// How long a connection may wait for its next request. Default is 2 minutes.
pub(super) const IDLE_SECONDS: u32 = 120;

/// How long a client may leave unread what was written for it. Default is 1 minute.
pub(super) const UNREAD_SECONDS: u32 = 60;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// A head, or nothing at all, has come of its first request.
    New = 0,
    /// It waits for another request.
    Idle = 1,
    /// The head of another request has begun.
    Head = 2,
    /// The body of a request comes in.
    Body = 3,
    /// A request is answered.
    Answering = 4,
}

/// One connection. What happens to it is written without a lock.
pub struct Connection {
    number: u64,
    client: IpAddr,
    clock: Arc<AtomicU32>,
    /// The phase, and the second in which it began.
    phase: AtomicU64,
    /// The second in which the client stopped reading, plus one; 0 while it reads.
    unread: AtomicU32,
    task: OnceLock<AbortHandle>,
}

/// A request of a connection, which is at work until this is dropped.
pub(crate) struct RequestAtWork(pub(crate) Arc<Connection>);

impl Drop for RequestAtWork {
    fn drop(&mut self) {
        self.0.answered();
    }
}

impl Connection {
    /// One that begins now.
    pub(super) fn new(number: u64, client: IpAddr, clock: &Arc<AtomicU32>) -> Self {
        let now = clock.load(Ordering::Relaxed);
        Self {
            number,
            client,
            clock: Arc::clone(clock),
            phase: AtomicU64::new(u64::from(now) << 8),
            unread: AtomicU32::new(0),
            task: OnceLock::new(),
        }
    }

    /// Which of all it is.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    fn set(&self, phase: Phase) {
        let now = self.clock.load(Ordering::Relaxed);
        self.phase.store(u64::from(now) << 8 | phase as u64, Ordering::Relaxed);
    }

    pub(super) fn phase(&self) -> (Phase, u32) {
        let phase = self.phase.load(Ordering::Relaxed);
        let since = u32::try_from(phase >> 8).unwrap_or(u32::MAX);
        let phase = match phase & 0xff {
            0 => Phase::New,
            1 => Phase::Idle,
            2 => Phase::Head,
            3 => Phase::Body,
            _ => Phase::Answering,
        };
        (phase, since)
    }

    /// Whose it is.
    pub(crate) fn client(&self) -> IpAddr {
        self.client
    }

    /// Bytes have come.
    pub(crate) fn heard(&self) {
        if self.phase().0 == Phase::Idle {
            self.set(Phase::Head);
        }
    }

    /// A request is there but for its body.
    pub(crate) fn requested(&self) {
        self.set(Phase::Body);
    }

    /// All of the request is there.
    pub fn answering(&self) {
        self.set(Phase::Answering);
    }

    /// A request was answered.
    pub(super) fn answered(&self) {
        self.set(Phase::Idle);
    }

    /// Whether the client reads what is written.
    pub(crate) fn reads(&self, reads: bool) {
        let since = if reads { 0 } else { 1 + self.clock.load(Ordering::Relaxed) };
        if (since == 0) != (self.unread.load(Ordering::Relaxed) == 0) {
            self.unread.store(since, Ordering::Relaxed);
        }
    }

    /// The task that is ended with it.
    pub(crate) fn runs_in(&self, task: AbortHandle) {
        let _ = self.task.set(task);
    }

    pub(super) fn end(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    pub(super) fn is_overdue(&self, now: u32) -> bool {
        let unread = self.unread.load(Ordering::Relaxed);
        if unread != 0 && now.saturating_sub(unread - 1) > UNREAD_SECONDS {
            return true;
        }
        let (phase, since) = self.phase();
        let limit = match phase {
            Phase::New | Phase::Head => HEAD_SECONDS,
            Phase::Idle => IDLE_SECONDS,
            // Their own limits hold.
            Phase::Body | Phase::Answering => return false,
        };
        now.saturating_sub(since) > limit
    }

    /// Those that go first come first; `None` stays. Who says nothing goes before who has said
    /// something, and the longest silent before the others.
    pub(super) fn rank(&self) -> Option<(bool, u32, u64)> {
        let (phase, since) = self.phase();
        let has_spoken = match phase {
            Phase::New | Phase::Head => false,
            Phase::Idle | Phase::Body => true,
            Phase::Answering => return None,
        };
        Some((has_spoken, since, self.number))
    }
}
