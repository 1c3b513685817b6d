//! A server as a proxy for the servers of a host.

use super::McpServer;

impl McpServer {
    /// Makes this server a proxy, which serves the items of the host's servers in addition to its own.
    ///
    /// Clients receive names of the form `key__tool`, because many clients reject a `/`. [`only`](Self::only) and
    /// [`except`](Self::except) match `key/tool`. When one of these servers adds or removes an item, so does the proxy.
    /// Questions from these servers to the user are forwarded to the client of this server.
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
