//! Custom transport: what a program connects by itself, as one type.

use std::fmt;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use crate::error::BoxError;
use crate::future::BoxFuture;

/// A transport of any type.
pub(crate) struct BoxTransport(Box<dyn ErasedTransport>);

trait ErasedTransport: Send {
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> BoxFuture<'static, Result<(), CustomError>>;
    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleClient>>>;
    fn close(&mut self) -> BoxFuture<'_, Result<(), CustomError>>;
}

impl<T: Transport<RoleClient>> ErasedTransport for T {
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> BoxFuture<'static, Result<(), CustomError>> {
        let sending = Transport::send(self, item);
        Box::pin(async move { sending.await.map_err(|error| CustomError(error.into())) })
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleClient>>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> BoxFuture<'_, Result<(), CustomError>> {
        Box::pin(async { Transport::close(self).await.map_err(|error| CustomError(error.into())) })
    }
}

impl BoxTransport {
    pub(crate) fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self(Box::new(transport))
    }
}

impl Transport<RoleClient> for BoxTransport {
    type Error = CustomError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), CustomError>> + Send + 'static {
        self.0.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.0.receive().await
    }

    async fn close(&mut self) -> Result<(), CustomError> {
        self.0.close().await
    }
}

/// The error of a custom transport.
#[derive(Debug)]
pub(crate) struct CustomError(BoxError);

impl fmt::Display for CustomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for CustomError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}
