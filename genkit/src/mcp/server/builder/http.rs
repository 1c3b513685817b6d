//! Options of a server over streamable HTTP.

use super::McpServer;

impl McpServer {
    /// Serves streamable HTTP at `http://ADDRESS/mcp` instead of stdio, for example
    /// `.http("127.0.0.1:8000")`. Port 0 takes a free one; the log has the
    /// address ([`log_to_stderr`](crate::log_to_stderr)).
    ///
    /// ```no_run
    /// # async fn run() -> genkit::Result<()> {
    /// genkit::serve_mcp()
    ///     .http("0.0.0.0:8000")
    ///     .bearer_token("secret")
    ///     .allowed_hosts(["tools.example.com"])
    ///     .allowed_origins(["https://app.example.com"])
    ///     .stateless()
    ///     .await
    /// # }
    /// ```
    pub fn http(mut self, address: impl Into<String>) -> Self {
        self.settings.http.address = Some(address.into());
        self
    }

    /// Requires `Authorization: Bearer TOKEN` of every request. Default is to require nothing.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.settings.http.bearer = Some(token.into());
        self
    }

    /// The hosts that requests may name, with or without a port; behind a proxy that is its
    /// public name. Default is loopback: a web page that points its own name at this machine is
    /// refused.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.http.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Web pages that may call this server, for example `https://app.example.com`. The server's
    /// own origin and, for a server on loopback, loopback origins always may. Default is no other.
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.http.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Keeps no sessions for clients of the older protocols: any instance serves any request,
    /// and nothing can be asked of those clients. Default is sessions.
    pub fn stateless(mut self) -> Self {
        self.settings.http.sessions = false;
        self
    }
}
