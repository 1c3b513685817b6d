//! One connection, as rmcp drives it, and what ends with it.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::authorized_client::AuthorizedClient;
use super::request_scope::RequestScope;
use crate::mcp::host::transport::http_client::failure::HttpFailure;

/// One connection. rmcp's worker does not see that it is dropped while it waits for an answer, so
/// that this ends its requests.
pub(crate) struct HttpTransport {
    inner: StreamableHttpClientTransport<AuthorizedClient>,
    _open: DropGuard,
    closed: CancellationToken,
    /// A sign-in that is under way ends with the last connection.
    _sign_in: Option<Arc<DropGuard>>,
}

impl HttpTransport {
    pub(crate) fn new(
        inner: StreamableHttpClientTransport<AuthorizedClient>,
        scope: &RequestScope,
        sign_in: Option<Arc<DropGuard>>,
    ) -> Self {
        let closed = scope.closed.clone();
        Self { inner, _open: closed.clone().drop_guard(), closed, _sign_in: sign_in }
    }
}

impl Transport<RoleClient> for HttpTransport {
    type Error = StreamableHttpError<HttpFailure>;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closed.cancel();
        self.inner.close().await
    }
}
