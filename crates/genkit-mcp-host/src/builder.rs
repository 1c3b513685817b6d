//! The builder of a host, and shorthands for common cases.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use genkit_mcp_servers_file::ServersFile;
use serde_json::{Map, Value};

use super::catalog::host_state::HostState;
use super::client::McpClient;
use super::config::{Reconnect, ServerConfig, alike_keys};
use super::error::Error;
use super::event::McpEvent;
use super::input::elicit::ElicitRequest;
use super::input::sampling::Sampling;
use super::mcp_host::McpHost;
use super::settings::HostSettings;
use genkit_core::Result;
use genkit_core::internal::glob;
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, Elicited, LogLevel, Root};

/// A builder of an [`McpHost`].
///
/// ```
/// use genkit::mcp::host::{McpHost, ServerConfig};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .name("my-agent")
///     .version("1.2.0")
///     .server("fs", ServerConfig::stdio("mcp-server-filesystem").arg("/tmp").disabled(true))
///     .roots(["file:///tmp"])
///     .timeout(Duration::from_secs(30))
///     .build()?;
/// assert_eq!(host.status().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "a builder does nothing until `.build()`"]
pub struct McpHostBuilder {
    settings: HostSettings,
    servers: Vec<(String, ServerConfig)>,
    notices: Vec<String>,
    /// The environment variables that configurations may read; `None` allows all.
    variables: Option<Vec<String>>,
}

impl McpHostBuilder {
    /// Sets the name under which this program identifies itself to servers. Default is `genkit-mcp`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Sets the version that this program reports to servers. Default is `1.0.0`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// Adds a server under `key`, which prefixes the names of its tools and prompts: `key/tool`.
    pub fn server(mut self, key: impl Into<String>, server: impl Into<ServerConfig>) -> Self {
        self.servers.push((key.into(), server.into()));
        self
    }

    /// Adds several servers.
    pub fn servers<S: Into<ServerConfig>>(
        mut self,
        servers: impl IntoIterator<Item = (impl Into<String>, S)>,
    ) -> Self {
        self.servers.extend(servers.into_iter().map(|(key, server)| (key.into(), server.into())));
        self
    }

    /// Adds the servers of a configuration file (`mcpServers`) of Claude Desktop, Cursor, Claude Code or VS Code.
    /// `${VAR}` and `${VAR:-default}` are expanded. Unknown settings are logged and listed in [`McpHost::notices`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read; the error names the file, the position and the cause. A server with
    /// an invalid entry is added in the state `Failed`.
    pub fn config_file(mut self, path: impl AsRef<Path>) -> Result<Self> {
        let variables = |name: &str| self.read_variable(name);
        let file = genkit_mcp_servers_file::read_with(path.as_ref(), variables);
        let file = file.map_err(Error::File)?;
        self.add_file(file);
        Ok(self)
    }

    /// Adds the servers of a configuration (`mcpServers`) that is given as a string. Like
    /// [`config_file`](Self::config_file), but relative paths are not resolved against a folder.
    ///
    /// ```
    /// use genkit::mcp::McpHost;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let text = r#"{"mcpServers": {"fs": {"command": "mcp-server-filesystem", "disabled": true}}}"#;
    /// let host = McpHost::builder().config_json(text)?.build()?;
    /// assert_eq!(host.status()[0].server, "fs");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is not JSON or has no servers. A server with an invalid entry is added in the state
    /// `Failed`.
    pub fn config_json(mut self, text: &str) -> Result<Self> {
        let variables = |name: &str| self.read_variable(name);
        let file = genkit_mcp_servers_file::parse(text, "the configuration", variables);
        let file = file.map_err(Error::File)?;
        self.add_file(file);
        Ok(self)
    }

    /// Sets the environment variables that configurations loaded after this call may read with `${VAR}`: names, or
    /// patterns with `*`.
    /// Default is all variables.
    ///
    /// A configuration runs programs and can send the variables that it reads to any host. If the configuration comes
    /// from an untrusted folder, limit its variables here, and ask the user before you start its servers.
    ///
    /// ```
    /// use genkit::mcp::McpHost;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let text = r#"{"mcpServers": {"x": {"url": "https://example.com/?k=${SECRET:-}", "disabled": true}}}"#;
    /// let host = McpHost::builder().config_variables(["HOME", "MCP_*"]).config_json(text)?.build()?;
    /// # host.close().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn config_variables(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.variables = Some(names.into_iter().map(Into::into).collect());
        self
    }

    fn read_variable(&self, name: &str) -> Option<String> {
        let may_read = self.variables.as_ref().is_none_or(|names| glob::matches_any(names, name));
        std::env::var(name).ok().filter(|_| may_read)
    }

    fn add_file(&mut self, file: ServersFile) {
        self.servers.extend(file.servers.into_iter().map(super::config::file::server_from_entry));
        self.notices.extend(file.notices);
    }

    /// Sets the roots (folders) that servers may work in: paths, URIs, or named [`Root`]s.
    ///
    /// MCP deprecates roots (SEP-2577): they will keep working until at least 2027-07-28; new programs should pass
    /// paths as arguments or settings.
    ///
    /// ```
    /// use genkit::context::Root;
    /// use genkit::mcp::McpHost;
    /// use std::path::Path;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let host = McpHost::builder().roots(["/home/ada/project", "file:///srv/data"]).build()?;
    /// let host = McpHost::builder()
    ///     .roots([Root::from(Path::new("/home/ada/project")).with_name("The project")])
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn roots(self, roots: impl IntoIterator<Item = impl Into<Root>>) -> Self {
        self.settings.set_roots(roots.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the retry policy for lost or failed connections. Default is to retry without a limit, with delays from 0.5
    /// to 60 seconds. The configuration of a server can override the policy.
    pub fn reconnect(mut self, reconnect: Reconnect) -> Self {
        self.settings.reconnect = reconnect;
        self
    }

    /// Sets the request timeout, the longest time without a response or progress. Default is 60 seconds. Time that the
    /// user takes to answer a question does not count.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Sets the total request timeout, which applies even if the server reports progress. Default is 10 minutes.
    pub fn max_timeout(mut self, limit: Duration) -> Self {
        self.settings.max_timeout = limit;
        self
    }

    /// Sets the connect timeout, which covers starting a server and its handshake. Default is 30 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings.connect_timeout = limit;
        self
    }

    /// Sets the startup timeout: the time that a list request waits for servers that are starting or slow to respond.
    /// Default is 10 seconds. Items that arrive later appear in the next list.
    pub fn startup_timeout(mut self, limit: Duration) -> Self {
        self.settings.startup = limit;
        self
    }

    /// Sets the probe timeout, the time to wait for a server to report whether it supports the newest protocol. After
    /// this timeout, the host uses the older protocol. Default is 3 seconds.
    pub fn probe_timeout(mut self, limit: Duration) -> Self {
        self.settings.probe = limit;
        self
    }

    /// Sets the notification limit, in notifications per second; a server that exceeds it is disconnected. Default is
    /// 10,000.
    pub fn max_notifications(mut self, per_second: u32) -> Self {
        self.settings.max_notifications = per_second;
        self
    }

    /// Sets whether raw MCP results, including `content`, are returned instead of the values extracted from them.
    /// Default is `false`.
    pub fn raw(mut self, yes: bool) -> Self {
        self.settings.raw = yes;
        self
    }

    /// Makes these tools of all servers [lazy](genkit_core::Tool::is_lazy): models do not receive their definitions
    /// until they find them with a search. Names are `key/tool`, or patterns with `*`.
    ///
    /// ```
    /// use genkit::mcp::host::{McpHost, ServerConfig};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let host = McpHost::builder()
    ///     .server("github", ServerConfig::http("https://example.com/mcp").disabled(true))
    ///     .server("jira", ServerConfig::http("https://example.org/mcp").disabled(true))
    ///     .lazy(["github/*", "jira/admin_*"])
    ///     .build()?;
    /// # host.close().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn lazy(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.lazy.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets whether this program shows the pages of MCP Apps, and declares the extension
    /// `io.modelcontextprotocol/ui` to servers. [`McpHost::apps`] returns the pages of a response.
    /// Default is `false`.
    pub fn apps(mut self, yes: bool) -> Self {
        self.settings.apps = yes;
        self
    }

    /// Sets the minimum level of the log messages that servers should send. Default is the server's choice.
    ///
    /// MCP deprecates logging (SEP-2577): it will keep working until at least 2027-07-28, but new programs should read
    /// the standard error of servers instead.
    pub fn log_level(mut self, least: LogLevel) -> Self {
        self.settings.log_level = Some(least);
        self
    }

    /// Sets the elicitation handler, which answers the questions that servers ask the user.
    ///
    /// Without a handler, the question goes to the caller: a generate loop is interrupted, and a proxy forwards the
    /// question to its client. If neither is possible, the question is declined.
    pub fn on_elicit<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(ElicitRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Elicited<Value>> + Send + 'static,
    {
        self.settings.on_elicit = Some(Arc::new(move |asked| Box::pin(handler(asked))));
        self
    }

    /// Sets the model that servers may use (sampling). Default is none.
    ///
    /// MCP deprecates sampling (SEP-2577): it will keep working until at least 2027-07-28, but servers should call a
    /// model themselves instead.
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.settings.sampling = Some(sampling);
        self
    }

    /// Sets the handler of server [events](McpEvent). It is called in the order of the messages and must not block:
    /// while it runs, no more messages from that server are read.
    pub fn on_event(mut self, handler: impl Fn(&McpEvent) + Send + Sync + 'static) -> Self {
        self.settings.on_event = Some(Arc::new(handler));
        self
    }

    /// Sets a function that creates the request metadata (`_meta`) of each request from the context of its caller. For
    /// a single run, use [`RequestMeta`](super::RequestMeta).
    pub fn meta_from(
        mut self,
        make: impl Fn(&Context) -> Map<String, Value> + Send + Sync + 'static,
    ) -> Self {
        self.settings.meta_from = Some(Arc::new(make));
        self
    }

    /// Builds the host and starts all servers concurrently.
    ///
    /// # Errors
    /// Returns an error if a key is invalid or appears twice, or if the model for sampling is unknown.
    ///
    /// # Panics
    /// Panics if called outside a tokio runtime.
    pub fn build(self) -> Result<McpHost> {
        if let Some(sampling) = &self.settings.sampling {
            sampling.check_model()?;
        }
        let mut notices = self.notices;
        notices.extend(alike_keys(&self.servers));
        for notice in &notices {
            tracing::warn!("{}", Logged::text(notice));
        }
        Ok(McpHost(HostState::start_all(self.settings, self.servers, notices)?))
    }
}

impl McpHost {
    /// Returns a builder of a host.
    pub fn builder() -> McpHostBuilder {
        McpHostBuilder::default()
    }

    /// Creates a host with the servers of a configuration file of Claude Desktop, Cursor, Claude Code or VS Code; see
    /// [`McpHostBuilder::config_file`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read. A server with an invalid entry is added in the state `Failed`.
    ///
    /// # Panics
    /// Panics if called outside a tokio runtime.
    pub fn from_config_file(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder().config_file(path)?.build()
    }
}

impl McpClient {
    /// Connects to one MCP server, under `key`. A disabled server is not started until [`enable`](Self::enable) is
    /// called.
    ///
    /// Use [`McpClient::builder`] to set the name and version that this program reports, sampling, elicitation or
    /// roots.
    ///
    /// # Errors
    /// Returns an error if the server cannot be connected; the error states the cause and a remedy.
    pub async fn connect(key: impl Into<String>, server: impl Into<ServerConfig>) -> Result<Self> {
        Self::builder(key).connect(server).await
    }
}
