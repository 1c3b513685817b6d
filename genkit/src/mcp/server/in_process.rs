//! A server in this program as one that a host connects to.

use std::sync::Arc;

use super::McpServer;
use super::serve::serve_pipe;
use crate::mcp::host::CustomServer;

impl CustomServer {
    /// A server of this library in this program, without a process and without a port: `make` gives
    /// one for each connection.
    pub fn in_process(make: impl Fn() -> McpServer + Send + Sync + 'static) -> Self {
        /// How much a side may write before the other reads, in bytes.
        const PIPE_BYTES: usize = 64 * 1024;
        let make = Arc::new(make);
        Self::new(move || {
            let make = Arc::clone(&make);
            async move {
                let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
                serve_pipe(make(), theirs)?;
                Ok(ours)
            }
        })
    }
}
