//! The destination of messages that a request sends before its response.

use std::sync::Arc;

use bytes::Bytes;

use genkit_core::BoxFuture;

/// A destination for messages: the connection on stdio, or the stream of a POST request over HTTP.
pub(crate) trait Outward: Send + Sync {
    /// Sends one complete message, waiting for capacity. Returns `false` if the client has disconnected.
    fn send_line(&self, message: Bytes) -> BoxFuture<'_, bool>;

    /// Increments (`more`) or decrements the number of questions that wait for an answer.
    fn count_waiting(&self, more: bool) {
        let _ = more;
    }
}

/// A shared handle to an [`Outward`].
#[derive(Clone)]
pub(crate) struct Outlet(Arc<dyn Outward>);

impl Outlet {
    pub(crate) fn new(way: Arc<dyn Outward>) -> Self {
        Self(way)
    }

    /// Sends one complete message, waiting for capacity. Returns `false` if the client has disconnected.
    pub(crate) async fn send(&self, message: Bytes) -> bool {
        self.0.send_line(message).await
    }

    /// Counts a question as waiting for its answer until the guard is dropped.
    pub(crate) fn count_question(&self) -> WaitsForAnswer<'_> {
        self.0.count_waiting(true);
        WaitsForAnswer(&*self.0)
    }
}

/// A question that waits for its answer.
#[must_use = "the question is no longer counted once this guard is dropped"]
pub(crate) struct WaitsForAnswer<'a>(&'a dyn Outward);

impl Drop for WaitsForAnswer<'_> {
    fn drop(&mut self) {
        self.0.count_waiting(false);
    }
}
