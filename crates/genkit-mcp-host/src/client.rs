//! MCP client: one server, as a program uses it.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{PromptReference, Reference, ResourceTemplateReference};
use serde::Serialize;
use serde_json::Value;

use super::catalog::host_state::HostState;
use super::catalog::{Catalog, Listable, items};
use super::complete::Complete;
use super::error::{Error, OfServer as _};
use super::lifecycle::link::DesiredState;
use super::request::methods;
use super::session::state::ListKind;
use super::session::subscriptions;
use super::status::ServerStatus;
use genkit_core::Result;
use genkit_core::internal::action::approval_text;
use genkit_core::internal::visible;
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, Root};
use genkit_core::{Prompt, PromptReply, Resource, ResourceContents, Tool};

/// MCP client: one server, whose connection is held and made anew where it is lost.
///
/// [`McpClient::connect`] is for a program with one server;
/// [`McpHost::client`](super::McpHost::client) is one of several. Names are here those of the
/// server itself; in a host they have its key before them, `key/tool`.
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
    /// A host lives as long as its clients.
    pub(super) _host: Arc<HostState>,
}

impl McpClient {
    /// The key of the server in its host.
    pub fn key(&self) -> &str {
        &self.catalog.server.key
    }

    /// Status of the connection, as it is now.
    pub fn status(&self) -> ServerStatus {
        self.catalog.status()
    }

    /// Waits until it is connected.
    ///
    /// # Errors
    /// It is not there: why, and how to mend it.
    pub async fn ready(&self) -> Result<()> {
        self.catalog.server.connection().await.map(|_| ())
    }

    /// Tools that it has now, named as the server names them and as [`call_tool`](Self::call_tool)
    /// takes them.
    ///
    /// A request with the tools of several servers takes those of
    /// [`McpHost::tools`](super::McpHost::tools), where no two have one name.
    ///
    /// # Errors
    /// It is not there, or does not list them.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        self.listed().await
    }

    /// Accepts a tool as it is with this fingerprint, which
    /// [`McpEvent::ToolChanged`](super::McpEvent::ToolChanged) tells: a program that
    /// [holds changed tools back](super::StdioTransport::hold_changed_tools) offers it again. Before the
    /// first list it says what the tool must be.
    ///
    /// ```
    /// # fn run(client: &genkit::mcp::McpClient, fingerprint: &str) {
    /// // Somebody has looked at what the tool is now.
    /// client.accept_tool("read_file", fingerprint);
    /// # }
    /// ```
    pub fn accept_tool(&self, name: &str, fingerprint: &str) {
        let server = &self.catalog.server;
        server.pins.accept(name, fingerprint, server.config.controls.hold_changed_tools);
        server.list_changed(ListKind::Tools);
    }

    /// Prompts that it has now, named as the server names them.
    ///
    /// # Errors
    /// It is not there, or does not list them.
    pub async fn prompts(&self) -> Result<Vec<Prompt>> {
        self.listed().await
    }

    /// Resources and resource templates that it has now, named as the server names them.
    ///
    /// # Errors
    /// It is not there, or does not list them.
    pub async fn resources(&self) -> Result<Vec<Resource>> {
        self.listed().await
    }

    async fn listed<T: Listable>(&self) -> Result<Vec<T>> {
        Ok(self.catalog.all::<T>().await?.iter().map(|listed| listed.bare.clone()).collect())
    }

    /// Calls a tool by the server's own name for it, with anything that serializes to an object.
    ///
    /// | the tool answers | the value is |
    /// |---|---|
    /// | structured content, alone or with text | the structured content; the text stands for clients that read nothing else |
    /// | text | the text; what it says, where it is a JSON object or list |
    /// | one image, sound, resource or link | that [`Part`](genkit_core::Part) |
    /// | several of these, or with text or structured content | all of them as a list of parts, in their order |
    ///
    /// What a server put into an object only because its protocol knows no others, this library's
    /// servers and FastMCP's, is taken out: `5`, not `{"result": 5}`. With
    /// [`raw(true)`](super::StdioTransport::raw) all is as MCP has it.
    ///
    /// # Errors
    /// The tool failed, the arguments are no object or not what it takes, or the server is not there.
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<Value> {
        self.call_tool_in(&Context::detached(), name, arguments).await
    }

    /// Calls a tool for a caller, as [`call_tool`](Self::call_tool) does: questions of the server go to
    /// the caller of `context`, and headers and `_meta` are made from it. For tools that call other tools.
    /// A caller who can be asked is asked before tools that [need
    /// it](super::StdioTransport::needs_approval).
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    pub async fn call_tool_in(
        &self,
        context: &Context,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<Value> {
        let arguments = methods::to_json("tool", name, arguments)?;
        if self.catalog.server.config.controls.asks_before(name) && context.can_elicit() {
            let shown = format!("{}/{}", visible::line(self.key()), visible::name(name));
            context.confirm(approval_text(&shown, &arguments, None)).await?;
        }
        let result = methods::call_tool(&self.catalog.server, context, name, arguments).await?;
        let is_wrapped = result.may_be_wrapped() && self.is_listed_as_wrapped(name).await;
        result.marked(is_wrapped).into_value()
    }

    /// Whether the list of tools says that the results of this one are in a wrapper.
    async fn is_listed_as_wrapped(&self, name: &str) -> bool {
        match self.tools().await {
            Ok(tools) => tools.iter().any(|tool| tool.name() == name && items::is_wrapped(tool)),
            Err(error) => {
                let (server, error) = (self.key(), error.chain());
                let (name, error) = (Logged::name(name), Logged::text(&error));
                tracing::warn!(server, tool = %name, %error, "a result is taken as it is");
                false
            }
        }
    }

    /// Gets a prompt by the server's own name for it, with anything that serializes to an object.
    ///
    /// # Errors
    /// There is no such prompt, an argument is missing, or the server is not there.
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<PromptReply> {
        let arguments = methods::to_json("prompt", name, arguments)?;
        methods::get_prompt(&self.catalog.server, &Context::detached(), name, arguments).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// There is no such resource, or the server is not there.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        methods::read_resource(&self.catalog.server, &Context::detached(), uri).await
    }

    /// Subscribes to a resource: [`McpEvent::ResourceUpdated`](super::McpEvent::ResourceUpdated) tells
    /// when it has new content, also after a reconnection.
    ///
    /// # Errors
    /// The server has no subscriptions, does not know the resource, or is not there.
    pub async fn subscribe(&self, uri: &str) -> Result<()> {
        let connection = self.catalog.server.connection().await?;
        let resources = connection.info.capabilities.resources.as_ref();
        if resources.and_then(|resources| resources.subscribe) != Some(true) {
            return Err(Error::NoSubscriptions.of(self.key()));
        }
        if !connection.is_stateless() {
            subscriptions::subscribe(&connection, uri).await?;
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
    /// The server refuses, or is not there.
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
        let connection = self.catalog.server.connection().await?;
        if !connection.is_stateless() {
            subscriptions::unsubscribe(&connection, uri).await?;
        }
        Ok(())
    }

    pub(super) fn parts(&self) -> (Arc<Catalog>, Arc<HostState>) {
        (Arc::clone(&self.catalog), Arc::clone(&self._host))
    }

    /// Completion: suggestions for an argument of a prompt, of which `typed` is there. See
    /// [`Complete`].
    pub fn complete(&self, prompt: &str, argument: &str, typed: &str) -> Complete {
        let of = Reference::Prompt(PromptReference::new(prompt));
        Complete::new(Ok(self.parts()), of, argument, typed)
    }

    /// Completion: suggestions for a variable of a resource template, of which `typed` is there. See
    /// [`Complete`].
    pub fn complete_uri(&self, template: &str, variable: &str, typed: &str) -> Complete {
        let of = Reference::Resource(ResourceTemplateReference::new(template));
        Complete::new(Ok(self.parts()), of, variable, typed)
    }

    /// Sets the roots (folders) that this server may work in, and tells it: paths, URIs, or [`Root`]s
    /// with a name.
    pub async fn set_roots(&self, roots: impl IntoIterator<Item = impl Into<Root>>) {
        self.catalog.server.set_roots(roots.into_iter().map(Into::into).collect()).await;
    }

    /// Starts the server if it was [disabled](Self::disable).
    pub fn enable(&self) {
        self.catalog.server.set_desired(DesiredState::Connected);
    }

    /// Ends the connection; nothing of the server is offered any more until it is
    /// [enabled](Self::enable).
    pub fn disable(&self) {
        self.catalog.server.set_desired(DesiredState::Disabled);
    }

    /// Reconnects: makes the connection anew, and waits for it.
    ///
    /// # Errors
    /// The server cannot be connected.
    pub async fn reconnect(&self) -> Result<()> {
        let server = &self.catalog.server;
        server.set_desired(DesiredState::Connected);
        server.reset().await;
        server.connection().await.map(|_| ())
    }

    /// Peer of rmcp, the SDK's own handle of the connection as it is now, for what this library
    /// does not have.
    ///
    /// # Errors
    /// The server is not there.
    pub async fn peer(&self) -> Result<rmcp::Peer<rmcp::RoleClient>> {
        Ok(self.catalog.server.connection().await?.peer.clone())
    }

    /// Ends the connection, and the process behind it.
    pub async fn close(&self) {
        self.catalog.server.close().await;
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
