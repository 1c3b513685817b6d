//! The MCP client, a program's handle to one server.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{PromptReference, Reference, ResourceTemplateReference};
use serde::Serialize;
use serde_json::Value;

use super::catalog::host_state::HostState;
use super::catalog::{Catalog, Listable, items};
use super::complete::Complete;
use super::error::{Error, ServerErrorExt as _};
use super::lifecycle::link::DesiredState;
use super::request::methods;
use super::request::prompt_run;
use super::session::state::ListKind;
use super::session::subscriptions;
use super::status::ServerStatus;
use genkit_agent::Generate;
use genkit_core::Result;
use genkit_core::internal::action::approval_text;
use genkit_core::internal::visible;
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, Root};
use genkit_core::{Prompt, PromptReply, Resource, ResourceContents, Tool};

/// An MCP client: a connection to one server, which is re-established when it is lost.
///
/// Use [`McpClient::connect`] in a program with one server, and [`McpHost::client`](super::McpHost::client) to get the
/// client of one of several servers. A client uses the server's own names; a host prefixes them with the server's key,
/// `key/tool`.
///
/// ```standalone_crate
/// use genkit::mcp::host::{McpClient, ServerConfig};
/// use genkit::tool;
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let client = McpClient::connect("sums", ServerConfig::in_process(genkit::serve_mcp)).await?;
/// assert_eq!(client.tools().await?[0].name(), "add");
/// assert_eq!(client.call_tool("add", json!({"a": 2, "b": 3})).await?, 5);
/// client.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpClient {
    pub(super) catalog: Arc<Catalog>,
    /// Whether names start with the key of the server.
    pub(super) namespaced: bool,
    /// Keeps the host alive while one of its clients exists.
    pub(super) _host: Arc<HostState>,
}

impl McpClient {
    /// Returns the key of the server in its host.
    pub fn key(&self) -> &str {
        &self.catalog.server.key
    }

    /// Returns the current status of the connection.
    pub fn status(&self) -> ServerStatus {
        self.catalog.status()
    }

    /// Waits until the server is connected.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached; the error states the cause and a remedy.
    pub async fn ready(&self) -> Result<()> {
        self.catalog.server.wait_connected().await.map(|_| ())
    }

    /// Returns the server's current tools under the server's own names, the names that [`call_tool`](Self::call_tool)
    /// accepts.
    ///
    /// For a request that uses the tools of several servers, use [`McpHost::tools`](super::McpHost::tools), whose names
    /// are unique.
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or does not list its tools.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        self.list_items().await
    }

    /// Returns the server's current tools under names that start with the key of this client, `key/tool`, as in a
    /// [host](super::McpHost::tools). Tools of several clients can then be used in one run.
    ///
    /// ```standalone_crate
    /// use genkit::mcp::host::{McpClient, ServerConfig};
    /// use genkit::testing::ScriptedModel;
    /// use genkit::tool;
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let one = McpClient::connect("one", ServerConfig::in_process(genkit::serve_mcp)).await?;
    /// let two = McpClient::connect("two", ServerConfig::in_process(genkit::serve_mcp)).await?;
    /// let mut tools = one.namespaced_tools().await?;
    /// tools.extend(two.namespaced_tools().await?);
    /// assert_eq!((tools[0].name(), tools[1].name()), ("one/add", "two/add"));
    /// let response = genkit::generate("2 + 2?").model(ScriptedModel::text("4")).tools(tools).await?;
    /// assert_eq!(response.text(), "4");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or does not list its tools.
    pub async fn namespaced_tools(&self) -> Result<Vec<Tool>> {
        self.list_named(true).await
    }

    /// Accepts the tool definition with this fingerprint, as reported by
    /// [`McpEvent::ToolChanged`](super::McpEvent::ToolChanged). A host that [holds changed tools
    /// back](super::StdioTransport::hold_changed_tools) then offers the tool again. A call before the tools are first
    /// listed sets the fingerprint that the tool must have.
    ///
    /// ```
    /// # fn run(client: &genkit::mcp::McpClient, fingerprint: &str) {
    /// // The user has reviewed the new definition of the tool.
    /// client.accept_tool("read_file", fingerprint);
    /// # }
    /// ```
    pub fn accept_tool(&self, name: &str, fingerprint: &str) {
        let server = &self.catalog.server;
        server.pins.accept_definition(name, fingerprint, server.config.controls.hold_changed_tools);
        server.list_changed(ListKind::Tools);
    }

    /// Returns the server's current prompts under the server's own names, or under `key/name` if the client is
    /// [namespaced](super::McpClientBuilder::namespaced).
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or does not list its prompts.
    pub async fn prompts(&self) -> Result<Vec<Prompt>> {
        self.list_items().await
    }

    /// Returns the server's current resources and resource templates under the server's own names.
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or does not list its resources.
    pub async fn resources(&self) -> Result<Vec<Resource>> {
        self.list_items().await
    }

    async fn list_items<T: Listable>(&self) -> Result<Vec<T>> {
        self.list_named(self.namespaced).await
    }

    async fn list_named<T: Listable>(&self, namespaced: bool) -> Result<Vec<T>> {
        let listed = self.catalog.all_items::<T>().await?;
        let listed = listed.iter().filter(|listed| listed.bare.is_for_models());
        let named = listed.map(|listed| if namespaced { &listed.full } else { &listed.bare });
        Ok(named.cloned().collect())
    }

    /// Returns the server's own name for an item.
    fn own_name<'a>(&self, name: &'a str) -> &'a str {
        let own = name.strip_prefix(self.key()).and_then(|rest| rest.strip_prefix('/'));
        own.filter(|_| self.namespaced).unwrap_or(name)
    }

    /// Calls a tool by the server's own name for it; `arguments` must serialize to a JSON object.
    ///
    /// | the tool returns | the value is |
    /// |---|---|
    /// | structured content, alone or with text | the structured content; the text is a copy for clients that read only text |
    /// | text | the text, or its parsed value if it is a JSON object or array |
    /// | one image, audio, resource or link | that [`Part`](genkit_core::Part) |
    /// | several of these, or one of these with text or structured content | a list of parts, in order |
    ///
    /// MCP requires an object as structured content, so this library's servers and FastMCP wrap other values in an
    /// object. The wrapper is removed: the value is `5`, not `{"result": 5}`. With
    /// [`raw(true)`](super::StdioTransport::raw) the MCP result is returned unchanged.
    ///
    /// # Errors
    /// Returns an error if the tool fails, if the arguments are not an object or do not match the tool's schema, or if
    /// the server is unreachable.
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<Value> {
        self.call_tool_in(&Context::detached(), name, arguments).await
    }

    /// Calls a tool on behalf of a caller, like [`call_tool`](Self::call_tool): questions from the server go to the
    /// caller of `context`, and headers and `_meta` are created from `context`. Use this in tools that call other
    /// tools. If the caller supports questions, it must first approve calls to tools that [need
    /// approval](super::StdioTransport::needs_approval).
    ///
    /// # Errors
    /// Returns the same errors as [`call_tool`](Self::call_tool).
    pub async fn call_tool_in(
        &self,
        context: &Context,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<Value> {
        let name = self.own_name(name);
        let arguments = methods::to_json("tool", name, arguments)?;
        if self.catalog.server.config.controls.needs_approval_for(name) && context.can_elicit() {
            let shown =
                format!("{}/{}", visible::escape_line(self.key()), visible::escape_name(name));
            context.confirm(approval_text(&shown, &arguments, None)).await?;
        }
        let result = methods::call_tool(&self.catalog.server, context, name, arguments).await?;
        let is_wrapped = result.may_be_wrapped() && self.is_listed_as_wrapped(name).await;
        result.mark_wrapped(is_wrapped).into_value()
    }

    /// Returns whether the server's list declares that this tool wraps its results.
    async fn is_listed_as_wrapped(&self, name: &str) -> bool {
        match self.catalog.all_items::<Tool>().await {
            Ok(tools) => {
                tools.iter().any(|tool| tool.bare.name() == name && items::is_wrapped(&tool.bare))
            }
            Err(error) => {
                let (server, error) = (self.key(), error.chain());
                let (name, error) = (Logged::name(name), Logged::text(&error));
                tracing::warn!(server, tool = %name, %error, "cannot list the tools of the server; the result may still be wrapped in an object");
                false
            }
        }
    }

    /// Gets a prompt by the server's own name for it; `arguments` must serialize to a JSON object.
    ///
    /// # Errors
    /// Returns an error if there is no such prompt, if an argument is missing, or if the server is unreachable.
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<PromptReply> {
        let name = self.own_name(name);
        let arguments = methods::to_json("prompt", name, arguments)?;
        methods::get_prompt(&self.catalog.server, &Context::detached(), name, arguments).await
    }

    /// Creates a run that starts with a prompt of this server. `name` is the server's own name for the prompt, and
    /// `input` sets its arguments. All other options work as in any run. The server renders the prompt when the run
    /// starts.
    ///
    /// ```standalone_crate
    /// use genkit::mcp::host::{McpClient, ServerConfig};
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
    /// let client = McpClient::connect("poems", server).await?;
    /// let model = ScriptedModel::text("Drip, drop.");
    /// let run = client.prompt("poem").input(json!({"topic": "rain"})).model(model);
    /// assert_eq!(run.await?.text(), "Drip, drop.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The run fails with the errors of [`get_prompt`](Self::get_prompt).
    pub fn prompt(&self, name: &str) -> Generate {
        prompt_run::generate_from(self, self.own_name(name), name)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// Returns an error if there is no such resource, or if the server is unreachable.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        methods::read_resource(&self.catalog.server, &Context::detached(), uri).await
    }

    /// Subscribes to a resource: [`McpEvent::ResourceUpdated`](super::McpEvent::ResourceUpdated) reports each change of
    /// its content. The subscription is renewed after a reconnection.
    ///
    /// # Errors
    /// Returns an error if the server does not support subscriptions, does not have the resource, or is unreachable.
    pub async fn subscribe(&self, uri: &str) -> Result<()> {
        let connection = self.catalog.server.wait_connected().await?;
        let resources = connection.info.capabilities.resources.as_ref();
        if resources.and_then(|resources| resources.subscribe) != Some(true) {
            return Err(Error::SubscriptionsUnsupported.for_server(self.key()));
        }
        if !connection.is_stateless() {
            subscriptions::subscribe_resource(&connection, uri).await?;
        }
        self.catalog
            .server
            .client
            .subscribed
            .send_if_modified(|subscribed| subscribed.insert(uri.to_owned()));
        Ok(())
    }

    /// Ends a subscription.
    ///
    /// # Errors
    /// Returns an error if the server rejects the request or is unreachable.
    pub async fn unsubscribe(&self, uri: &str) -> Result<()> {
        if !self
            .catalog
            .server
            .client
            .subscribed
            .send_if_modified(|subscribed| subscribed.remove(uri))
        {
            return Ok(());
        }
        let connection = self.catalog.server.wait_connected().await?;
        if !connection.is_stateless() {
            subscriptions::unsubscribe_resource(&connection, uri).await?;
        }
        Ok(())
    }

    pub(super) fn catalog_and_host(&self) -> (Arc<Catalog>, Arc<HostState>) {
        (Arc::clone(&self.catalog), Arc::clone(&self._host))
    }

    /// Requests completions for an argument of a prompt; `typed` is the text entered so far. See [`Complete`].
    pub fn complete(&self, prompt: &str, argument: &str, typed: &str) -> Complete {
        let of = Reference::Prompt(PromptReference::new(self.own_name(prompt)));
        Complete::new(Ok(self.catalog_and_host()), of, argument, typed)
    }

    /// Requests completions for a variable of a resource template; `typed` is the text entered so far. See
    /// [`Complete`].
    pub fn complete_uri(&self, template: &str, variable: &str, typed: &str) -> Complete {
        let of = Reference::Resource(ResourceTemplateReference::new(template));
        Complete::new(Ok(self.catalog_and_host()), of, variable, typed)
    }

    /// Sets the roots (folders) that this server may work in: paths, URIs, or named [`Root`]s. Notifies the server.
    pub async fn set_roots(&self, roots: impl IntoIterator<Item = impl Into<Root>>) {
        self.catalog.server.set_roots(roots.into_iter().map(Into::into).collect()).await;
    }

    /// Starts the server if it was [disabled](Self::disable).
    pub fn enable(&self) {
        self.catalog.server.set_desired(DesiredState::Connected);
    }

    /// Closes the connection and stops offering the server's tools, prompts and resources until it is
    /// [enabled](Self::enable).
    pub fn disable(&self) {
        self.catalog.server.set_desired(DesiredState::Disabled);
    }

    /// Reconnects: closes the connection, opens a new one, and waits for it.
    ///
    /// # Errors
    /// Returns an error if the server cannot be connected.
    pub async fn reconnect(&self) -> Result<()> {
        let server = &self.catalog.server;
        server.set_desired(DesiredState::Connected);
        server.reset_connection().await;
        server.wait_connected().await.map(|_| ())
    }

    /// Closes the connection and stops the process behind it.
    pub async fn close(&self) {
        self.catalog.server.close_connection().await;
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.catalog.server.state();
        f.debug_struct("McpClient")
            .field("key", &self.catalog.server.key)
            .field("state", &state)
            .finish()
    }
}
