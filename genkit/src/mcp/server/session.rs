//! What the server remembers of one connection.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

use crate::context::Level;
use crate::sync::lock;

/// How many resources one client may subscribe to. Default is 10,000.
pub(super) const MAX_SUBSCRIPTIONS: usize = 10_000;

/// The level that a client gets which did not choose one.
const DEFAULT_LEVEL: Level = Level::Info;

/// One connection of the older protocols; a request of the newer one has an empty one.
pub(super) struct Session(Mutex<State>);

struct State {
    level: Level,
    subscriptions: BTreeSet<String>,
}

impl Default for Session {
    fn default() -> Self {
        Self(Mutex::new(State { level: DEFAULT_LEVEL, subscriptions: BTreeSet::new() }))
    }
}

impl Session {
    pub(super) fn level(&self) -> Level {
        self.state().level
    }

    pub(super) fn set_level(&self, level: Level) {
        self.state().level = level;
    }

    /// Says whether there was room.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut state = self.state();
        let room = state.subscriptions.len() < MAX_SUBSCRIPTIONS;
        if room {
            state.subscriptions.insert(uri);
        }
        room
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        self.state().subscriptions.contains(uri)
    }

    pub(super) fn subscriptions(&self) -> Vec<String> {
        self.state().subscriptions.iter().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}
