//! The limits and rules of a run: approval, tool errors, time and size limits, cancellation.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::Generate;
use crate::middleware::ToolCall;
use crate::run::{Approval, OnToolError};
use crate::turn::Turn;
use genkit_core::BoxFuture;
use genkit_core::UsageLimit;
use genkit_model::IntoResult;

impl Generate {
    /// Sets the approval policy, which decides on each tool call before it runs. It overrides `needs_approval` of
    /// the tools.
    pub fn approval(
        mut self,
        policy: impl Fn(&ToolCall) -> Approval + Send + Sync + 'static,
    ) -> Self {
        self.settings.approval = Some(Arc::new(policy));
        self
    }

    /// Sets how the run handles a tool error. Default is to return the error to the model.
    pub fn on_tool_error(mut self, what: OnToolError) -> Self {
        self.settings.on_tool_error = what;
        self
    }

    /// Sets whether tool arguments must match the schema exactly (strict arguments). Default is `false`: arguments that
    /// do not match are parsed again leniently, so that `"5"` is accepted as 5. If the run has an
    /// [`approval`](Self::approval) policy or the tool needs approval, arguments are always parsed strictly.
    pub fn strict_args(mut self, yes: bool) -> Self {
        self.settings.exact_args = yes;
        self
    }

    /// Sets the usage limit: the number of tokens and model calls that the run may use.
    ///
    /// The limit is checked before each model call and after each response. If it is exceeded, the run fails with
    /// [`ResourceExhausted`](genkit_core::ErrorKind::ResourceExhausted). The error holds the partial response
    /// ([`Error::partial`](genkit_core::Error::partial)), including the response that exceeded the limit; the tool calls in
    /// that response are not run. [`Error::details`](genkit_core::Error::details) returns the limit:
    /// `{"usageLimit": {"of": "tokens", "used": 12, "limit": 10}}`.
    ///
    /// All model calls of the run count: failed calls and their retries, calls made by middleware, sampling requests
    /// from its tools, and calls made by agents that it uses as tools. Any other run that a tool starts is counted
    /// separately. Concurrent calls are checked only when they start. If a model does not report its usage, tokens are
    /// estimated and a warning is logged.
    ///
    /// ```
    /// use genkit::ErrorKind;
    /// use genkit::generate::UsageLimit;
    /// use genkit::message::ToolRequest;
    /// use genkit::model::{ModelResponse, Usage};
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    ///
    /// /// Reads a page.
    /// #[tool]
    /// async fn read(page: u32) -> String { format!("page {page}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// # let model = ScriptedModel::new((1..9).map(|page| {
    /// #     ModelResponse::from_tool_requests([ToolRequest::new("read", serde_json::json!({"page": page}))])
    /// #         .with_usage(Usage::default().with_input_tokens(400).with_output_tokens(20))
    /// # }));
    /// let run = genkit::generate("Read it all.").model(model).tools(tools![read]);
    /// let error = run.usage_limit(UsageLimit::new().tokens(1_000).requests(5)).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    /// let done = error.into_partial().unwrap();
    /// assert_eq!(done.usage.input_tokens, Some(1_200)); // the third response exceeded the limit
    /// assert_eq!(done.messages().len(), 6);
    /// # }
    /// ```
    pub fn usage_limit(mut self, limit: UsageLimit) -> Self {
        self.options.usage_limit = Some(limit);
        self
    }

    /// Ends the run after this tool has been called successfully; the model is not called again.
    ///
    /// The tool responses become the message of the response, with
    /// [`FinishReason::Stop`](genkit_core::FinishReason::Stop); [`text`](genkit_core::GenerateResponse::text) and
    /// [`output`](genkit_core::GenerateResponse::output) return the result of the tool. Other calls of the same round
    /// are run as well. A failed call does not end the run, so the model can correct it. With
    /// [`ToolChoice::Required`](genkit_core::ToolChoice::Required), the model must call a tool in every turn until it
    /// calls this tool. Each call to this method adds a tool.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    /// use serde_json::json;
    ///
    /// /// Submits the report.
    /// #[tool]
    /// async fn done(title: String) -> String { title }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::new([
    ///     ModelResponse::from_tool_requests([ToolRequest::new("done", json!({"title": "Rain in Rome"}))]),
    /// ]);
    /// let response =
    ///     genkit::generate("Write a report.").model(model).tools(tools![done]).stop_on_tool("done").await?;
    /// assert_eq!(response.text(), "Rain in Rome");
    /// # Ok(())
    /// # }
    /// ```
    pub fn stop_on_tool(mut self, name: impl Into<String>) -> Self {
        self.options.stop_on_tools.push(name.into());
        self
    }

    /// Adds a closure that runs before each turn. It receives the turn (its round, the messages, the usage so far) and
    /// may change the model, tools and settings of this turn only. It may be asynchronous. An error ends the run, and
    /// the error holds the partial response. Closures run in the order in which they were added.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    ///
    /// /// Searches.
    /// #[tool]
    /// async fn search() -> &'static str { "Rome: rain" }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let search_call = ModelResponse::from_tool_requests([ToolRequest::new("search", ())]);
    /// let quick = ScriptedModel::new([search_call]);
    /// let thorough = ScriptedModel::text("Take an umbrella.");
    /// let (writer, searcher) = (thorough.clone(), quick.clone());
    /// let run = genkit::generate("What to wear in Rome?").model(quick).tools(tools![search]);
    /// let run = run.before_turn(move |turn| {
    ///     let thorough = thorough.clone();
    ///     async move {
    ///         match turn.completed_rounds() {
    ///             0 => turn.with_config("temperature", 0),
    ///             _ => turn.with_model(thorough).with_tools([""; 0]), // no more searches
    ///         }
    ///     }
    /// });
    /// assert_eq!(run.await?.text(), "Take an umbrella.");
    /// assert_eq!(searcher.requests()[0].config["temperature"], 0);
    /// assert!(writer.requests()[0].tools.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn before_turn<F, Fut>(mut self, change: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoResult<Turn>> + Send + 'static,
    {
        self.settings.before_turn.push(Arc::new(move |turn| {
            let changing = change(turn);
            Box::pin(async move { changing.await.into_result() })
        }));
        self
    }

    /// Sets the deadline: the time limit for the whole run. Default is unlimited.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.settings.limits.deadline = Some(limit);
        self
    }

    /// Sets the timeout of each model call. Default is 10 minutes.
    pub fn model_timeout(mut self, limit: Duration) -> Self {
        self.settings.limits.model_timeout = limit;
        self
    }

    /// Sets the timeout of each tool call, for tools that do not set their own. Default is 60 seconds.
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.settings.limits.tool_timeout = limit;
        self
    }

    /// Sets the output limit of each tool call, in bytes of JSON, for tools that do not set their own. Default is 256
    /// KiB; longer output is truncated, with a note to the model.
    pub fn max_tool_output(mut self, bytes: usize) -> Self {
        self.settings.limits.max_output = bytes;
        self
    }

    /// Sets the maximum number of tool calls of one round that run in parallel. Default is 16.
    pub fn parallel_tools(mut self, calls: usize) -> Self {
        self.settings.limits.parallel_tools = calls;
        self
    }

    /// Cancels the run when `signal` resolves: the model call and all tool calls are dropped.
    ///
    /// ```
    /// use genkit::ErrorKind;
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let run = genkit::generate("hi").model(ScriptedModel::pending());
    /// let error = run.cancel_on(async { /* the user closed the window */ }).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Cancelled);
    /// # }
    /// ```
    ///
    /// Dropping the run cancels it as well.
    pub fn cancel_on(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        let signal: BoxFuture<'static, ()> = Box::pin(signal);
        self.cancel = Some(signal.shared());
        self
    }
}
