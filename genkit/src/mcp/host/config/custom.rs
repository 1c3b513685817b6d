//! A server over a transport of the program's own.

use std::future::Future;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::transport::IntoTransport;

use super::{Controls, controls};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::mcp::host::transport::boxed::BoxedTransport;
use crate::mcp::host::transport::by_identity::ByIdentity;

/// A server over a transport of the program's own, or in this very program.
///
/// ```standalone_crate
/// use genkit::mcp::{host::CustomServer, McpHost};
/// use genkit::tool;
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .server("here", CustomServer::in_process(genkit::serve_mcp))
///     .build()?;
/// assert_eq!(host.call_tool("here/add", json!({"a": 2, "b": 3})).await?, 5);
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server is connected by a host"]
pub struct CustomServer {
    pub(crate) factory: TransportFactory,
    pub(crate) controls: Controls,
}

/// Makes a transport each time that a connection is needed.
pub(crate) type TransportFactory =
    ByIdentity<dyn Fn() -> BoxFuture<'static, Result<BoxedTransport>> + Send + Sync>;

impl CustomServer {
    /// A server over what `connect` gives: any transport of rmcp, or a pair of byte streams. It is
    /// called again for each new connection.
    ///
    /// ```no_run
    /// use genkit::mcp::host::CustomServer;
    /// use tokio::net::TcpStream;
    ///
    /// let server = CustomServer::new(|| async {
    ///     Ok(TcpStream::connect("127.0.0.1:9000").await?.into_split())
    /// });
    /// # let _ = server;
    /// ```
    pub fn new<T, E, A, F, Fut>(connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
        T: IntoTransport<RoleClient, E, A> + Send + 'static,
        E: std::error::Error + Send + Sync + 'static,
        A: 'static,
    {
        let make = move || -> BoxFuture<'static, _> {
            let transport = connect();
            Box::pin(async move { Ok(BoxedTransport::new(transport.await?.into_transport())) })
        };
        Self { factory: ByIdentity(Arc::new(make)), controls: Controls::default() }
    }
}

controls!(CustomServer);
