//! Where what a request says before its answer goes.

use std::sync::Arc;

use bytes::Bytes;

use crate::future::BoxFuture;

/// A way to the client: the connection on stdio, the stream of a POST over HTTP.
pub(crate) trait Outward: Send + Sync {
    /// Sends one whole message, once there is room; `false` where nobody will ever read it.
    fn send(&self, message: Bytes) -> BoxFuture<'_, bool>;
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
}
