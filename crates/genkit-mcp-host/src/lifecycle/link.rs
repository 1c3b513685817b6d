//! The link to a server: the state of its connection, and its desired state.

use std::sync::Arc;

use tokio::time::Instant;

use super::machine::LinkEvent;
use crate::session::connection::Connection;
use crate::status::ServerState;
use genkit_core::Error;

/// The state of a connection, for all tasks that wait for it.
#[derive(Clone)]
pub(crate) struct LinkStatus {
    pub(crate) state: ServerState,
    /// Present if the state is connected.
    pub(super) connection: Option<Arc<Connection>>,
    /// How many connections failed in a row, and when the next attempt starts.
    pub(super) tries: u32,
    pub(super) retry_at: Option<Instant>,
    /// How many connections were attempted, and how many were established.
    pub(super) attempts: u64,
    pub(super) connections: u64,
    pub(super) last_error: Option<Arc<Error>>,
    /// The number of the connection that ended last, and the cause if it ended on its own.
    pub(super) last_end: Option<(u64, Option<Arc<Error>>)>,
}

impl LinkStatus {
    pub(super) fn new(target: DesiredState) -> Self {
        Self {
            state: target.server_state(),
            connection: None,
            tries: 0,
            retry_at: None,
            attempts: 0,
            connections: 0,
            last_error: None,
            last_end: None,
        }
    }

    /// Returns the connection, unless it has ended.
    pub(super) fn live_connection(&self) -> Option<Arc<Connection>> {
        let connection = self.connection.as_ref();
        connection.filter(|connection| !connection.session.end_token().is_cancelled()).cloned()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DesiredState {
    Connected,
    Disabled,
    Closed,
}

impl DesiredState {
    /// Returns the state that is published when this state is requested.
    pub(super) fn server_state(self) -> ServerState {
        match self {
            Self::Connected => ServerState::Connecting,
            Self::Disabled => ServerState::Disabled,
            Self::Closed => ServerState::Closed,
        }
    }
}

/// The desired state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DesiredLink {
    pub(super) target: DesiredState,
    pub(super) since: Instant,
    /// Incremented to request a new connection.
    pub(super) resets: u64,
    /// Incremented to end the delay before the next attempt.
    pub(super) retry_now: u64,
}

impl DesiredLink {
    pub(super) fn has_same_target(&self, seen: &Self) -> bool {
        (self.target, self.resets) == (seen.target, seen.resets)
    }

    /// Returns the event for the change from `seen` to this state.
    pub(super) fn event_after(&self, seen: Option<&Self>) -> LinkEvent {
        match self.target {
            _ if seen.is_some_and(|seen| self.has_same_target(seen)) => LinkEvent::RetryNow,
            DesiredState::Connected => LinkEvent::Start,
            DesiredState::Disabled => LinkEvent::Disable,
            DesiredState::Closed => LinkEvent::Close,
        }
    }
}
