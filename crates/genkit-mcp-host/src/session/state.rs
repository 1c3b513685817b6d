//! State of one connection, shared by its transport, its requests and the answers to the server.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::client_state::ClientState;
use super::in_flight::InFlight;
use super::message_rate::MessageRate;
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
}

/// State of one connection.
pub(crate) struct SessionState {
    pub(crate) server: Arc<str>,
    pub(crate) settings: Arc<HostSettings>,
    pub(crate) client: Arc<ClientState>,
    /// What must not be repeated of what the server is sent.
    pub(crate) redactor: Redactor,
    pub(crate) in_flight: InFlight,
    /// Questions of the server that are being answered.
    answering: AtomicUsize,
    /// How often each list has changed.
    versions: [AtomicU64; 3],
    /// Whether the server tells now when the list changes.
    announced: [AtomicBool; 3],
    rate: Mutex<MessageRate>,
    /// Requests of the server that are open, and those of the current second.
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

    /// Resolves when the connection has ended.
    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    /// Ends the connection for this cause; the first cause counts.
    pub(crate) fn end_because(&self, cause: String) {
        lock(&self.end_cause).get_or_insert(cause);
        self.end();
    }

    /// Why this side ended the connection, if it did.
    pub(crate) fn end_cause(&self) -> Option<String> {
        lock(&self.end_cause).clone()
    }

    /// Version of a list: what was read before a change is stale after it.
    pub(crate) fn list_version(&self, kind: ListKind) -> u64 {
        self.versions[kind as usize].load(Ordering::Acquire)
    }

    pub(crate) fn list_changed(&self, kind: ListKind) {
        self.versions[kind as usize].fetch_add(1, Ordering::AcqRel);
    }

    /// Whether the server tells now when this list changes.
    pub(crate) fn is_announced(&self, kind: ListKind) -> bool {
        self.announced[kind as usize].load(Ordering::Acquire)
    }

    pub(crate) fn set_announced(&self, kind: ListKind, yes: bool) {
        self.announced[kind as usize].store(yes, Ordering::Release);
    }

    /// Whether somebody here is answering the server now, or signing in: it is not the server that
    /// is slow then.
    pub(crate) fn is_answering(&self) -> bool {
        self.client.is_signing_in() || self.answering.load(Ordering::Acquire) > 0
    }

    /// Timeout that begins anew while somebody here answers the server.
    pub(crate) async fn elapsed(&self, limit: Duration) {
        loop {
            tokio::time::sleep(limit).await;
            if !self.is_answering() {
                return;
            }
        }
    }

    /// Somebody here answers the server until the guard is dropped.
    pub(crate) fn answering(&self) -> Answering<'_> {
        self.answering.fetch_add(1, Ordering::AcqRel);
        Answering(self)
    }

    /// Counts a message that the server sends by itself; one too many in a second ends the connection.
    pub(crate) fn is_within_rate(&self) -> bool {
        let limit = self.settings.max_notifications;
        let count = lock(&self.rate).count();
        if count > limit {
            self.end_because(format!("it sent more than {limit} notifications in a second"));
        }
        count <= limit
    }

    /// A place for a request of the server; none where it has too many open, or sends too many.
    pub(crate) fn request_place(&self) -> Option<SemaphorePermit<'_>> {
        let count = lock(&self.request_rate).count();
        self.asked.try_acquire().ok().filter(|_| count <= MAX_SERVER_REQUESTS_PER_SECOND)
    }
}

/// An answer in the making.
pub(crate) struct Answering<'a>(&'a SessionState);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}
