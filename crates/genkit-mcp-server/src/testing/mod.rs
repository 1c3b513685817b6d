//! An in-memory MCP client, which tests a server without a process and without a port.

mod builder;
mod content;
mod error;
mod handler;
mod listed;
mod notification;
mod raw;
mod tool_result;

use std::sync::{Arc, Mutex};

use rmcp::RoleClient;
use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CompleteRequestParams, ErrorData, Reference,
};
use rmcp::service::{RunningService, ServiceError};
use serde::Serialize;
use serde_json::{Map, Value};

use self::error::Error as E;
use genkit_core::internal::sync::lock;
use genkit_core::{Error, PromptReply, ResourceContents, Result};

pub use builder::ClientBuilder;
pub use listed::{ListedPrompt, ListedResource, ListedResourceTemplate, ListedTool};
#[allow(deprecated, reason = "the earlier name")]
pub use notification::{Notification, Seen};
pub use raw::{RawClient, RawItem};
pub use tool_result::ToolResult;

use self::handler::TestHandler;

/// An MCP client for tests, connected to a server in memory. Its methods have the names of those of
/// [`McpClient`](genkit_mcp_host::McpClient), and use the server's own names of items.
///
/// The methods return types of this library. The traits `RawItem` and `RawClient` of the module `genkit::mcp::rmcp`
/// provide rmcp's types, and rmcp's connection handle for all other requests.
///
/// ```
/// use genkit::testing::Client;
/// use genkit::{Genkit, Registry, tool, tools};
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
/// let client = Client::connect(genkit.serve_mcp()).await?;
/// assert_eq!(client.tools().await?[0].name(), "add");
/// assert_eq!(client.call_tool("add", json!({"a": 2, "b": 40})).await?.text(), "42");
/// assert!(client.call_tool("add", json!({"a": 2})).await?.is_error());
/// # Ok(())
/// # }
/// ```
///
/// Prompts, resources and completion:
///
/// ```
/// use genkit::testing::Client;
/// use genkit::{Genkit, Registry, prompt, prompts, resource, resources};
/// use serde_json::json;
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(#[arg(complete = ["rain", "snow"])] topic: String) -> String {
///     format!("Write a poem about {topic}.")
/// }
///
/// /// A note, by number.
/// #[resource("note://{id}")]
/// async fn note(#[arg(complete = ["1", "2"])] id: u64) -> String { format!("note {id}") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let registry = Registry::new().add(prompts![poem]).add(resources![note]);
/// let client = Client::connect(Genkit::builder().registry(registry).build()?.serve_mcp()).await?;
/// assert_eq!(client.prompts().await?[0].arguments()[0].name, "topic");
/// let poem = client.get_prompt("poem", json!({"topic": "rain"})).await?;
/// assert_eq!(poem.messages()[0].text(), "Write a poem about rain.");
/// assert_eq!(client.complete("poem", "topic", "s").await?, ["snow"]);
/// assert_eq!(client.resource_templates().await?[0].uri_template(), "note://{id}");
/// assert!(client.resources().await?.is_empty()); // the notes have a template, not fixed URIs
/// assert_eq!(client.read_resource("note://7").await?[0].as_text(), Some("note 7"));
/// assert_eq!(client.complete_uri("note://{id}", "id", "").await?, ["1", "2"]);
/// assert!(client.notifications().is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Client {
    running: RunningService<RoleClient, TestHandler>,
    seen: Arc<Mutex<Vec<Notification>>>,
}

impl Client {
    /// Lists all tools, from all pages.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn tools(&self) -> Result<Vec<ListedTool>> {
        let listed = self.running.list_all_tools().await.map_err(client_error)?;
        Ok(listed.into_iter().map(ListedTool::new).collect())
    }

    /// Lists all prompts.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn prompts(&self) -> Result<Vec<ListedPrompt>> {
        let listed = self.running.list_all_prompts().await.map_err(client_error)?;
        Ok(listed.into_iter().map(ListedPrompt::new).collect())
    }

    /// Lists all resources.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn resources(&self) -> Result<Vec<ListedResource>> {
        let listed = self.running.list_all_resources().await.map_err(client_error)?;
        Ok(listed.into_iter().map(ListedResource::new).collect())
    }

    /// Lists all resource templates.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn resource_templates(&self) -> Result<Vec<ListedResourceTemplate>> {
        let listed = self.running.list_all_resource_templates().await.map_err(client_error)?;
        Ok(listed.into_iter().map(ListedResourceTemplate::new).collect())
    }

    /// Calls a tool with arguments that serialize to an object. Questions are answered as set with the builder.
    ///
    /// # Errors
    /// Returns a protocol error, for example for an unknown tool. An error from the tool itself is returned as a
    /// [`ToolResult`].
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<ToolResult> {
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = Some(to_object(arguments)?);
        self.running.call_tool(params).await.map(ToolResult::new).map_err(client_error)
    }

    /// Gets a prompt.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<PromptReply> {
        self.raw_prompt(name, to_object(arguments)?).await.map(content::prompt_reply)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        content::to_contents(self.raw_resource(uri).await?)
    }

    /// Requests completions for an argument of a prompt.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn complete(&self, prompt: &str, argument: &str, typed: &str) -> Result<Vec<String>> {
        self.suggestions(Reference::for_prompt(prompt), argument, typed).await
    }

    /// Requests completions for a variable of a resource template.
    ///
    /// # Errors
    /// Returns the error response from the server.
    pub async fn complete_uri(
        &self,
        template: &str,
        variable: &str,
        typed: &str,
    ) -> Result<Vec<String>> {
        self.suggestions(Reference::for_resource(template), variable, typed).await
    }

    async fn suggestions(&self, of: Reference, argument: &str, typed: &str) -> Result<Vec<String>> {
        let argument = ArgumentInfo::new(argument, typed);
        let params = CompleteRequestParams::new(of, argument);
        Ok(self.running.complete(params).await.map_err(client_error)?.completion.values)
    }

    /// Returns the notifications received so far.
    pub fn notifications(&self) -> Vec<Notification> {
        lock(&self.seen).clone()
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `notifications`")]
    pub fn seen(&self) -> Vec<Notification> {
        self.notifications()
    }
}

fn to_object(arguments: impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(arguments)? {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(E::ArgumentsNoObject.into()),
    }
}

fn client_error(error: ServiceError) -> Error {
    match error {
        ServiceError::McpError(ErrorData { code, message, data, .. }) => {
            E::Protocol { code: code.0, message: message.into_owned(), data }.into()
        }
        other => E::Transport(other.to_string()).into(),
    }
}
