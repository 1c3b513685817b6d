//! The state of one connection, shared by its transport, its requests and the answers to the server.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::client_state::ClientState;
use super::in_flight::InFlight;
use super::message_rate::MessageRate;
use crate::event::McpEvent;
use crate::limits::{MAX_SERVER_REQUESTS, MAX_SERVER_REQUESTS_PER_SECOND};
use crate::settings::HostSettings;
use crate::transport::redact::Redactor;
use genkit_core::internal::sync::lock;

/// The kinds of lists that a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListKind {
    Tools,
    Prompts,
    Resources,
}

impl ListKind {
    pub(crate) const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];

    /// Returns the event that reports a change of this list.
    pub(crate) fn changed_event(self, server: String) -> McpEvent {
        match self {
            Self::Tools => McpEvent::ToolsChanged { server },
            Self::Prompts => McpEvent::PromptsChanged { server },
            Self::Resources => McpEvent::ResourcesChanged { server },
        }
    }
}

/// The state of one connection.
pub(crate) struct SessionState {
    pub(crate) server: Arc<str>,
    pub(crate) settings: Arc<HostSettings>,
    pub(crate) client: Arc<ClientState>,
    /// Redacts this program's secrets in data that comes from the server.
    pub(crate) redactor: Redactor,
    pub(crate) in_flight: InFlight,
    /// How many questions from the server are being answered.
    answering: AtomicUsize,
    /// The number of times that each list has changed.
    versions: [AtomicU64; 3],
    /// Whether the server currently reports changes of the list.
    announced: [AtomicBool; 3],
    rate: Mutex<MessageRate>,
    /// Limits the open requests from the server, and the number of requests per second.
    asked: Semaphore,
    request_rate: Mutex<MessageRate>,
    end_cause: Mutex<Option<String>>,
    ended: CancellationToken,
}

impl SessionState {
    pub(crate) fn new(
        server: Arc<str>,
        settings: Arc<HostSettings>,
        client: Arc<ClientState>,
        redactor: Redactor,
    ) -> Self {
        Self {
            server,
            settings,
            client,
            redactor,
            in_flight: InFlight::default(),
            answering: AtomicUsize::new(0),
            versions: Default::default(),
            announced: Default::default(),
            rate: Mutex::default(),
            asked: Semaphore::new(MAX_SERVER_REQUESTS),
            request_rate: Mutex::default(),
            end_cause: Mutex::new(None),
            ended: CancellationToken::new(),
        }
    }

    /// Returns a token that is cancelled when the connection has ended.
    pub(crate) fn end_token(&self) -> &CancellationToken {
        &self.ended
    }

    pub(crate) fn end_session(&self) {
        self.ended.cancel();
    }

    /// Ends the connection for this cause; only the first cause is kept.
    pub(crate) fn end_because(&self, cause: String) {
        lock(&self.end_cause).get_or_insert(cause);
        self.end_session();
    }

    /// Returns why this side ended the connection, if it did.
    pub(crate) fn end_cause(&self) -> Option<String> {
        lock(&self.end_cause).clone()
    }

    /// Returns the version of a list; a list that was read at an earlier version is stale.
    pub(crate) fn list_version(&self, kind: ListKind) -> u64 {
        self.versions[kind as usize].load(Ordering::Acquire)
    }

    pub(crate) fn list_changed(&self, kind: ListKind) {
        self.versions[kind as usize].fetch_add(1, Ordering::AcqRel);
    }

    /// Returns whether the server currently reports changes of this list.
    pub(crate) fn is_announced(&self, kind: ListKind) -> bool {
        self.announced[kind as usize].load(Ordering::Acquire)
    }

    pub(crate) fn set_announced(&self, kind: ListKind, yes: bool) {
        self.announced[kind as usize].store(yes, Ordering::Release);
    }

    /// Returns whether this side is answering the server, or the user is signing in. In these cases, a missing response
    /// does not mean that the server is slow.
    pub(crate) fn is_answering(&self) -> bool {
        self.client.is_signing_in() || self.answering.load(Ordering::Acquire) > 0
    }

    /// Resolves after `limit`, which restarts while this side answers the server.
    pub(crate) async fn wait_elapsed(&self, limit: Duration) {
        loop {
            tokio::time::sleep(limit).await;
            if !self.is_answering() {
                return;
            }
        }
    }

    /// Marks this side as answering until the guard is dropped.
    pub(crate) fn begin_answer(&self) -> AnswerGuard<'_> {
        self.answering.fetch_add(1, Ordering::AcqRel);
        AnswerGuard(self)
    }

    /// Counts an unsolicited message from the server; exceeding the limit per second ends the connection.
    pub(crate) fn is_within_rate(&self) -> bool {
        let limit = self.settings.max_notifications;
        let count = lock(&self.rate).count_message();
        if count > limit {
            self.end_because(format!("it sent more than {limit} notifications in a second"));
        }
        count <= limit
    }

    /// Acquires a permit for a request from the server; returns `None` if too many are open, or were sent within a
    /// second.
    pub(crate) fn acquire_request_permit(&self) -> Option<SemaphorePermit<'_>> {
        let count = lock(&self.request_rate).count_message();
        self.asked.try_acquire().ok().filter(|_| count <= MAX_SERVER_REQUESTS_PER_SECOND)
    }
}

/// A guard that marks an answer in progress.
pub(crate) struct AnswerGuard<'a>(&'a SessionState);

impl Drop for AnswerGuard<'_> {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_a_list_is_reported_by_the_event_of_its_kind() {
        let events = ListKind::ALL.map(|kind| kind.changed_event("s".to_owned()));
        assert!(matches!(&events[0], McpEvent::ToolsChanged { server } if server == "s"));
        assert!(matches!(&events[1], McpEvent::PromptsChanged { server } if server == "s"));
        assert!(matches!(&events[2], McpEvent::ResourcesChanged { server } if server == "s"));
    }
}
