//! The interface of the generate loop that this crate calls. `genkit-agent` registers the loop at link time.

use std::future::IntoFuture;

use super::data::GenerateResponse;
use super::error::Error as E;
use super::outcome::ToolOutcome;
use super::tool_invocation::ToolInvocation;
use super::tool_ref::{IntoTools, ToolRef};
use crate::error::Result;
use crate::future::BoxFuture;

/// The part of the generate loop that runs tools.
pub trait ToolRunner: Sync {
    /// Runs one call.
    fn call_tool(&self, call: ToolInvocation) -> BoxFuture<'static, Result<ToolOutcome>>;

    /// Runs all tool calls that a response requests.
    fn run_tools(
        &self,
        tools: Vec<ToolRef>,
        response: GenerateResponse,
    ) -> BoxFuture<'static, Result<GenerateResponse>>;
}

/// The runner that a crate registers with `inventory`.
pub struct LinkedRunner(pub &'static dyn ToolRunner);

inventory::collect!(LinkedRunner);

/// Returns the runner of this program.
///
/// # Errors
/// Returns an error if no crate with a runner is linked.
pub fn linked_runner() -> Result<&'static dyn ToolRunner> {
    let linked = inventory::iter::<LinkedRunner>.into_iter().next();
    linked.map(|linked| linked.0).ok_or_else(|| E::GenerateNotLinked.into())
}

impl GenerateResponse {
    /// Runs the tool calls of this response without the agent loop, and returns the conversation with the tool
    /// responses. Use it for responses of runs with `return_tool_requests`.
    ///
    /// `tools` is anything that `Generate::tools` accepts: `tools![..]`, values, names, or the tools of an MCP host. A
    /// failed call becomes a tool response that describes the error for the model. If a tool asks a question, the
    /// response is [interrupted](Self::is_interrupted) like the response of a complete run, and `Generate::resume`
    /// continues it.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    ///
    /// /// Returns the weather.
    /// #[tool]
    /// async fn weather(city: String) -> String { format!("sunny in {city}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let model = ScriptedModel::new([
    /// #     ModelResponse::from_tool_requests([ToolRequest::new("weather", serde_json::json!({"city": "Rome"}))]),
    /// #     ModelResponse::from_text("It is sunny."),
    /// # ]);
    /// let ask = genkit::generate(()).model(model).tools(tools![weather]).return_tool_requests(true);
    /// let mut response = ask.clone().prompt("Weather in Rome?").await?;
    /// while !response.tool_requests().is_empty() {
    ///     let ran = response.run_tools(tools![weather]).await?;
    ///     response = ask.clone().messages(ran.messages()).await?;
    /// }
    /// assert_eq!(response.text(), "It is sunny.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// For tools with state, an approval policy or middleware, use `Generate::run_tools`.
    ///
    /// # Errors
    /// Returns the errors of `Generate` if a tool is not available or returns a [fatal](crate::Error::is_fatal) error.
    /// [`Error::partial`](crate::Error::partial) returns the partial response.
    pub async fn run_tools(&self, tools: impl IntoTools) -> Result<Self> {
        linked_runner()?.run_tools(tools.into_tools(), self.clone()).await
    }
}

impl ToolInvocation {
    /// Runs the call and returns its outcome. Awaiting the invocation does the same; this `async fn` is for
    /// `tokio::spawn` and `join_all`.
    ///
    /// # Errors
    /// See [`ToolInvocation`].
    pub async fn run(self) -> Result<ToolOutcome> {
        linked_runner()?.call_tool(self).await
    }
}

impl IntoFuture for ToolInvocation {
    type Output = Result<ToolOutcome>;
    type IntoFuture = BoxFuture<'static, Result<ToolOutcome>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
