//! Servers over a custom transport.

use std::future::Future;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::transport::IntoTransport;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Controls, controls};
use crate::transport::boxed::BoxedTransport;
use crate::transport::by_identity::ByIdentity;
use crate::transport::stdio::command::MAX_LINE_BYTES;
use crate::transport::stdio::pipe::PipeTransport;
use genkit_core::BoxFuture;
use genkit_core::Result;

/// A transport over byte streams, over an rmcp transport, or to a server in this program; created by
/// [`ServerConfig::streams`](super::ServerConfig::streams), `custom_transport` of the module `genkit::mcp::rmcp`, and
/// `ServerConfig::in_process`.
///
/// ```standalone_crate
/// use genkit::mcp::host::{McpHost, ServerConfig};
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
///     .server("here", ServerConfig::in_process(genkit::serve_mcp))
///     .build()?;
/// assert_eq!(host.call_tool("here/add", json!({"a": 2, "b": 3})).await?, 5);
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a transport does nothing until a host connects to it"]
pub struct CustomTransport {
    pub(crate) factory: TransportFactory,
    pub(crate) controls: Controls,
}

/// A function that creates a transport for each new connection.
pub(crate) type TransportFactory =
    ByIdentity<dyn Fn() -> BoxFuture<'static, Result<BoxedTransport>> + Send + Sync>;

impl CustomTransport {
    /// Creates a transport over byte streams, like [`ServerConfig::streams`](super::ServerConfig::streams).
    pub fn new<R, W, F, Fut>(connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(R, W)>> + Send + 'static,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let make = move || -> BoxFuture<'static, _> {
            let streams = connect();
            Box::pin(async move {
                let (read, write) = streams.await?;
                Ok(BoxedTransport::new(PipeTransport::new("custom", read, write, MAX_LINE_BYTES)))
            })
        };
        Self { factory: ByIdentity(Arc::new(make)), controls: Controls::default() }
    }

    /// Creates a custom transport over an rmcp transport.
    pub(crate) fn over_rmcp<T, E, A, F, Fut>(connect: F) -> Self
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

controls!(CustomTransport);
