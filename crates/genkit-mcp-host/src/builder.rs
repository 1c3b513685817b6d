//! Builder of a host, and the short ways to one.

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

/// Builder of an [`McpHost`].
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
    /// Variables that files may read; all where nothing is said.
    variables: Option<Vec<String>>,
}

impl McpHostBuilder {
    /// Name of this program, as servers see it. Default is `genkit-mcp`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Version of this program, as servers see it. Default is that of this library.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// Adds a server under `key`, which comes before the names of what it offers: `key/tool`.
    pub fn server(mut self, key: impl Into<String>, server: impl Into<ServerConfig>) -> Self {
        self.servers.push((key.into(), server.into()));
        self
    }

    /// Adds servers.
    pub fn servers<S: Into<ServerConfig>>(
        mut self,
        servers: impl IntoIterator<Item = (impl Into<String>, S)>,
    ) -> Self {
        self.servers.extend(servers.into_iter().map(|(key, server)| (key.into(), server.into())));
        self
    }

    /// Adds the servers of a configuration file (`mcpServers`) of Claude Desktop, Cursor, Claude
    /// Code or VS Code. `${VAR}` and `${VAR:-default}` are replaced; what is not known is in
    /// [`McpHost::notices`] and in the log.
    ///
    /// # Errors
    /// The file cannot be read: which, where, why. A server that is written wrongly is there, and
    /// failed.
    pub fn config_file(mut self, path: impl AsRef<Path>) -> Result<Self> {
        let variables = |name: &str| self.variable(name);
        let file = genkit_mcp_servers_file::read_with(path.as_ref(), variables);
        let file = file.map_err(Error::File)?;
        self.add_file(file);
        Ok(self)
    }

    /// Adds the servers of a configuration (`mcpServers`) that is text in memory: as
    /// [`config_file`](Self::config_file), with the variables of the environment and without a folder
    /// that relative paths would be taken from.
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
    /// The text is no JSON, or has no servers. A server that is written wrongly is there, and failed.
    pub fn config_json(mut self, text: &str) -> Result<Self> {
        let variables = |name: &str| self.variable(name);
        let file = genkit_mcp_servers_file::parse(text, "the configuration", variables);
        let file = file.map_err(Error::File)?;
        self.add_file(file);
        Ok(self)
    }

    /// The variables of the environment that the configurations after it may read with `${VAR}`: names, or
    /// patterns with `*`. Default is all, as in other programs.
    ///
    /// A configuration runs programs and sends what it reads to any address in it: whoever takes one from a
    /// folder that somebody else wrote says here what it may have, and asks before it is started.
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

    fn variable(&self, name: &str) -> Option<String> {
        let may_read = self.variables.as_ref().is_none_or(|names| glob::any(names, name));
        std::env::var(name).ok().filter(|_| may_read)
    }

    fn add_file(&mut self, file: ServersFile) {
        self.servers.extend(file.servers.into_iter().map(super::config::file::server));
        self.notices.extend(file.notices);
    }

    /// The roots (folders) that servers may work in: paths, URIs, or [`Root`]s with a name.
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

    /// Reconnection: whether and when a server is connected again where it is not there. Default is
    /// for ever, with waits from 0.5 to 60 seconds; a server may have its own.
    pub fn reconnect(mut self, reconnect: Reconnect) -> Self {
        self.settings.reconnect = reconnect;
        self
    }

    /// Request timeout: how long a request may go without a sign of life: an answer or progress.
    /// Default is 60 seconds. The time in which the user answers a question does not count.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Total request timeout: how long a request may take with all signs of life. Default is 10
    /// minutes.
    pub fn max_timeout(mut self, limit: Duration) -> Self {
        self.settings.max_timeout = limit;
        self
    }

    /// Connect timeout: how long a server may take to start and to answer the handshake. Default is
    /// 30 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings.connect_timeout = limit;
        self
    }

    /// Startup timeout: how long lists wait for servers that are starting, or slow to list what they
    /// have. Default is 10 seconds; what comes later is there the next time.
    pub fn startup_timeout(mut self, limit: Duration) -> Self {
        self.settings.startup = limit;
        self
    }

    /// Probe timeout: how long a server may think about whether it knows the newest protocol before
    /// it is taken for an old one. Default is 3 seconds.
    pub fn probe_timeout(mut self, limit: Duration) -> Self {
        self.settings.probe = limit;
        self
    }

    /// Notification limit: how many notifications a server may send in a second before it is cut
    /// off. Default is 10,000.
    pub fn max_notifications(mut self, per_second: u32) -> Self {
        self.settings.max_notifications = per_second;
        self
    }

    /// Raw results: whether they come as MCP has them, `content` and all, and not as the value that
    /// they mean. Default is no.
    pub fn raw(mut self, yes: bool) -> Self {
        self.settings.raw = yes;
        self
    }

    /// Log level: how serious log messages must be to be sent. Default is what servers think.
    pub fn log_level(mut self, least: LogLevel) -> Self {
        self.settings.log_level = Some(least);
        self
    }

    /// Handler of elicitation: answers the questions of servers to the user.
    ///
    /// Without a handler the caller is asked: a generate loop is interrupted, behind a proxy the
    /// client is asked. Where nobody can be asked the question is declined.
    pub fn on_elicit<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(ElicitRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Elicited<Value>> + Send + 'static,
    {
        self.settings.on_elicit = Some(Arc::new(move |asked| Box::pin(handler(asked))));
        self
    }

    /// Sampling: a model that servers may use. Default is none.
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.settings.sampling = Some(sampling);
        self
    }

    /// Handler of [events](McpEvent) of servers. It is called in the order of the messages, and
    /// should not wait: as long as it runs nothing more of that server is read.
    pub fn on_event(mut self, handler: impl Fn(&McpEvent) + Send + Sync + 'static) -> Self {
        self.settings.on_event = Some(Arc::new(handler));
        self
    }

    /// Request metadata: makes the `_meta` of each request from the context of its caller. See
    /// [`RequestMeta`](super::RequestMeta) for a single run.
    pub fn meta_from(
        mut self,
        make: impl Fn(&Context) -> Map<String, Value> + Send + Sync + 'static,
    ) -> Self {
        self.settings.meta_from = Some(Arc::new(make));
        self
    }

    /// Builds the host, and starts all servers side by side.
    ///
    /// # Errors
    /// A key is unusable or there twice, or the model for sampling is not known.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn build(self) -> Result<McpHost> {
        if let Some(sampling) = &self.settings.sampling {
            sampling.check()?;
        }
        let mut notices = self.notices;
        notices.extend(alike_keys(&self.servers));
        for notice in &notices {
            tracing::warn!("{}", Logged::text(notice));
        }
        Ok(McpHost(HostState::start(self.settings, self.servers, notices)?))
    }
}

impl McpHost {
    /// Builder of a host.
    pub fn builder() -> McpHostBuilder {
        McpHostBuilder::default()
    }

    /// MCP host of the servers in a configuration file of Claude Desktop, Cursor, Claude Code or VS
    /// Code: see [`McpHostBuilder::config_file`].
    ///
    /// # Errors
    /// The file cannot be read. A server that is written wrongly is there, and failed.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn from_config_file(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder().config_file(path)?.build()
    }
}

impl McpClient {
    /// Connects to one MCP server, under `key`.
    ///
    /// # Errors
    /// It cannot be connected: why, and how to mend it.
    pub async fn connect(key: impl Into<String>, server: impl Into<ServerConfig>) -> Result<Self> {
        let key = key.into();
        let host = McpHost::builder().server(key.clone(), server).build()?;
        let client = host.client(&key)?;
        client.ready().await?;
        Ok(client)
    }
}
