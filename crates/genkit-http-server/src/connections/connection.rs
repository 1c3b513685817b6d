//! A connection: its phase and the time limit of the phase.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::task::AbortHandle;

/// The time limit for receiving the head of a request; for the first request it starts with the connection. Default is
/// 30 seconds.
pub(super) const HEAD_SECONDS: u32 = 30;

/// The time limit for waiting for the next request. Default is 2 minutes.
pub(super) const IDLE_SECONDS: u32 = 120;

/// The time limit for a client that does not read its response. Default is 1 minute.
pub(super) const UNREAD_SECONDS: u32 = 60;

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No complete head of the first request has arrived.
    New = 0,
    /// Waiting for another request.
    Idle = 1,
    /// Receiving the head of another request.
    Head = 2,
    /// Receiving the body of a request.
    Body = 3,
    /// Handling a request.
    Answering = 4,
}

/// A connection. Its state is updated without a lock.
pub struct Connection {
    number: u64,
    client: IpAddr,
    clock: Arc<AtomicU32>,
    /// The phase, and the second in which it started.
    phase: AtomicU64,
    /// The second in which the client stopped reading, plus one; 0 while it reads.
    unread: AtomicU32,
    task: OnceLock<AbortHandle>,
}

/// A request in progress on a connection; ends on drop.
pub(crate) struct RequestInProgress(pub(crate) Arc<Connection>);

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.0.record_response();
    }
}

impl Connection {
    /// Creates a connection that starts now.
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

    /// Returns the number of the connection in its table.
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

    /// Returns the client, as grouped by [`client_for`](super::client_for).
    pub(crate) fn client(&self) -> IpAddr {
        self.client
    }

    /// Records that bytes arrived.
    pub(crate) fn record_bytes(&self) {
        if self.phase().0 == Phase::Idle {
            self.set(Phase::Head);
        }
    }

    /// Records that the head of a request is complete.
    pub(crate) fn record_head(&self) {
        self.set(Phase::Body);
    }

    /// Records that a request is complete.
    pub fn record_request(&self) {
        self.set(Phase::Answering);
    }

    /// Records that a request was answered.
    pub(super) fn record_response(&self) {
        self.set(Phase::Idle);
    }

    /// Records whether the client reads what is written.
    pub(crate) fn set_reading(&self, reads: bool) {
        let since = if reads { 0 } else { 1 + self.clock.load(Ordering::Relaxed) };
        if (since == 0) != (self.unread.load(Ordering::Relaxed) == 0) {
            self.unread.store(since, Ordering::Relaxed);
        }
    }

    /// Sets the task to abort when the connection is ended.
    pub(crate) fn set_task(&self, task: AbortHandle) {
        let _ = self.task.set(task);
    }

    pub(super) fn shut_down(&self) {
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
            // Bodies and handlers have their own time limits.
            Phase::Body | Phase::Answering => return false,
        };
        now.saturating_sub(since) > limit
    }

    /// Returns the rank of this connection, or `None` if it must not be closed. To make room, connections with the
    /// lowest rank are closed first: those without a complete request head, then those that have been waiting longest.
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
