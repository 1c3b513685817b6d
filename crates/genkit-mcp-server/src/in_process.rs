//! In-process transport: connects an MCP host to a server in the same program.

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
