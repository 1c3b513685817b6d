//! A server in this program as one that a host connects to.

use genkit_core::Result;
use genkit_mcp_host::InProcessServer;
use tokio::io::DuplexStream;

use super::McpServer;
use super::serve::serve_pipe;

impl InProcessServer for McpServer {
    fn serve_pipe(self, pipe: DuplexStream) -> Result<()> {
        serve_pipe(self, pipe)
    }
}
