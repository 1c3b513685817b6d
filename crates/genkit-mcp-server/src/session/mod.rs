//! Sessions: the server's state for each connection, and notifications to clients.

mod answered_states;
mod change_notifier;
mod client;
mod connection;
mod era;
mod interest;
mod random;
mod request_state;
mod sealing_keys;
mod subscriptions;
mod visibility;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

pub(crate) use answered_states::StateNumber;
pub(crate) use change_notifier::{Notifier, Subscription};
pub(crate) use client::ClientDescription;
pub(crate) use connection::{Connection, Handshake, OpenQuestion, OpenRequest};
pub(crate) use era::Era;
pub(crate) use interest::{Interest, ListenFilter};
pub(crate) use random::random_bytes;
pub(crate) use request_state::{KeyIndex, OpenedState, StateBinding, StateSealer};
pub(crate) use sealing_keys::{KeySource, read_keys};
pub(crate) use subscriptions::{MAX_SUBSCRIPTIONS, Subscriptions};
pub(crate) use visibility::{View, Visibility};

use super::error::Error as E;
use super::quota::{QuotaGuard, SessionQuota};
use genkit_core::LogLevel;
use genkit_core::internal::context::QuestionChannel;
use genkit_core::internal::sync::lock;
use genkit_mcp::internal::spans::{Network, OpenSession, SessionEnd};

/// The minimum level of log messages for clients that do not set a level. Default is `info`.
const DEFAULT_LEVEL: LogLevel = LogLevel::Info;

/// The session of a connection in an older protocol. A request in the newer protocol has an empty session.
pub(crate) struct Session {
    quota: Arc<SessionQuota>,
    /// Identifies the channel through which the session's questions are answered.
    pub(crate) asker: QuestionChannel,
    /// The result of the handshake, and the open requests of both sides.
    pub(crate) connection: Connection,
    state: Mutex<SessionState>,
    is_initialized: AtomicBool,
    /// Counts the session against the quota until it is dropped. `None` if the session is not counted.
    _counted: Option<QuotaGuard>,
    /// Measures the session until it is dropped, if metrics are enabled.
    _measured: Option<OpenSession>,
}

struct SessionState {
    level: LogLevel,
    subscriptions: Subscriptions,
    sees: Visibility,
}

impl Session {
    /// Creates a session. `counted` is `None` for sessions that do not count against the quota: the session of a pipe,
    /// and the empty session of a request.
    pub(crate) fn new(quota: Arc<SessionQuota>, counted: Option<QuotaGuard>) -> Self {
        let subscriptions = Subscriptions::default();
        let network = match quota.client().key() {
            key if key.is_stream() => Network::Pipe,
            _ => Network::Http,
        };
        let counts = counted.is_some() || network == Network::Pipe;
        let measured =
            counts.then(|| OpenSession::start_timer(SessionEnd::Server, network)).flatten();
        Self {
            quota,
            asker: QuestionChannel::new(),
            connection: Connection::default(),
            state: Mutex::new(SessionState {
                level: DEFAULT_LEVEL,
                subscriptions,
                sees: Visibility::default(),
            }),
            is_initialized: AtomicBool::new(false),
            _counted: counted,
            _measured: measured,
        }
    }

    /// Skips the handshake, for an HTTP request that specifies its protocol version in a header.
    #[cfg(feature = "http")]
    pub(crate) fn without_handshake(mut self, version: rmcp::model::ProtocolVersion) -> Self {
        self.connection = Connection::without_handshake(version);
        self
    }

    /// Returns the quota of the session.
    pub(crate) fn quota(&self) -> &Arc<SessionQuota> {
        &self.quota
    }

    /// Records that the client is initialized; returns whether this is the first time.
    pub(crate) fn set_initialized(&self) -> bool {
        !self.is_initialized.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn level(&self) -> LogLevel {
        self.state().level
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        self.state().level = level;
    }

    /// Sets the items that the client has access to, based on the caller of the latest request.
    pub(crate) fn set_visibility(&self, sees: Visibility) {
        self.state().sees = sees;
    }

    pub(super) fn sees(&self) -> Visibility {
        self.state().sees.clone()
    }

    pub(crate) fn subscribe(&self, uri: &str) -> Result<(), E> {
        self.state().subscriptions.add(uri, &self.quota)
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    /// Runs `look` on the subscriptions while they are locked.
    pub(crate) fn with_subscriptions<T>(&self, look: impl FnOnce(&Subscriptions) -> T) -> T {
        look(&self.state().subscriptions)
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests;
