//! Where what a request says before its answer goes.

use std::sync::Arc;

use bytes::Bytes;

use genkit_core::BoxFuture;

/// A way to the client: the connection on stdio, the stream of a POST over HTTP.
pub(crate) trait Outward: Send + Sync {
    /// Sends one whole message, once there is room; `false` where nobody will ever read it.
    fn send(&self, message: Bytes) -> BoxFuture<'_, bool>;

    /// One question more, or one less, that went this way waits for its answer.
    fn waits(&self, more: bool) {
        let _ = more;
    }
}

/// A way to the client that many may hold.
#[derive(Clone)]
pub(crate) struct Outlet(Arc<dyn Outward>);

impl Outlet {
    pub(crate) fn new(way: Arc<dyn Outward>) -> Self {
        Self(way)
    }

    /// Sends one whole message, once there is room; `false` where nobody will ever read it.
    pub(crate) async fn send(&self, message: Bytes) -> bool {
        self.0.send(message).await
    }

    /// A question that goes this way waits for its answer until what is returned is dropped.
    pub(crate) fn waiting(&self) -> WaitsForAnswer<'_> {
        self.0.waits(true);
        WaitsForAnswer(&*self.0)
    }
}

/// A question that is not answered.
#[must_use = "what is dropped waits no more"]
pub(crate) struct WaitsForAnswer<'a>(&'a dyn Outward);

impl Drop for WaitsForAnswer<'_> {
    fn drop(&mut self) {
        self.0.waits(false);
    }
}
