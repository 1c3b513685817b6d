//! An MCP client in memory: your server is tested without a process and without a port.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling and roots; servers of today ask for them"
)]

use std::sync::{Arc, Mutex};

use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig,
    CompleteRequestParams, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorData, GetPromptRequestParams, GetPromptResult,
    Implementation, ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
    Prompt, ProtocolVersion, ReadResourceRequestParams, ReadResourceResult, Reference, Resource,
    ResourceTemplate, ResourceUpdatedNotificationParam, Root, SamplingMessage, Tool,
};
use rmcp::service::{
    ClientLifecycleMode, NotificationContext, RequestContext, RunningService, ServiceError,
};
use rmcp::{ClientHandler, ClientServiceExt as _, RoleClient};
use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind, Result};
use crate::mcp::McpServer;
use crate::sync::lock;

/// How many bytes may be under way in one direction.
const PIPE_BYTES: usize = 64 * 1024;

type OnElicit = Box<dyn Fn(&str, &Value) -> Option<Value> + Send + Sync>;
type OnSample = Box<dyn Fn(&Value) -> String + Send + Sync>;

/// An MCP client connected to a server in memory.
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
/// assert_eq!(client.tools().await?[0].name, "add");
/// assert_eq!(client.call("add", json!({"a": 2, "b": 40})).await?.text(), "42");
/// assert!(client.call("add", json!({"a": 2})).await?.is_error());
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
/// /// A note by its number.
/// #[resource("note://{id}")]
/// async fn note(#[arg(complete = ["1", "2"])] id: u64) -> String { format!("note {id}") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let registry = Registry::new().add(prompts![poem]).add(resources![note]);
/// let client = Client::connect(Genkit::builder().registry(registry).build()?.serve_mcp()).await?;
/// assert_eq!(client.prompts().await?[0].name, "poem");
/// assert_eq!(client.prompt("poem", json!({"topic": "rain"})).await?.messages.len(), 1);
/// assert_eq!(client.complete("poem", "topic", "s").await?, ["snow"]);
/// assert_eq!(client.resource_templates().await?[0].uri_template, "note://{id}");
/// assert!(client.resources().await?.is_empty()); // it has an address for each note, no fixed one
/// assert_eq!(client.read("note://7").await?.contents.len(), 1);
/// assert_eq!(client.complete_uri("note://{id}", "id", "").await?, ["1", "2"]);
/// assert!(client.seen().is_empty());
/// assert!(client.peer().peer_info().is_some()); // the SDK's own client
/// # Ok(())
/// # }
/// ```
pub struct Client {
    running: RunningService<RoleClient, Host>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// Something that the server sent without being asked.
///
/// ```
/// use genkit::testing::{Client, Seen};
/// use genkit::{Context, Genkit, Registry, tool, tools};
/// use serde_json::json;
///
/// /// Works in two steps.
/// #[tool]
/// async fn work(ctx: &Context) {
///     ctx.progress((1.0, 2.0)).await;
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![work])).build()?;
/// let client = Client::connect(genkit.serve_mcp()).await?;
/// client.call("work", json!({})).await?;
/// assert_eq!(client.seen(), [Seen::Progress(1.0, Some(2.0), None)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Seen {
    /// How far a call is: done, total, message.
    Progress(f64, Option<f64>, Option<String>),
    /// A log message: level and data.
    Log(String, Value),
    /// The list of tools changed.
    ToolsChanged,
    /// The list of prompts changed.
    PromptsChanged,
    /// The list of resources changed.
    ResourcesChanged,
    /// A resource that was subscribed to has new content.
    ResourceUpdated(String),
}

/// A client in the making: what it can be asked, and which protocol it speaks.
///
/// ```
/// use genkit::testing::Client;
/// use genkit::{Context, Genkit, Registry, Result, tool, tools};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Name { name: String }
///
/// /// Greets the user.
/// #[tool]
/// async fn greet(ctx: &Context) -> Result<String> {
///     let folders = ctx.roots().await?.len();
///     let user = ctx.elicit::<Name>("Who are you?").await?.accepted()?;
///     let greeting = ctx.sample("A greeting?").await?.text();
///     Ok(format!("{greeting}, {} of {folders} folder", user.name))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![greet])).build()?;
/// let client = Client::builder()
///     .modern()
///     .on_elicit(|message, _schema| (message == "Who are you?").then(|| json!({"name": "Ada"})))
///     .on_sample(|_request| "Good day".into())
///     .roots(["file:///home/ada"])
///     .connect(genkit.serve_mcp())
///     .await?;
/// assert_eq!(client.call("greet", json!({})).await?.text(), "Good day, Ada of 1 folder");
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `.connect(..)`"]
#[derive(Default)]
pub struct ClientBuilder {
    modern: bool,
    elicit: Option<OnElicit>,
    sample: Option<OnSample>,
    roots: Option<Vec<String>>,
}

impl ClientBuilder {
    /// Speaks the 2026-07-28 protocol; default is 2025-11-25 with a session.
    pub fn modern(mut self) -> Self {
        self.modern = true;
        self
    }

    /// Answers forms: the content to accept with, or `None` to decline.
    pub fn on_elicit(
        mut self,
        answer: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.elicit = Some(Box::new(answer));
        self
    }

    /// Answers sampling requests: the text of the model, from the request's parameters.
    pub fn on_sample(mut self, answer: impl Fn(&Value) -> String + Send + Sync + 'static) -> Self {
        self.sample = Some(Box::new(answer));
        self
    }

    /// Tells these roots.
    pub fn roots(mut self, uris: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.roots = Some(uris.into_iter().map(Into::into).collect());
        self
    }

    /// Connects to `server`, which runs as long as the client lives.
    ///
    /// # Errors
    /// What the server would not start for, and a failed handshake.
    pub async fn connect(self, server: McpServer) -> Result<Client> {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        crate::mcp::serve_pipe(server, theirs)?;
        let lifecycle = if self.modern {
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            }
        } else {
            ClientLifecycleMode::Initialize
        };
        let seen = Arc::default();
        let host = Host { builder: self, seen: Arc::clone(&seen) };
        let running = host.serve_with_lifecycle(ours, lifecycle).await.map_err(|e| {
            Error::new(ErrorKind::Unavailable, "the client could not connect").with_source(e)
        })?;
        Ok(Client { running, seen })
    }
}

impl Client {
    /// Connects to `server` with the older protocol, able to answer nothing.
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn connect(server: McpServer) -> Result<Self> {
        Self::builder().connect(server).await
    }

    /// Begins a client that can be asked.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// All tools, page after page.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        self.running.list_all_tools().await.map_err(failed)
    }

    /// All prompts.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn prompts(&self) -> Result<Vec<Prompt>> {
        self.running.list_all_prompts().await.map_err(failed)
    }

    /// All resources.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn resources(&self) -> Result<Vec<Resource>> {
        self.running.list_all_resources().await.map_err(failed)
    }

    /// All resource templates.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>> {
        self.running.list_all_resource_templates().await.map_err(failed)
    }

    /// Calls a tool; questions are answered as the builder says.
    ///
    /// # Errors
    /// A protocol error, for example an unknown tool. A tool's own failure is an [`Answer`].
    pub async fn call(&self, name: &str, arguments: Value) -> Result<Answer> {
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = Some(object(arguments)?);
        self.running.call_tool(params).await.map(Answer).map_err(failed)
    }

    /// Gets a prompt.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn prompt(&self, name: &str, arguments: Value) -> Result<GetPromptResult> {
        let mut params = GetPromptRequestParams::new(name.to_owned());
        params.arguments = Some(object(arguments)?);
        self.running.get_prompt(params).await.map_err(failed)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn read(&self, uri: &str) -> Result<ReadResourceResult> {
        self.running.read_resource(ReadResourceRequestParams::new(uri)).await.map_err(failed)
    }

    /// Suggestions for an argument of a prompt.
    ///
    /// # Errors
    /// What the server answers with.
    pub async fn complete(&self, prompt: &str, argument: &str, typed: &str) -> Result<Vec<String>> {
        self.suggestions(Reference::for_prompt(prompt), argument, typed).await
    }

    /// Suggestions for a variable of a resource template.
    ///
    /// # Errors
    /// What the server answers with.
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
        Ok(self.running.complete(params).await.map_err(failed)?.completion.values)
    }

    /// What the server sent without being asked, so far.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.seen).clone()
    }

    /// The SDK's own client, for everything else.
    pub fn peer(&self) -> &rmcp::Peer<RoleClient> {
        &self.running
    }
}

/// What a tool answered.
///
/// ```
/// use genkit::testing::Client;
/// use genkit::{Genkit, Registry, tool, tools};
/// use serde_json::json;
///
/// /// Divides.
/// #[tool]
/// async fn divide(a: i64, b: i64) -> Result<i64, String> {
///     a.checked_div(b).ok_or("b must not be 0".into())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![divide])).build()?;
/// let client = Client::connect(genkit.serve_mcp()).await?;
/// let three = client.call("divide", json!({"a": 6, "b": 2})).await?;
/// assert_eq!((three.text().as_str(), three.is_error()), ("3", false));
/// assert!(three.structured().is_some());
/// assert_eq!(three.result().content.len(), 1);
///
/// let error = client.call("divide", json!({"a": 6, "b": 0})).await?;
/// assert!(error.is_error() && error.text().contains("b must not be 0"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(CallToolResult);

impl Answer {
    /// All its text.
    pub fn text(&self) -> String {
        self.0.content.iter().filter_map(|block| block.as_text()).map(|t| t.text.as_str()).collect()
    }

    /// Its value for programs.
    pub fn structured(&self) -> Option<&Value> {
        self.0.structured_content.as_ref()
    }

    /// Whether the tool failed.
    pub fn is_error(&self) -> bool {
        self.0.is_error == Some(true)
    }

    /// The whole result, as the SDK has it.
    pub fn result(&self) -> &CallToolResult {
        &self.0
    }
}

fn object(arguments: Value) -> Result<Map<String, Value>> {
    match arguments {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(Error::invalid_argument("arguments must be a JSON object")),
    }
}

fn failed(error: ServiceError) -> Error {
    match error {
        ServiceError::McpError(ErrorData { code, message, data, .. }) => {
            let error = Error::new(ErrorKind::Aborted, format!("{}: {message}", code.0));
            match data {
                Some(data) => error.with_details(data),
                None => error,
            }
        }
        other => Error::new(ErrorKind::Unavailable, other.to_string()),
    }
}

/// The side of the client that the server may ask and tell.
struct Host {
    builder: ClientBuilder,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Host {
    fn saw(&self, what: Seen) {
        lock(&self.seen).push(what);
    }
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.builder.elicit.is_some() {
            capabilities.elicitation = Some(Default::default());
        }
        if self.builder.sample.is_some() {
            capabilities.sampling = Some(Default::default());
        }
        if self.builder.roots.is_some() {
            capabilities.roots = Some(Default::default());
        }
        let client = Implementation::new("genkit-testing", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, client)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<ElicitResult, ErrorData> {
        let asked = serde_json::to_value(&params).unwrap_or_default();
        let message = asked["message"].as_str().unwrap_or_default();
        let answer = self.builder.elicit.as_ref();
        let content = answer.and_then(|answer| answer(message, &asked["requestedSchema"]));
        Ok(match content {
            Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<CreateMessageResult, ErrorData> {
        let asked = serde_json::to_value(&params).unwrap_or_default();
        let said = self.builder.sample.as_ref().map(|answer| answer(&asked)).unwrap_or_default();
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text(said), "testing".to_owned()))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<ListRootsResult, ErrorData> {
        let roots = self.builder.roots.iter().flatten().map(Root::new);
        Ok(ListRootsResult::new(roots.collect()))
    }

    async fn on_progress(&self, p: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.saw(Seen::Progress(p.progress, p.total, p.message));
    }

    async fn on_logging_message(
        &self,
        p: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(p.level).unwrap_or_default();
        self.saw(Seen::Log(level.as_str().unwrap_or_default().to_owned(), p.data));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.saw(Seen::ToolsChanged);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.saw(Seen::PromptsChanged);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.saw(Seen::ResourcesChanged);
    }

    async fn on_resource_updated(
        &self,
        p: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.saw(Seen::ResourceUpdated(p.uri));
    }
}
