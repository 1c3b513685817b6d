//! A transport behind a pointer: rmcp's own trait has no such form.

use std::borrow::Cow;
use std::fmt;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;

use crate::future::BoxFuture;

/// Any transport of a client.
pub(crate) struct BoxedTransport(Box<dyn ErasedTransport>);

impl BoxedTransport {
    pub(crate) fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self(Box::new(transport))
    }
}

/// What a transport failed with: reads as its own error, and has it as its source.
#[derive(Debug)]
pub(crate) struct BoxedTransportError(Box<dyn std::error::Error + Send + Sync>);

impl fmt::Display for BoxedTransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BoxedTransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.0.as_ref())
    }
}

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
        // It stands in the text of rmcp's errors.
        Cow::Borrowed("custom")
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = SendResult> + Send + 'static {
        self.0.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.0.receive().await
    }

    async fn close(&mut self) -> SendResult {
        self.0.close().await
    }
}
