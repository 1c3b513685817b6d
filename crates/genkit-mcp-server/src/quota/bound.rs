//! The limits of shared resources, and the rule for sharing them.

use genkit_core::internal::fair_share::scaled_floor;

/// The maximum number of sessions over HTTP. Default is 10,000; beyond that, the client with the most sessions loses
/// the session that has been idle longest.
pub(crate) const MAX_SESSIONS: usize = 10_000;

/// The maximum number of open notification streams. Default is 1,000.
pub(crate) const MAX_STREAMS: usize = 1_000;

/// The maximum number of open notification streams per session. Default is 16.
pub(crate) const MAX_SESSION_STREAMS: usize = 16;

/// The maximum number of open questions to clients. Default is 4,096.
pub(crate) const MAX_QUESTIONS: usize = 4_096;

/// The maximum number of open questions per session. Default is 8.
pub(crate) const MAX_SESSION_QUESTIONS: usize = 8;

/// The maximum size of the stored text of all clients (names, capabilities and subscriptions), in bytes. Default is
/// 256 MiB.
pub(crate) const MAX_KEPT_BYTES: usize = 256 * 1024 * 1024;

/// The maximum size of stored text per session, or per group of a client's requests without a session, in bytes.
/// Default is 1 MiB.
pub(crate) const MAX_SESSION_BYTES: usize = 1024 * 1024;

/// The maximum length of a stored client name or version, in bytes. Default is 256.
pub(crate) const MAX_CLIENT_NAME: usize = 256;

/// The maximum size of an `initialize` request, in bytes. Default is 64 KiB.
pub(crate) const MAX_INITIALIZE: usize = 64 * 1024;

/// A kind of resource that clients share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In-flight slots, one per running function.
    Slot,
    Session,
    /// Notification streams.
    Stream,
    /// Questions that are waiting for an answer.
    Question,
    /// Bytes of stored text.
    Byte,
}

/// The number of kinds.
pub(super) const KINDS: usize = 5;

/// The limits of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) total: usize,
    /// The amount that a client can always hold while any is left.
    pub(super) floor: usize,
    /// The limit per session; `None` applies the sharing rule within the client.
    pub(super) session: Option<usize>,
    /// Whether the session limit also applies to requests without a session.
    pub(super) caps_all: bool,
    /// Whether the sharing rule applies to clients. If not, the largest holder loses a resource when the limit is
    /// reached.
    pub(super) shared: bool,
}

/// The configurable limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuotaLimits {
    pub(crate) places: usize,
    pub(crate) per_second: Option<u32>,
    pub(crate) sessions: usize,
    pub(crate) session_questions: usize,
}

impl QuotaLimits {
    pub(super) fn bounds(&self) -> [Bound; KINDS] {
        let number = |total: usize, session| {
            let floor = scaled_floor(total);
            Bound { total, floor, session, caps_all: false, shared: true }
        };
        [
            number(self.places, None),
            Bound { shared: false, ..number(self.sessions, Some(1)) },
            number(MAX_STREAMS, Some(MAX_SESSION_STREAMS)),
            number(MAX_QUESTIONS, Some(self.session_questions)),
            Bound {
                floor: MAX_SESSION_BYTES,
                caps_all: true,
                ..number(MAX_KEPT_BYTES, Some(MAX_SESSION_BYTES))
            },
        ]
    }
}
