//! MCP client: one server, as a program uses it.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::catalog::Catalog;
use super::catalog::host_state::HostState;
use super::error::{Error, OfServer as _};
use super::request::methods;
use super::session::subscriptions;
use super::status::ServerStatus;
use crate::action::{Prompt, PromptReply, Resource, ResourceContents, Tool};
use crate::context::{Context, Root};
use crate::error::Result;

/// MCP client: one server, whose connection is held and made anew where it is lost.
///
/// [`McpClient::connect`] is for a program with one server;
/// [`McpHost::client`](super::McpHost::client) is one of several. Names are here those of the
/// server; the [`Tool`]s themselves are named `key/tool`.
///
/// ```standalone_crate
/// use genkit::mcp::{host::CustomServer, McpClient};
/// use genkit::tool;
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let client = McpClient::connect("sums", CustomServer::in_process(genkit::serve_mcp)).await?;
/// assert_eq!(client.tools().await?[0].name(), "sums/add");
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

    /// How it is now.
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

    /// The tools that it has now, named `key/tool`.
    ///
    /// # Errors
    /// It is not there, or does not list them.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        Ok(self.catalog.all::<Tool>().await?.to_vec())
    }

    /// The prompts that it has now, named `key/prompt`.
    ///
    /// # Errors
    /// It is not there, or does not list them.
    pub async fn prompts(&self) -> Result<Vec<Prompt>> {
        Ok(self.catalog.all::<Prompt>().await?.to_vec())
    }

    /// The resources and templates that it has now, named `key/resource`.
    ///
    /// # Errors
    /// It is not there, or does not list them.
    pub async fn resources(&self) -> Result<Vec<Resource>> {
        Ok(self.catalog.all::<Resource>().await?.to_vec())
    }

    /// Calls a tool by the server's own name for it.
    ///
    /// The result is its structured content, else its text (read as JSON where it is an object or a
    /// list), else its content as parts of a message.
    ///
    /// # Errors
    /// The tool failed, the arguments are not what it takes, or the server is not there.
    pub async fn call_tool(&self, name: &str, arguments: Value) -> Result<Value> {
        self.call_tool_in(&Context::detached(), name, arguments).await
    }

    /// [`call_tool`](Self::call_tool) for a caller: questions of the server go to the caller of `context`,
    /// and headers and `_meta` are made from it. For tools that call other tools. A caller who can be
    /// asked is asked before tools that [need it](super::StdioServer::needs_approval).
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    pub async fn call_tool_in(
        &self,
        context: &Context,
        name: &str,
        arguments: Value,
    ) -> Result<Value> {
        if self.catalog.server.config.controls.asks_before(name) && context.can_elicit() {
            context
                .confirm(format!("Allow `{}/{name}` to run with {arguments}?", self.key()))
                .await?;
        }
        let output = methods::call_tool(&self.catalog.server, context, name, arguments).await?;
        Ok(output.into_value())
    }

    /// Gets a prompt by the server's own name for it.
    ///
    /// # Errors
    /// There is no such prompt, an argument is missing, or the server is not there.
    pub async fn get_prompt(&self, name: &str, arguments: Value) -> Result<PromptReply> {
        methods::get_prompt(&self.catalog.server, &Context::detached(), name, arguments).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// There is no such resource, or the server is not there.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        methods::read_resource(&self.catalog.server, &Context::detached(), uri).await
    }

    /// Tells [`McpEvent::ResourceUpdated`](super::McpEvent::ResourceUpdated) when the resource has new
    /// content, also after a reconnection.
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

    /// Says which folders this server may work in, as `file://` URIs, and tells it.
    pub async fn set_roots(&self, uris: impl IntoIterator<Item = impl Into<String>>) {
        let roots = uris.into_iter().map(|uri| Root { uri: uri.into(), name: None });
        self.catalog.server.set_roots(roots.collect()).await;
    }

    /// The SDK's own handle of the connection as it is now, for what this library does not have.
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
