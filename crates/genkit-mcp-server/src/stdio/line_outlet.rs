//! An outlet that writes lines to an outbox, and waits while the reader is slow.

use std::sync::Arc;

use bytes::Bytes;
use tokio::io::AsyncWrite;

use crate::engine::Outward;
use genkit_core::BoxFuture;
use genkit_mcp::internal::jsonrpc::Outbox;

pub(super) struct LineOutlet<W>(pub(super) Arc<Outbox<W>>);

impl<W: AsyncWrite + Send + Unpin> LineOutlet<W> {
    /// Sends a message and waits until the outbox has capacity. Returns `false` if the output is closed.
    pub(super) async fn send_line(&self, message: &[u8]) -> bool {
        if self.0.push_line(message).is_err() {
            return false;
        }
        self.0.flush();
        self.0.wait_for_capacity().await.is_ok()
    }
}

impl<W> Clone for LineOutlet<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: AsyncWrite + Send + Unpin> Outward for LineOutlet<W> {
    fn send_line(&self, message: Bytes) -> BoxFuture<'_, bool> {
        Box::pin(async move { self.send_line(&message).await })
    }
}
