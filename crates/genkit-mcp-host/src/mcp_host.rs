//! MCP host: several servers, as a program uses them.

use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;
use rmcp::model::{PromptReference, Reference};
use serde::Serialize;
use serde_json::Value;

use super::catalog::Listed;
use super::catalog::host_state::HostState;
use super::catalog::selection::{McpPrompts, McpResources, McpTools};
use super::client::McpClient;
use super::complete::Complete;
use super::config::ServerConfig;
use super::error::Error;
use super::status::ServerStatus;
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::Root;
use genkit_core::{PromptReply, Resource, ResourceContents};

/// MCP host: connections to other MCP servers. What they offer are tools, prompts and resources like any
/// other.
///
/// Servers are started at once and side by side when the host is built. One that is dead, hung or
/// lying never keeps the others from being used: it is left out, with a warning in the log, and tried
/// again. The host ends its servers when it is closed or dropped.
///
/// ```
/// use genkit::mcp::host::{McpHost, ServerConfig};
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
///     .server("sums", ServerConfig::in_process(move || sums.serve_mcp()))
///     // .server("fs", ServerConfig::stdio("npx").args(["-y", "@modelcontextprotocol/server-filesystem", "."]))
///     // .server("docs", ServerConfig::http("https://example.com/mcp"))
///     .build()?;
///
/// genkit::generate("What is 2 + 3?")
///     .model(ScriptedModel::text("5")) // or "gemini/gemini-2.5-flash", with GEMINI_API_KEY set
///     .tools(host.tools()) // live: what a server changes, the next turn sees
///     .await?;
/// assert_eq!(host.tools().await?[0].name(), "sums/add");
/// host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpHost(pub(super) Arc<HostState>);

impl McpHost {
    /// Client of the server of this key.
    ///
    /// # Errors
    /// There is none.
    pub fn client(&self, key: &str) -> Result<McpClient> {
        Ok(McpClient { catalog: self.0.catalog(key)?, _host: Arc::clone(&self.0) })
    }

    /// Clients of all servers.
    pub fn clients(&self) -> Vec<McpClient> {
        let client = |catalog| McpClient { catalog, _host: Arc::clone(&self.0) };
        self.0.catalogs().into_iter().map(client).collect()
    }

    /// Status of each server, as it is now.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.0.catalogs().iter().map(|catalog| catalog.status()).collect()
    }

    /// Notices: what was found in the configuration and is not used.
    pub fn notices(&self) -> &[String] {
        &self.0.notices
    }

    /// Waits until each server is connected or has failed once; [`status`](Self::status) tells which.
    pub async fn ready(&self) {
        join_all(self.0.catalogs().iter().map(|catalog| catalog.server.settled())).await;
    }

    /// Tools of all servers, named `key/tool`: give them to [`tools`](genkit_agent::Generate::tools) of a
    /// request, or await them for a list.
    pub fn tools(&self) -> McpTools {
        McpTools::new(&self.0)
    }

    /// Prompts of all servers, named `key/prompt`: await them for a list.
    pub fn prompts(&self) -> McpPrompts {
        McpPrompts::new(&self.0)
    }

    /// Resources of all servers, named `key/resource`: give them to
    /// [`resources`](genkit_agent::Generate::resources) of a request, or await them for a list.
    pub fn resources(&self) -> McpResources {
        McpResources::new(&self.0)
    }

    /// Registers everything of the servers in a registry, and keeps it in step: their tools,
    /// prompts and resources are in it as long as they are there, so that whatever reads the
    /// registry has them, the generate loop by name and an MCP server alike. Resolves when what is
    /// there now is in.
    ///
    /// `McpServer::host` does this for a proxy.
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
        // An error is the end of the runtime that syncs: what is in is in.
        let _ = self.0.sync(registry).wait_for(|is_in| *is_in).await;
    }

    /// Calls a tool by its name in this host, `key/tool`, with anything that serializes to an object.
    ///
    /// # Errors
    /// As [`McpClient::call_tool`], or the name names no server.
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<Value> {
        let (client, tool) = self.named("tool", name)?;
        client.call_tool(tool, arguments).await
    }

    /// Gets a prompt by its name in this host, `key/prompt`, with anything that serializes to an object.
    ///
    /// # Errors
    /// As [`McpClient::get_prompt`], or the name names no server.
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<PromptReply> {
        let (client, prompt) = self.named("prompt", name)?;
        client.get_prompt(prompt, arguments).await
    }

    /// Completion: suggestions for an argument of the prompt `key/prompt`, of which `typed` is there.
    /// See [`Complete`].
    pub fn complete(&self, name: &str, argument: &str, typed: &str) -> Complete {
        let named = self.named("prompt", name);
        let own = named.as_ref().map_or(name, |(_, own)| *own);
        let of = Reference::Prompt(PromptReference::new(own));
        Complete::new(named.map(|(client, _)| client.parts()), of, argument, typed)
    }

    /// The server that a name begins with, and the server's own name.
    fn named<'a>(&self, what: &'static str, name: &'a str) -> Result<(McpClient, &'a str)> {
        let Some((key, own)) = name.split_once('/') else {
            return Err(Error::NoServerNamed { what, name: name.to_owned() }.into());
        };
        Ok((self.client(key)?, own))
    }

    /// Reads a resource of the only server that lists the URI, or has a template for it.
    ///
    /// A URI is no name, so there is no key before it; [`McpHost::client`] reads that of one server.
    ///
    /// # Errors
    /// No server has such a resource, several have, or the one that has it fails.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        let catalogs = self.0.catalogs();
        let lists = catalogs.iter().map(|catalog| catalog.in_time::<Resource>());
        let lists = join_all(lists).await;
        let has = |resources: &[Listed<Resource>]| {
            let resources = resources.iter().map(|listed| listed.full.clone());
            !Resource::answering(resources, uri).is_empty()
        };
        let mut found = catalogs
            .into_iter()
            .zip(lists)
            .filter(|(_, list)| list.as_ref().is_ok_and(|resources| has(resources)));
        let Some((catalog, _)) = found.next() else {
            return Err(
                genkit_core::internal::action::Error::ResourceNotFound(uri.to_owned()).into()
            );
        };
        // A server that lists an address of another would read in its stead.
        if let Some((other, _)) = found.next() {
            let (server, other) = (catalog.server.key.to_string(), other.server.key.to_string());
            let uri = uri.to_owned();
            return Err(Error::ResourceOfTwo { uri, server, other }.into());
        }
        McpClient { catalog, _host: Arc::clone(&self.0) }.read_resource(uri).await
    }

    /// Starts a server that was [disabled](Self::disable).
    ///
    /// # Errors
    /// There is no such server.
    pub fn enable(&self, key: &str) -> Result<()> {
        self.client(key)?.enable();
        Ok(())
    }

    /// Ends a server's connection; nothing of it is offered any more.
    ///
    /// # Errors
    /// There is no such server.
    pub fn disable(&self, key: &str) -> Result<()> {
        self.client(key)?.disable();
        Ok(())
    }

    /// Reconnects a server: makes its connection anew, and waits for it.
    ///
    /// # Errors
    /// There is no such server, or it cannot be connected.
    pub async fn reconnect(&self, key: &str) -> Result<()> {
        self.client(key)?.reconnect().await
    }

    /// Updates the servers of the host to these: new ones are started, missing ones ended, and only
    /// those whose configuration is another are connected anew.
    ///
    /// # Errors
    /// A key is unusable, or there twice; nothing is changed then.
    pub async fn update_servers<S: Into<ServerConfig>>(
        &self,
        servers: impl IntoIterator<Item = (impl Into<String>, S)>,
    ) -> Result<()> {
        let wanted = servers.into_iter().map(|(key, server)| (key.into(), server.into()));
        self.0.update(wanted.collect()).await
    }

    /// Sets the roots (folders) that servers may work in, and tells those without roots of their own:
    /// paths, URIs, or [`Root`]s with a name.
    pub async fn set_roots(&self, roots: impl IntoIterator<Item = impl Into<Root>>) {
        self.0.settings.set_roots(roots.into_iter().map(Into::into).collect());
        let catalogs = self.0.catalogs();
        let sharing = catalogs.iter().map(|catalog| &catalog.server).filter(|s| !s.has_own_roots());
        join_all(sharing.map(|server| server.notify_roots_changed())).await;
    }

    /// Ends all connections, and the processes behind them, and waits for that.
    pub async fn close(&self) {
        join_all(self.0.catalogs().iter().map(|catalog| catalog.server.close())).await;
    }
}

impl fmt::Debug for McpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpHost").field("servers", &self.0).finish()
    }
}
