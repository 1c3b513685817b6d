//! A server over a transport of the program's own.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::transport::IntoTransport;

use super::{Controls, controls};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::mcp::host::transport::custom::BoxTransport;

/// A server over a transport of the program's own, or in this very program.
///
/// ```standalone_crate
/// use genkit::mcp::{CustomServer, McpHost};
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
    pub(crate) connector: CustomConnector,
    pub(crate) controls: Controls,
}

/// Makes a connection each time that one is needed.
#[derive(Clone)]
pub(crate) struct CustomConnector(
    Arc<dyn Fn() -> BoxFuture<'static, Result<BoxTransport>> + Send + Sync>,
);

impl CustomConnector {
    pub(crate) async fn connect(&self) -> Result<BoxTransport> {
        (self.0)().await
    }
}

impl PartialEq for CustomConnector {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for CustomConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomConnector")
    }
}

impl CustomServer {
    /// A server over what `connect` gives: any transport of rmcp, or a pair of byte streams. It is
    /// called again for each new connection.
    ///
    /// ```no_run
    /// use genkit::mcp::CustomServer;
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
        let open = move || -> BoxFuture<'static, Result<BoxTransport>> {
            let connecting = connect();
            Box::pin(async move { Ok(BoxTransport::new(connecting.await?.into_transport())) })
        };
        Self { connector: CustomConnector(Arc::new(open)), controls: Controls::default() }
    }

    /// A server of this library in this program, without a process and without a port: `make` gives
    /// one for each connection.
    #[cfg(feature = "mcp-server")]
    pub fn in_process(make: impl Fn() -> crate::mcp::McpServer + Send + Sync + 'static) -> Self {
        /// How much a side may write before the other reads, in bytes.
        const PIPE_BYTES: usize = 64 * 1024;
        let make = Arc::new(make);
        Self::new(move || {
            let make = Arc::clone(&make);
            async move {
                let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
                crate::mcp::server::serve_pipe(make(), theirs)?;
                Ok(ours)
            }
        })
    }
}

controls!(CustomServer);
