//! The MCP host, a program's handle to several servers.

use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;
use rmcp::model::{PromptReference, Reference};
use serde::Serialize;
use serde_json::Value;

use super::apps;
use super::catalog::NamedAction;
use super::catalog::host_state::HostState;
use super::catalog::selection::{McpPrompts, McpResources, McpTools};
use super::client::McpClient;
use super::complete::Complete;
use super::config::ServerConfig;
use super::error::Error;
use super::request::prompt_run;
use super::status::ServerStatus;
use genkit_agent::Generate;
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::Root;
use genkit_core::{PromptReply, Resource, ResourceContents};

/// An MCP host: connections to other MCP servers, whose tools, prompts and resources can be used like local ones.
///
/// Building the host starts all servers concurrently. A server that is unreachable, hangs or breaks the protocol does
/// not block the others: it is omitted, a warning is logged, and the host tries to reconnect. Closing or dropping the
/// host closes its connections and stops the processes that it started.
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
///     .tools(host.tools()) // live: the next turn uses the updated list
///     .await?;
/// assert_eq!(host.tools().await?[0].name(), "sums/add");
/// host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpHost(pub(super) Arc<HostState>);

impl McpHost {
    /// Returns the client of the server with this key.
    ///
    /// # Errors
    /// Returns an error if the host has no server with this key.
    pub fn client(&self, key: &str) -> Result<McpClient> {
        Ok(McpClient {
            catalog: self.0.catalog(key)?,
            namespaced: false,
            _host: Arc::clone(&self.0),
        })
    }

    /// Returns the clients of all servers.
    pub fn clients(&self) -> Vec<McpClient> {
        let client = |catalog| McpClient { catalog, namespaced: false, _host: Arc::clone(&self.0) };
        self.0.catalogs().into_iter().map(client).collect()
    }

    /// Returns the current status of each server.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.0.catalogs().iter().map(|catalog| catalog.status()).collect()
    }

    /// Returns notices about the configuration, for example about settings that were ignored.
    pub fn notices(&self) -> &[String] {
        &self.0.notices
    }

    /// Waits until each server is connected or its first attempt has failed; [`status`](Self::status) returns the
    /// outcome.
    pub async fn ready(&self) {
        join_all(self.0.catalogs().iter().map(|catalog| catalog.server.wait_until_settled())).await;
    }

    /// Returns the tools of all servers, named `key/tool`: pass them to `tools` of a request,
    /// or await them to get a list.
    pub fn tools(&self) -> McpTools {
        McpTools::new(&self.0)
    }

    /// Returns the prompts of all servers, named `key/prompt`: await them to get a list.
    pub fn prompts(&self) -> McpPrompts {
        McpPrompts::new(&self.0)
    }

    /// Returns the resources of all servers, named `key/resource`: pass them to
    /// `resources` of a request, or await them to get a list.
    pub fn resources(&self) -> McpResources {
        McpResources::new(&self.0)
    }

    /// Registers the tools, prompts and resources of all servers in a registry, and keeps the registry up to date as
    /// servers change. Users of the registry can then use them, for example the generate loop (by name) or an MCP
    /// server. Returns once all current items are registered.
    ///
    /// `McpServer::host` calls this for a proxy.
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
    /// assert_eq!(registry.tools().len(), 0); // no servers, so no tools
    /// # Ok(())
    /// # }
    /// ```
    pub async fn register_in(&self, registry: &Registry) {
        // An error means that the runtime is shutting down. Actions that are already registered stay registered.
        let _ = self.0.start_sync(registry).wait_for(|is_in| *is_in).await;
    }

    /// Calls a tool by its name in this host, `key/tool`; `arguments` must serialize to a JSON object.
    ///
    /// # Errors
    /// Returns the errors of [`McpClient::call_tool`], and an error if the name does not start with the key of a
    /// server.
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<Value> {
        let (client, tool) = self.split_name("tool", name)?;
        client.call_tool(tool, arguments).await
    }

    /// Gets a prompt by its name in this host, `key/prompt`; `arguments` must serialize to a JSON object.
    ///
    /// # Errors
    /// Returns the errors of [`McpClient::get_prompt`], and an error if the name does not start with the key of a
    /// server.
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<PromptReply> {
        let (client, prompt) = self.split_name("prompt", name)?;
        client.get_prompt(prompt, arguments).await
    }

    /// Creates a run that starts with a prompt of one of the servers. `name` is the prompt's name in this host,
    /// `key/prompt`, and `input` sets its arguments. All other options work as in any run. The server renders the
    /// prompt when the run starts.
    ///
    /// ```standalone_crate
    /// use genkit::mcp::host::{McpHost, ServerConfig};
    /// use genkit::prompt;
    /// use genkit::testing::ScriptedModel;
    /// use serde_json::json;
    ///
    /// /// Asks for a poem.
    /// #[prompt]
    /// async fn poem(topic: String) -> String { format!("Write a poem about {topic}.") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let server = ServerConfig::in_process(genkit::serve_mcp);
    /// let host = McpHost::builder().server("poems", server).build()?;
    /// let model = ScriptedModel::text("Drip, drop.");
    /// let run = host.prompt("poems/poem").input(json!({"topic": "rain"})).model(model);
    /// assert_eq!(run.await?.text(), "Drip, drop.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The run fails with the errors of [`get_prompt`](Self::get_prompt).
    pub fn prompt(&self, name: &str) -> Generate {
        match self.split_name("prompt", name) {
            Ok((client, own)) => prompt_run::generate_from(&client, own, name),
            Err(error) => prompt_run::generate_error(name, &error),
        }
    }

    /// Requests completions for an argument of the prompt `key/prompt`; `typed` is the text entered so far. See
    /// [`Complete`].
    pub fn complete(&self, name: &str, argument: &str, typed: &str) -> Complete {
        let named = self.split_name("prompt", name);
        let own = named.as_ref().map_or(name, |(_, own)| *own);
        let of = Reference::Prompt(PromptReference::new(own));
        Complete::new(named.map(|(client, _)| client.catalog_and_host()), of, argument, typed)
    }

    /// Splits a name into its server and the server's own name for the item.
    fn split_name<'a>(&self, what: &'static str, name: &'a str) -> Result<(McpClient, &'a str)> {
        let Some((key, own)) = name.split_once('/') else {
            return Err(Error::UnknownServerKey { what, name: name.to_owned() }.into());
        };
        Ok((self.client(key)?, own))
    }

    /// Reads a resource from the server that lists the URI or has a matching template.
    ///
    /// URIs do not contain a server key; use [`McpHost::client`] to read from a specific server.
    ///
    /// # Errors
    /// Returns an error if no server has the resource, if several have it, or if reading it fails.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        let catalogs = self.0.catalogs();
        let lists = catalogs.iter().map(|catalog| catalog.list_in_time::<Resource>());
        let lists = join_all(lists).await;
        let has = |resources: &[NamedAction<Resource>]| {
            let resources = resources.iter().map(|listed| listed.full.clone());
            !Resource::find_matching(resources, uri).is_empty()
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
        // Do not choose one of them: a server could list the URI of another server to receive the requests for it.
        if let Some((other, _)) = found.next() {
            let (server, other) = (catalog.server.key.to_string(), other.server.key.to_string());
            let uri = uri.to_owned();
            return Err(Error::ResourceOfTwo { uri, server, other }.into());
        }
        let own = apps::own_uri(&catalog.server.key, uri).into_owned();
        McpClient { catalog, namespaced: false, _host: Arc::clone(&self.0) }
            .read_resource(&own)
            .await
    }

    /// Starts a server that was [disabled](Self::disable).
    ///
    /// # Errors
    /// Returns an error if the host has no server with this key.
    pub fn enable(&self, key: &str) -> Result<()> {
        self.client(key)?.enable();
        Ok(())
    }

    /// Closes a server's connection and stops offering its tools, prompts and resources.
    ///
    /// # Errors
    /// Returns an error if the host has no server with this key.
    pub fn disable(&self, key: &str) -> Result<()> {
        self.client(key)?.disable();
        Ok(())
    }

    /// Reconnects a server: closes its connection, opens a new one, and waits for it.
    ///
    /// # Errors
    /// Returns an error if the host has no server with this key, or if the server cannot be connected.
    pub async fn reconnect(&self, key: &str) -> Result<()> {
        self.client(key)?.reconnect().await
    }

    /// Replaces the servers of the host: starts new servers, shuts down removed servers, and reconnects only servers
    /// whose configuration changed.
    ///
    /// # Errors
    /// Returns an error if a key is invalid or appears twice; nothing is changed in that case.
    pub async fn update_servers<S: Into<ServerConfig>>(
        &self,
        servers: impl IntoIterator<Item = (impl Into<String>, S)>,
    ) -> Result<()> {
        let wanted = servers.into_iter().map(|(key, server)| (key.into(), server.into()));
        self.0.update(wanted.collect()).await
    }

    /// Sets the roots (folders) that servers may work in: paths, URIs, or named [`Root`]s. Notifies the servers that do
    /// not have their own roots.
    pub async fn set_roots(&self, roots: impl IntoIterator<Item = impl Into<Root>>) {
        self.0.settings.set_roots(roots.into_iter().map(Into::into).collect());
        let catalogs = self.0.catalogs();
        let sharing = catalogs.iter().map(|catalog| &catalog.server).filter(|s| !s.has_own_roots());
        join_all(sharing.map(|server| server.notify_roots_changed())).await;
    }

    /// Closes all connections, stops the server processes, and waits for this to complete.
    pub async fn close(&self) {
        join_all(self.0.catalogs().iter().map(|catalog| catalog.server.close_connection())).await;
    }
}

impl fmt::Debug for McpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpHost").field("servers", &self.0).finish()
    }
}
