//! A boxed transport; rmcp's own trait is not dyn compatible.

use std::borrow::Cow;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::DropGuard;

use genkit_core::BoxFuture;

/// Any client transport.
pub(crate) struct BoxedTransport {
    transport: Box<dyn ErasedTransport>,
    /// Cancels the work of the connection when the transport is closed or dropped.
    open: Option<DropGuard>,
}

impl BoxedTransport {
    pub(crate) fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self { transport: Box::new(transport), open: None }
    }

    /// Sets a guard that is dropped when the transport is closed or dropped.
    #[cfg_attr(not(feature = "http"), expect(unused, reason = "only HTTP needs it"))]
    pub(crate) fn cancelled_on_drop(self, open: DropGuard) -> Self {
        Self { open: Some(open), ..self }
    }
}

/// The error of a boxed transport, with the same text as its source.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BoxedTransportError(#[source] Box<dyn std::error::Error + Send + Sync>);

type SendResult = Result<(), BoxedTransportError>;

/// [`Transport`], with its futures boxed.
trait ErasedTransport: Send {
    fn send(&mut self, message: ClientJsonRpcMessage) -> BoxFuture<'static, SendResult>;
    fn receive(&mut self) -> BoxFuture<'_, Option<ServerJsonRpcMessage>>;
    fn close(&mut self) -> BoxFuture<'_, SendResult>;
}

impl<T: Transport<RoleClient>> ErasedTransport for T {
    fn send(&mut self, message: ClientJsonRpcMessage) -> BoxFuture<'static, SendResult> {
        let sending = Transport::send(self, message);
        Box::pin(async move { sending.await.map_err(|error| BoxedTransportError(error.into())) })
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<ServerJsonRpcMessage>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> BoxFuture<'_, SendResult> {
        let closing = Transport::close(self);
        Box::pin(async move { closing.await.map_err(|error| BoxedTransportError(error.into())) })
    }
}

impl Transport<RoleClient> for BoxedTransport {
    type Error = BoxedTransportError;

    fn name() -> Cow<'static, str> {
        // Appears in rmcp's errors.
        Cow::Borrowed("custom")
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = SendResult> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.transport.receive().await
    }

    async fn close(&mut self) -> SendResult {
        self.open = None;
        self.transport.close().await
    }
}
