//! Sessions: what the server holds for one connection, and its notifications to clients.

mod answered_states;
mod era;
mod notifier;
mod request_state;
mod subscription_streams;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

pub(crate) use era::Era;
pub(crate) use notifier::Notifier;
pub(crate) use request_state::{StateBinding, StateNumber, StateSealer};
pub(crate) use subscription_streams::SubscriptionStreams;

use crate::context::LogLevel;
use crate::sync::lock;

/// How many resources one client may subscribe to. Default is 10,000.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 10_000;

/// The least level of log messages for a client that did not set one. Default is `info`.
const DEFAULT_LEVEL: LogLevel = LogLevel::Info;

/// One connection of the older protocols; a request of the newer one has an empty one.
pub(crate) struct Session {
    state: Mutex<SessionState>,
    /// Its `subscriptions/listen` streams.
    pub(crate) streams: SubscriptionStreams,
}

struct SessionState {
    level: LogLevel,
    subscriptions: BTreeSet<String>,
}

impl Default for Session {
    fn default() -> Self {
        let state = SessionState { level: DEFAULT_LEVEL, subscriptions: BTreeSet::new() };
        Self { state: Mutex::new(state), streams: SubscriptionStreams::default() }
    }
}

impl Session {
    pub(crate) fn level(&self) -> LogLevel {
        self.state().level
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        self.state().level = level;
    }

    /// Returns whether there was room.
    pub(crate) fn subscribe(&self, uri: String) -> bool {
        let mut state = self.state();
        let room = state.subscriptions.len() < MAX_SUBSCRIPTIONS;
        if room {
            state.subscriptions.insert(uri);
        }
        room
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        self.state().subscriptions.contains(uri)
    }

    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.state().subscriptions.iter().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        lock(&self.state)
    }
}
