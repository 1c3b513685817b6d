//! The quotas of a client and its sessions.

use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::book::{QuestionGuard, QuotaError, QuotaGuard, QuotaLedger};
use super::bound::Kind;
use super::holder::{Claim, Holder};
use super::slot::SlotGuard;
use crate::error::Error as E;
use crate::principal::Principal;
use genkit_core::internal::sync::TokenBucket;
use genkit_core::internal::sync::lock;

/// The number of groups that a client's sessionless requests are divided into. Default is 16.
const SESSIONLESS_SHARES: usize = 16;

/// The identity of the client that sent a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ClientKey {
    /// The principal that authentication or a layer provided.
    Principal(String),
    /// An address, created by [`ClientKey::address`].
    Address(IpAddr),
    /// An unidentified client. All such clients have the same key, and only their sessions are limited.
    Unknown,
    /// The only client of a byte stream, with the id of its principal, or an empty id without a principal.
    Stream(String),
}

impl ClientKey {
    /// Returns the key for the client of a byte stream.
    pub(crate) fn stream(principal: Option<&Principal>) -> Self {
        Self::Stream(principal.map(|who| who.id().to_owned()).unwrap_or_default())
    }

    /// Returns whether this is the only client of a byte stream.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// Returns the principal if it is known, and otherwise the address.
    pub(crate) fn known_identity(&self) -> (&str, Option<IpAddr>) {
        match self {
            Self::Principal(id) | Self::Stream(id) => (id, None),
            Self::Address(address) => ("", Some(*address)),
            Self::Unknown => ("", None),
        }
    }
}

/// The resources held by one client.
pub(crate) struct ClientQuota {
    key: ClientKey,
    book: Arc<QuotaLedger>,
    holder: Arc<Holder>,
    rate: Option<Mutex<TokenBucket>>,
    sessionless: [OnceLock<Arc<Holder>>; SESSIONLESS_SHARES],
}

/// The resources held by one session of a client, or by its requests without a session.
pub(crate) struct SessionQuota {
    client: Arc<ClientQuota>,
    holder: Arc<Holder>,
}

impl ClientQuota {
    pub(super) fn new(
        key: ClientKey,
        book: Arc<QuotaLedger>,
        per_second: Option<u32>,
    ) -> Arc<Self> {
        let rate = per_second.map(|limit| Mutex::new(TokenBucket::full(limit, Instant::now())));
        // Unidentified clients are not limited as a group, only by session.
        let shares = !(key.is_stream() || key == ClientKey::Unknown);
        let holder = Arc::new(Holder { shares, ..Holder::default() });
        let sessionless = std::array::from_fn(|_| OnceLock::new());
        Arc::new(Self { key, book, holder, rate, sessionless })
    }

    pub(crate) fn key(&self) -> &ClientKey {
        &self.key
    }

    /// Counts one request against the client's rate limit.
    pub(crate) fn count_request(&self) -> Result<(), E> {
        self.count_request_at(Instant::now())
    }

    pub(super) fn count_request_at(&self, now: Instant) -> Result<(), E> {
        let Some(rate) = &self.rate else { return Ok(()) };
        lock(rate).take_token(now).map_err(E::TooManyPerSecond)
    }

    /// Opens a session, counted until the returned [`QuotaGuard`] is dropped. Returns `None` if no more sessions can be
    /// open; see [`Quotas::client_to_evict_for`](super::Quotas::client_to_evict_for).
    pub(crate) fn open_session(self: &Arc<Self>) -> Option<(Arc<SessionQuota>, QuotaGuard)> {
        let holder = Holder { shares: self.has_several(), is_session: true, ..Holder::default() };
        let client = Arc::clone(self);
        let session = Arc::new(SessionQuota { client, holder: Arc::new(holder) });
        let counted = session.hold_amount(Kind::Session, 1, None).ok()?;
        Some((session, counted))
    }

    /// Returns the share of a request without a session. The share depends on the client's reported name, so that
    /// programs behind one address do not use up each other's share.
    pub(crate) fn open_sessionless(self: &Arc<Self>, calls_itself: &str) -> Arc<SessionQuota> {
        static SPREAD: OnceLock<RandomState> = OnceLock::new();
        let hash = SPREAD.get_or_init(RandomState::new).hash_one(calls_itself);
        let share = usize::try_from(hash % SESSIONLESS_SHARES as u64).unwrap_or_default();
        let new = || Arc::new(Holder { shares: self.has_several(), ..Holder::default() });
        let holder = Arc::clone(self.sessionless[share].get_or_init(new));
        Arc::new(SessionQuota { client: Arc::clone(self), holder })
    }

    pub(super) fn held(&self, kind: Kind) -> usize {
        self.holder.amount_held(kind)
    }

    /// Returns whether the client holds nothing.
    pub(super) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.holder) == 1
    }

    /// Returns whether the client can have more than one session.
    fn has_several(&self) -> bool {
        !self.key.is_stream()
    }
}

impl SessionQuota {
    /// Takes an in-flight slot for a function of this program, or of the server `upstream`.
    pub(crate) fn take_slot(&self, upstream: Option<&str>) -> Result<SlotGuard, E> {
        let held = self.hold_amount(Kind::Slot, 1, upstream).map_err(|full| match full {
            QuotaError::All(limit) => E::TooManyRunning(limit),
            QuotaError::Client(held) | QuotaError::Session(held) => E::TooManyClientRequests(held),
            QuotaError::Upstream(held) => {
                E::UpstreamBusy { server: upstream.unwrap_or_default().to_owned(), held }
            }
        })?;
        Ok(SlotGuard::new(held))
    }

    /// Opens a question to this client, counted until the guard is dropped.
    pub(crate) fn open_question(&self) -> Result<QuestionGuard, E> {
        self.client.book.open_question(self.new_claim(None)).map_err(|full| match full {
            QuotaError::All(limit) => E::TooManyQuestions(limit),
            QuotaError::Client(held) | QuotaError::Session(held) | QuotaError::Upstream(held) => {
                E::TooManyClientQuestions(held)
            }
        })
    }

    /// Opens a notification stream, counted until the guard is dropped.
    pub(crate) fn open_stream(&self) -> Result<QuotaGuard, E> {
        self.hold_amount(Kind::Stream, 1, None).map_err(|full| match full {
            QuotaError::All(limit) => E::TooManyStreams(limit),
            QuotaError::Client(held) | QuotaError::Session(held) | QuotaError::Upstream(held) => {
                E::TooManyClientStreams(held)
            }
        })
    }

    /// Counts text that is stored for this client, until the guard is dropped.
    pub(crate) fn count_bytes(&self, bytes: usize) -> Result<QuotaGuard, E> {
        self.hold_amount(Kind::Byte, bytes, None).map_err(|_| E::TooMuchKept)
    }

    pub(crate) fn client(&self) -> &Arc<ClientQuota> {
        &self.client
    }

    fn hold_amount(
        &self,
        kind: Kind,
        amount: usize,
        upstream: Option<&str>,
    ) -> Result<QuotaGuard, QuotaError> {
        self.client.book.take_quota(kind, amount, self.new_claim(upstream))
    }

    fn new_claim(&self, upstream: Option<&str>) -> Claim {
        Claim {
            client: Arc::clone(&self.client.holder),
            session: Arc::clone(&self.holder),
            upstream: upstream.map(|name| self.client.book.upstream(name)),
        }
    }
}
