//! Bounds: what clients share, how much there is of it, and the rule by which it is shared.

/// How many sessions there may be over HTTP. Default is 10,000; then the client with the most loses
/// the one that is idle the longest.
pub(crate) const MAX_SESSIONS: usize = 10_000;

/// How many streams for notifications may be open. Default is 1,000.
pub(crate) const MAX_STREAMS: usize = 1_000;

/// How many of them one session may have open. Default is 16.
pub(crate) const MAX_SESSION_STREAMS: usize = 16;

/// How many questions to clients may be open. Default is 4,096.
pub(crate) const MAX_QUESTIONS: usize = 4_096;

/// How many questions to one session may be open. Default is 8.
pub(crate) const MAX_SESSION_QUESTIONS: usize = 8;

/// How many bytes of clients' text are kept: names, capabilities, subscriptions. Default is 256 MiB.
pub(crate) const MAX_KEPT_BYTES: usize = 256 * 1024 * 1024;

/// How many bytes of text are kept for one session, or for those of a client's requests without one
/// that share. Default is 1 MiB.
pub(crate) const MAX_SESSION_BYTES: usize = 1024 * 1024;

/// How much of a client's name, and of its version, is kept, in bytes. Default is 256.
pub(crate) const MAX_CLIENT_NAME: usize = 256;

/// How large the request that opens a session may be. Default is 64 KiB.
pub(crate) const MAX_INITIALIZE: usize = 64 * 1024;

/// How much a client may always have of what is counted by number, as long as there is any. Default
/// is 8.
pub(crate) const FLOOR: usize = 8;

/// What clients share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Places for functions that run.
    Place,
    Session,
    /// Streams of notifications.
    Stream,
    /// Questions that a client has not answered.
    Question,
    /// Bytes that are kept for a client.
    Byte,
}

/// How many kinds there are.
pub(super) const KINDS: usize = 5;

/// How much there is of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) total: usize,
    /// What a client may always have while there is any.
    pub(super) floor: usize,
    /// What a session may have; `None` is the rule, inside of its client.
    pub(super) session: Option<usize>,
    /// Whether that is also the bound of the requests without a session.
    pub(super) caps_all: bool,
    /// Whether clients are held to the rule. Where they are not, one gives way to another.
    pub(super) shared: bool,
}

/// What can be set.
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
            let floor = FLOOR.min(total / 2).max(1);
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

/// Whether one that holds `held` may have `more` of what is `left`: not more than is left for all
/// others, and always `floor`.
pub(super) fn may_take(held: usize, more: usize, left: usize, floor: usize) -> bool {
    more <= left && held.saturating_add(more) <= left.max(floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_gets_half_and_each_that_follows_half_of_the_rest() {
        let (total, mut left) = (1024, 1024);
        let mut shares = Vec::new();
        while left > 0 {
            let mut held = 0;
            while may_take(held, 1, left, FLOOR) {
                (held, left) = (held + 1, left - 1);
            }
            shares.push(held);
        }
        assert_eq!(shares.iter().sum::<usize>(), total);
        assert_eq!(shares, [512, 256, 128, 64, 32, 16, 8, 8]);
    }

    #[test]
    fn nobody_takes_more_than_there_is() {
        assert!(!may_take(0, 2, 1, FLOOR));
        assert!(!may_take(0, 1, 0, FLOOR));
        assert!(!may_take(usize::MAX, 1, 5, FLOOR));
        assert!(may_take(FLOOR - 1, 1, 1, FLOOR));
    }
}
