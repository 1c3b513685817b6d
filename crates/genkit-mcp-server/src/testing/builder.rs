//! The builder of a test client.

use std::sync::Arc;

use rmcp::ClientServiceExt as _;
use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;
use serde_json::Value;

use super::Client;
use super::error::Error as E;
use super::handler::{TestAnswers, TestHandler};
use crate::builder::McpServer;
use genkit_core::{Result, Root};

/// The capacity of the in-memory connection in each direction, in bytes. Default is 64 KiB.
const PIPE_BYTES: usize = 64 * 1024;

impl Client {
    /// Connects to `server` with protocol version 2025-11-25 and without support for questions.
    ///
    /// # Errors
    /// Returns the same errors as [`ClientBuilder::connect`].
    pub async fn connect(server: McpServer) -> Result<Self> {
        Self::builder().connect(server).await
    }

    /// Returns a builder, for example for a client that answers questions.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }
}

/// A builder for a [`Client`], with its protocol version and its answers to questions.
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
///     .modern(true)
///     .on_elicit(|message, _schema| (message == "Who are you?").then(|| json!({"name": "Ada"})))
///     .on_sample(|_request| "Good day".into())
///     .roots(["file:///home/ada"])
///     .connect(genkit.serve_mcp())
///     .await?;
/// assert_eq!(client.call_tool("greet", json!({})).await?.text(), "Good day, Ada of 1 folder");
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `.connect(..)`"]
#[derive(Default)]
pub struct ClientBuilder {
    modern: bool,
    answers: TestAnswers,
}

impl ClientBuilder {
    /// Sets whether to use the stateless protocol of 2026-07-28. Default is `false`: 2025-11-25 with a session.
    pub fn modern(mut self, yes: bool) -> Self {
        self.modern = yes;
        self
    }

    /// Sets the function that answers elicitation. It receives the message and the schema of the form, and returns
    /// `Some(content)` to accept or `None` to decline. A confirmation is a form without fields: `Some(json!({}))` means
    /// yes, and `None` means no.
    pub fn on_elicit(
        mut self,
        answer: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.answers.elicit = Some(Box::new(answer));
        self
    }

    /// Sets the function that answers URL elicitation. It receives the message and the URL, and returns whether the
    /// user agrees to visit the page.
    pub fn on_elicit_url(
        mut self,
        answer: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.answers.visit = Some(Box::new(answer));
        self
    }

    /// Declares a protocol extension of the client, with its settings.
    pub fn extension(mut self, id: impl Into<String>, settings: Value) -> Self {
        self.answers.extensions.insert(id.into(), settings);
        self
    }

    /// Sets the function that answers sampling requests. It receives the parameters of the request, and returns the
    /// text of the model.
    pub fn on_sample(mut self, answer: impl Fn(&Value) -> String + Send + Sync + 'static) -> Self {
        self.answers.sample = Some(Box::new(answer));
        self
    }

    /// Sets the roots of the client: URIs, or [`Root`]s with a name.
    pub fn roots(mut self, roots: impl IntoIterator<Item = impl Into<Root>>) -> Self {
        self.answers.roots = Some(roots.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether the client declares MCP's extension for tasks. A call can then return a task; send requests about
    /// the task with [`peer`](super::RawClient::peer). Default is `false`.
    pub fn tasks(mut self, yes: bool) -> Self {
        self.answers.tasks = yes;
        self
    }

    /// Connects to `server`, which runs until the client is dropped.
    ///
    /// # Errors
    /// Returns an error if the server cannot start or the handshake fails.
    pub async fn connect(self, server: McpServer) -> Result<Client> {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        server.serve_pipe(theirs)?;
        let lifecycle = if self.modern {
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            }
        } else {
            ClientLifecycleMode::Initialize
        };
        let seen = Arc::default();
        let handler = TestHandler { answers: self.answers, seen: Arc::clone(&seen) };
        let connected = handler.serve_with_lifecycle(ours, lifecycle).await;
        let running = connected.map_err(|error| E::Connect(error.into()))?;
        Ok(Client { running, seen })
    }
}
