//! A server as the proxy of a host.

use super::McpServer;

impl McpServer {
    /// Makes this server a proxy: it serves the items of the host's servers in addition to the program's
    /// own.
    ///
    /// Clients see the names as `key__tool`, because many clients reject a `/`. [`only`](Self::only) and
    /// [`except`](Self::except) match `key/tool`. When an item is added to or removed from a server, it is
    /// added or removed here. Questions from these servers to their user are forwarded to the client of this server.
    ///
    /// ```no_run
    /// use genkit::mcp::McpHost;
    ///
    /// # async fn run() -> genkit::Result<()> {
    /// let host = McpHost::from_config_file("mcp.json")?;
    /// genkit::serve_mcp().name("all").host(&host).await
    /// # }
    /// ```
    pub fn host(mut self, host: &genkit_mcp_host::McpHost) -> Self {
        self.hosts.add_host(host.clone());
        self
    }
}
