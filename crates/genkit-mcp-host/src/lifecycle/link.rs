//! Link to a server: the state of its connection, and what is desired of it.

use std::sync::Arc;

use tokio::time::Instant;

use super::machine::LinkEvent;
use crate::session::connection::Connection;
use crate::status::ServerState;
use genkit_core::Error;

/// State of a connection, for everybody who waits for it.
#[derive(Clone)]
pub(crate) struct LinkStatus {
    pub(crate) state: ServerState,
    /// There is one where the state is connected.
    pub(super) connection: Option<Arc<Connection>>,
    /// Connections that failed in a row, and when the next is tried.
    pub(super) tries: u32,
    pub(super) retry_at: Option<Instant>,
    /// How often a connection was begun, and how often it was made.
    pub(super) attempts: u64,
    pub(super) connections: u64,
    pub(super) last_error: Option<Arc<Error>>,
    /// The connection that ended last, by its number, and the cause where it ended by itself.
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

    /// The connection, unless it has ended by now.
    pub(super) fn live_connection(&self) -> Option<Arc<Connection>> {
        let connection = self.connection.as_ref();
        connection.filter(|connection| !connection.session.ended().is_cancelled()).cloned()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DesiredState {
    Connected,
    Disabled,
    Closed,
}

impl DesiredState {
    /// What it is from the moment in which it is desired.
    pub(super) fn server_state(self) -> ServerState {
        match self {
            Self::Connected => ServerState::Connecting,
            Self::Disabled => ServerState::Disabled,
            Self::Closed => ServerState::Closed,
        }
    }
}

/// What is desired of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Desired {
    pub(super) target: DesiredState,
    pub(super) since: Instant,
    /// Grows where a connection shall be made anew.
    pub(super) resets: u64,
    /// Grows where a waiting connection shall be tried now.
    pub(super) retry_now: u64,
}

impl Desired {
    pub(super) fn is_retry_of(&self, seen: &Self) -> bool {
        (self.target, self.resets) == (seen.target, seen.resets)
    }

    /// The event that this is to whoever has seen that.
    pub(super) fn event_after(&self, seen: Option<&Self>) -> LinkEvent {
        match self.target {
            _ if seen.is_some_and(|seen| self.is_retry_of(seen)) => LinkEvent::RetryNow,
            DesiredState::Connected => LinkEvent::Start,
            DesiredState::Disabled => LinkEvent::Disable,
            DesiredState::Closed => LinkEvent::Close,
        }
    }
}
