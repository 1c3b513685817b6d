//! The stream of a session for notifications of changes, which does not belong to a request.

use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::streams::EventStream;
use crate::engine::{Outward as _, notifications};
use crate::session::Subscription;
use genkit_core::internal::sync::lock;

/// The number of this stream in each session.
pub(super) const STANDALONE_NUMBER: u64 = 0;

/// The change notifications of a session, which are collected even while the client does not read them.
pub(super) struct StandaloneStream {
    /// Locked by the current reader.
    changes: tokio::sync::Mutex<Option<Subscription>>,
    arrived: Mutex<Option<Subscription>>,
    arrival: Notify,
    pub(super) stream: Arc<EventStream>,
}

impl Default for StandaloneStream {
    fn default() -> Self {
        Self {
            changes: tokio::sync::Mutex::default(),
            arrived: Mutex::default(),
            arrival: Notify::new(),
            stream: Arc::new(EventStream::with_number(STANDALONE_NUMBER)),
        }
    }
}

impl StandaloneStream {
    /// Sets the changes that the session is notified of.
    pub(super) fn set_changes(&self, changes: Subscription) {
        *lock(&self.arrived) = Some(changes);
        self.arrival.notify_one();
    }

    /// Sends the changes while the future is polled. A later call waits until the earlier one is
    /// dropped. `kept` is dropped with the future.
    pub(super) async fn send_changes(self: Arc<Self>, kept: impl Send) {
        let _kept = kept;
        let mut changes = self.changes.lock().await;
        loop {
            if let Some(arrived) = lock(&self.arrived).take() {
                *changes = Some(arrived);
            }
            let Some(changes) = &mut *changes else {
                self.arrival.notified().await;
                continue;
            };
            let change = changes.next().await;
            self.stream.send_line(notifications::encode_change(&change, None)).await;
        }
    }
}
