//! Several servers, as a program uses them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::join_all;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::builder::McpHostBuilder;
use super::catalog;
use super::catalog::Offered;
use super::catalog::selection::{McpPrompts, McpResources, McpTools};
use super::catalog::sync;
use super::client::McpClient;
use super::config::ServerConfig;
use super::lifecycle::server::{Server, Want};
use super::lifecycle::supervisor;
use super::settings::Settings;
use super::status::ServerStatus;
use crate::action::{Contents, PromptReply, Resource};
use crate::context::Root;
use crate::error::{Error, ErrorKind, Result};
use crate::registry::Registry;
use crate::suggest;
use crate::sync::{lock, read, write};

/// Other MCP servers, connected and kept so; what they offer are tools, prompts and resources like any
/// other.
///
/// Servers are started at once and side by side when the host is built. One that is dead, hung or
/// lying never keeps the others from being used: it is left out, with a word in the log, and tried
/// again. The host ends its servers when it is closed or dropped.
///
/// ```
/// use genkit::mcp::{CustomServer, McpHost};
/// use genkit::testing::ScriptedModel;
/// use genkit::{Genkit, Registry, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let sums = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
/// let host = McpHost::builder()
///     .server("sums", CustomServer::in_process(move || sums.serve_mcp()))
///     // .server("fs", StdioServer::new("npx").args(["-y", "@modelcontextprotocol/server-filesystem", "."]))
///     // .server("docs", HttpServer::new("https://example.com/mcp"))
///     .build()?;
///
/// genkit::generate("What is 2 + 3?")
///     .model("offline")
///     .tools(host.tools()) // live: what a server changes, the next turn sees
///     .await?;
/// assert_eq!(host.tools().await?[0].name(), "sums/add");
/// host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpHost(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) settings: Arc<Settings>,
    servers: RwLock<Vec<Arc<Server>>>,
    notices: Vec<String>,
    /// Those that are kept in step.
    registries: Mutex<Vec<Registry>>,
    /// The last handle is gone.
    pub(crate) dropped: CancellationToken,
}

/// The tasks end by themselves, and with them the connections and the processes.
impl Drop for Inner {
    fn drop(&mut self) {
        self.dropped.cancel();
        for server in self.servers.get_mut().unwrap_or_else(PoisonError::into_inner) {
            server.want(Want::Closed);
        }
    }
}

impl McpHost {
    /// Begins a host.
    pub fn builder() -> McpHostBuilder {
        McpHostBuilder::default()
    }

    /// A host of the servers in a configuration file of Claude Desktop, Cursor, Claude Code or VS
    /// Code: see [`McpHostBuilder::config_file`].
    ///
    /// # Errors
    /// The file cannot be read. A server that is written wrongly is there, and failed.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn from_config(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder().config_file(path)?.build()
    }

    pub(crate) fn start(
        settings: Settings,
        servers: Vec<(String, ServerConfig)>,
        notices: Vec<String>,
    ) -> Self {
        let settings = Arc::new(settings);
        let started = servers.into_iter().map(|(key, config)| start(&key, config, &settings));
        let servers = RwLock::new(started.collect());
        Self(Arc::new(Inner {
            settings,
            servers,
            notices,
            registries: Mutex::default(),
            dropped: CancellationToken::new(),
        }))
    }

    pub(crate) fn servers(&self) -> Vec<Arc<Server>> {
        read(&self.0.servers).clone()
    }

    fn server(&self, key: &str) -> Result<Arc<Server>> {
        let servers = self.servers();
        servers.iter().find(|server| &*server.key == key).cloned().ok_or_else(|| {
            let keys = servers.iter().map(|server| &*server.key);
            Error::not_found(suggest::unknown("MCP server", key, keys))
        })
    }

    /// The server of this key.
    ///
    /// # Errors
    /// There is none.
    pub fn client(&self, key: &str) -> Result<McpClient> {
        Ok(McpClient { server: self.server(key)?, _host: self.clone() })
    }

    /// All servers.
    pub fn clients(&self) -> Vec<McpClient> {
        let client = |server| McpClient { server, _host: self.clone() };
        self.servers().into_iter().map(client).collect()
    }

    /// How each server is now.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.servers().iter().map(|server| server.status()).collect()
    }

    /// What was found in the configuration and is not used.
    pub fn notices(&self) -> &[String] {
        &self.0.notices
    }

    /// Waits until each server is connected or has failed once; [`status`](Self::status) says which.
    pub async fn ready(&self) {
        join_all(self.servers().iter().map(|server| server.settled())).await;
    }

    /// The tools of all servers, named `key/tool`: give them to
    /// [`tools`](crate::Generate::tools) of a request, or await them for a list.
    pub fn tools(&self) -> McpTools {
        McpTools::new(self.clone())
    }

    /// The prompts of all servers, named `key/prompt`: await them for a list.
    pub fn prompts(&self) -> McpPrompts {
        McpPrompts::new(self.clone())
    }

    /// The resources of all servers, named `key/resource`: give them to
    /// [`resources`](crate::Generate::resources) of a request, or await them for a list.
    pub fn resources(&self) -> McpResources {
        McpResources::new(self.clone())
    }

    /// Keeps a registry in step with the servers: their tools, prompts and resources are in it as
    /// long as they are there, so that whatever reads the registry has them, the generate loop by
    /// name and an MCP server alike. Resolves when what is there now is in.
    ///
    /// [`McpServer::host`](crate::mcp::McpServer::host) does this for a proxy.
    ///
    /// ```
    /// use genkit::Registry;
    /// use genkit::mcp::McpHost;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let registry = Registry::new();
    /// let host = McpHost::builder().build()?; // with servers
    /// host.register_in(&registry).await;
    /// assert_eq!(registry.tools().len(), 0); // this one has none
    /// # Ok(())
    /// # }
    /// ```
    pub async fn register_in(&self, registry: &Registry) {
        let new = {
            let mut known = lock(&self.0.registries);
            let new = !known.iter().any(|other| other.is(registry));
            if new {
                known.push(registry.clone());
            }
            new
        };
        if new {
            sync::start(self, registry).await;
        }
    }

    /// Calls a tool by its whole name, `key/tool`.
    ///
    /// # Errors
    /// As [`McpClient::call_tool`].
    pub async fn call_tool(&self, name: &str, arguments: Value) -> Result<Value> {
        let Some((key, tool)) = name.split_once('/') else {
            let said = format!("`{name}` names no server: write `key/tool`");
            return Err(Error::invalid_argument(said));
        };
        self.client(key)?.call_tool(tool, arguments).await
    }

    /// Gets a prompt of a server, by the server's own name for it.
    ///
    /// # Errors
    /// As [`McpClient::get_prompt`].
    pub async fn get_prompt(
        &self,
        server: &str,
        name: &str,
        arguments: Value,
    ) -> Result<PromptReply> {
        self.client(server)?.get_prompt(name, arguments).await
    }

    /// Reads a resource of whichever server has it: one that lists the URI, else the one whose template
    /// says most of it.
    ///
    /// # Errors
    /// No server has such a resource, or the one that has it fails.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<Contents>> {
        let servers = self.servers();
        let lists = join_all(servers.iter().map(|server| self.listed::<Resource>(server))).await;
        let mut best = None;
        for (server, list) in servers.into_iter().zip(lists) {
            let Ok(resources) = list else { continue };
            if resources.iter().any(|r| !r.is_template() && r.uri() == uri) {
                best = Some((None, server));
                break;
            }
            let found = Resource::most_specific(resources.iter().cloned(), uri);
            if let Some((resource, _)) = found {
                let rank = Some(resource.specificity());
                if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                    best = Some((rank, server));
                }
            }
        }
        let Some((_, server)) = best else { return Err(crate::action::not_found(uri)) };
        McpClient { server, _host: self.clone() }.read_resource(uri).await
    }

    /// Starts a server that was [disabled](Self::disable).
    ///
    /// # Errors
    /// There is no such server.
    pub fn enable(&self, key: &str) -> Result<()> {
        self.server(key)?.want(Want::Up);
        Ok(())
    }

    /// Ends a server's connection; nothing of it is offered any more.
    ///
    /// # Errors
    /// There is no such server.
    pub fn disable(&self, key: &str) -> Result<()> {
        self.server(key)?.want(Want::Down);
        Ok(())
    }

    /// Makes a server's connection anew, and waits for it.
    ///
    /// # Errors
    /// There is no such server, or it cannot be connected.
    pub async fn reconnect(&self, key: &str) -> Result<()> {
        let server = self.server(key)?;
        server.want(Want::Up);
        server.reset().await;
        server.connection().await.map(|_| ())
    }

    /// Makes these the servers of the host: new ones are started, missing ones ended, and only those
    /// whose configuration is another are connected anew.
    ///
    /// # Errors
    /// A key is unusable, or there twice; nothing is changed then.
    pub async fn update_servers<S: Into<ServerConfig>>(
        &self,
        servers: impl IntoIterator<Item = (impl Into<String>, S)>,
    ) -> Result<()> {
        let wanted = servers.into_iter().map(|(key, server)| (key.into(), server.into()));
        let wanted: Vec<(String, ServerConfig)> = wanted.collect();
        super::builder::check_keys(&wanted)?;
        let ended = {
            let mut now = write(&self.0.servers);
            let mut old: BTreeMap<String, Arc<Server>> =
                now.drain(..).map(|server| (server.key.to_string(), server)).collect();
            for (key, config) in wanted {
                let kept = match old.remove(&key) {
                    Some(server) if server.config == config => server,
                    other => {
                        if let Some(server) = other {
                            old.insert(key.clone(), server);
                        }
                        start(&key, config, &self.0.settings)
                    }
                };
                now.push(kept);
            }
            old
        };
        join_all(ended.values().map(|server| server.close())).await;
        Ok(())
    }

    /// Says which folders servers may work in, as `file://` URIs, and tells those without folders of their
    /// own.
    pub async fn set_roots(&self, uris: impl IntoIterator<Item = impl Into<String>>) {
        let roots = uris.into_iter().map(|uri| Root { uri: uri.into(), name: None });
        self.0.settings.set_roots(roots.collect());
        join_all(self.servers().iter().filter(|s| !s.has_own_roots()).map(|s| s.roots_changed()))
            .await;
    }

    /// Ends all connections, and the processes behind them, and waits for that.
    pub async fn close(&self) {
        join_all(self.servers().iter().map(|server| server.close())).await;
    }

    /// What one server has, as far as it may keep the others waiting. It is read to its end all the same,
    /// for the next who asks.
    pub(crate) async fn listed<T: Offered>(&self, server: &Arc<Server>) -> Result<Arc<[T]>> {
        if let Some(kept) = catalog::kept(server) {
            return Ok(kept);
        }
        if !server.is_usable() && !server.is_starting() {
            return Err(Error::new(ErrorKind::Unavailable, "it is not there"));
        }
        let startup = self.0.settings.startup;
        let slow = || {
            let said = format!("it did not say what it has within {startup:?}");
            Error::new(ErrorKind::DeadlineExceeded, said)
        };
        if server.is_slow(T::KIND) {
            return Err(slow());
        }
        let reader = Arc::clone(server);
        let reading = tokio::spawn(async move { catalog::all::<T>(&reader).await });
        match tokio::time::timeout(startup, reading).await {
            Ok(Ok(listed)) => listed,
            Ok(Err(_)) => Err(Error::new(ErrorKind::Internal, "its list could not be read")),
            Err(_) => {
                server.note_slow(T::KIND);
                Err(slow())
            }
        }
    }
}

fn start(key: &str, config: ServerConfig, settings: &Arc<Settings>) -> Arc<Server> {
    let server = Arc::new(Server::new(key, config, Arc::clone(settings)));
    tokio::spawn(supervisor::run(Arc::clone(&server)));
    server
}

impl fmt::Debug for McpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpHost").field("servers", &self.clients()).finish()
    }
}
