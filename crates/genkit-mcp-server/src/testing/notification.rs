//! Notifications that a test client received.

use serde_json::Value;

use genkit_core::{LogLevel, Progress};

/// A notification that a test client received.
///
/// ```
/// use genkit::testing::{Client, Notification};
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
/// client.call_tool("work", json!({})).await?;
/// assert_eq!(client.notifications(), [Notification::Progress((1.0, 2.0).into())]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notification {
    /// The progress of a call.
    Progress(Progress),
    /// A log message, with its level and data.
    Log(LogLevel, Value),
    /// The list of tools changed.
    ToolsChanged,
    /// The list of prompts changed.
    PromptsChanged,
    /// The list of resources changed.
    ResourcesChanged,
    /// A subscribed resource has new content. Contains its URI.
    ResourceUpdated(String),
    /// The user has finished a URL elicitation. Contains its id.
    UrlCompleted(String),
}

#[doc(hidden)]
#[deprecated(note = "renamed to `Notification`")]
pub type Seen = Notification;
