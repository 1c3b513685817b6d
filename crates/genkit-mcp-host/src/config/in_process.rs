//! A server in this program, without a process and without a port.

use std::sync::Arc;

use genkit_core::Result;
use tokio::io::DuplexStream;

use super::{CustomTransport, ServerConfig};

/// A server that a host can run in its own process, such as `McpServer`.
pub trait InProcessServer {
    /// Serves one client over `pipe`, in the background, until the client disconnects.
    ///
    /// # Errors
    /// Returns an error if the server cannot be started.
    fn serve_pipe(self, pipe: DuplexStream) -> Result<()>;
}

impl ServerConfig {
    /// Creates an in-process transport to a server in this program, without a child process or a port. `make` is called
    /// once per connection.
    ///
    /// ```standalone_crate
    /// use genkit::mcp::host::{McpClient, ServerConfig};
    /// use genkit::tool;
    /// use serde_json::json;
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let client = McpClient::connect("sums", ServerConfig::in_process(genkit::serve_mcp)).await?;
    /// assert_eq!(client.call_tool("add", json!({"a": 2, "b": 3})).await?, 5);
    /// # client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_process<S: InProcessServer>(
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> CustomTransport {
        CustomTransport::in_process(make)
    }
}

impl CustomTransport {
    /// Creates an in-process transport; see [`ServerConfig::in_process`].
    pub fn in_process<S: InProcessServer>(make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        /// The size of the pipe's buffer in each direction, in bytes.
        const PIPE_BYTES: usize = 64 * 1024;
        let make = Arc::new(make);
        Self::over_rmcp(move || {
            let make = Arc::clone(&make);
            async move {
                let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
                make().serve_pipe(theirs)?;
                Ok(ours)
            }
        })
    }
}
