//! In-process transport: connects an MCP host to a server in the same program.

use genkit_core::Result;
use genkit_mcp_host::InProcessServer;
use tokio::io::DuplexStream;

use super::McpServer;

impl InProcessServer for McpServer {
    fn serve_pipe(self, pipe: DuplexStream) -> Result<()> {
        self.serve_pipe(pipe)
    }
}
