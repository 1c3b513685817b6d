//! The rules of a run: approval, errors of tools, limits of time and size, cancellation.

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
    /// Approval policy: decides on each call before it runs, instead of the tools' own
    /// `needs_approval`.
    pub fn approval(
        mut self,
        policy: impl Fn(&ToolCall) -> Approval + Send + Sync + 'static,
    ) -> Self {
        self.settings.approval = Some(Arc::new(policy));
        self
    }

    /// Tool errors: what to do when a tool fails. Default is to tell the model.
    pub fn on_tool_error(mut self, what: OnToolError) -> Self {
        self.settings.on_tool_error = what;
        self
    }

    /// Strict arguments: whether they are read exactly as the schema says. Default is `false`: one
    /// lenient re-read, `"5"` as 5.
    pub fn strict_args(mut self, yes: bool) -> Self {
        self.settings.exact_args = yes;
        self
    }

    /// Usage limit: how many tokens and model calls the run may use.
    ///
    /// It is checked before each model call and after each answer. What is over ends the run with an error of
    /// the kind [`ResourceExhausted`](genkit_core::ErrorKind::ResourceExhausted), which owns what was done
    /// ([`Error::partial`](genkit_core::Error::partial)), the answer that went over it included; its calls are not run.
    /// [`details`](genkit_core::Error::details) say which limit: `{"usageLimit": {"of": "tokens", "used": 12, "limit": 10}}`.
    ///
    /// What counts: all model calls of the run, also those that failed and were made again, those of middleware and
    /// the samples that its tools ask for. What a tool generates by a run of its own counts for that run. Calls that
    /// are made at the same time each begin within the limit. Where a model tells no usage, tokens are estimated, and
    /// the log says so.
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
    /// let error = run.usage_limit(UsageLimit::tokens(1_000).requests(5)).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    /// let done = error.into_partial().unwrap();
    /// assert_eq!(done.usage.input_tokens, Some(1_200)); // the third answer went over it
    /// assert_eq!(done.messages().len(), 6);
    /// # }
    /// ```
    pub fn usage_limit(mut self, limit: UsageLimit) -> Self {
        self.options.usage_limit = Some(limit);
        self
    }

    /// Stops on a tool: when it was called and answered, the run ends, and the model is not asked again.
    ///
    /// The response ends with the tools' answers as its message, with
    /// [`FinishReason::Stop`](genkit_core::FinishReason::Stop);
    /// [`text`](genkit_core::GenerateResponse::text) and [`output`](genkit_core::GenerateResponse::output) are what the tool
    /// answered. Other calls of the same round are run as well. A call that failed does not end the run: the model
    /// mends it. With [`ToolChoice::Required`](genkit_core::ToolChoice::Required) the model must call a tool in every
    /// turn until then. Called again, another tool is added.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    /// use serde_json::json;
    ///
    /// /// Hands in the report.
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

    /// Before each turn: a closure that sees the turn (its round, the messages, the usage so far) and may change its
    /// model, tools and settings. What it changes counts for this turn alone. It may wait; an error ends the run, and
    /// owns what was done. Several are run in their order.
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
    ///         match turn.round() {
    ///             0 => turn.with_config("temperature", 0),
    ///             _ => turn.with_model(thorough).with_tools([""; 0]), // no more searches: write
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

    /// Deadline: how long the whole run may take. Default is without end.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.settings.limits.deadline = Some(limit);
        self
    }

    /// Model timeout: how long one model call may take. Default is 10 minutes.
    pub fn model_timeout(mut self, limit: Duration) -> Self {
        self.settings.limits.model_timeout = limit;
        self
    }

    /// Tool timeout: how long one tool call may take, where the tool says nothing. Default is 60
    /// seconds.
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.settings.limits.tool_timeout = limit;
        self
    }

    /// Output limit: how much of one answer of a tool the model gets, in bytes of JSON, where the
    /// tool says nothing. Default is 256 KiB; what is longer is cut, with a mark that says so.
    pub fn max_tool_output(mut self, bytes: usize) -> Self {
        self.settings.limits.max_output = bytes;
        self
    }

    /// Parallel tools: how many calls of one round run at a time. Default is 16.
    pub fn parallel_tools(mut self, calls: usize) -> Self {
        self.settings.limits.parallel_tools = calls;
        self
    }

    /// Cancellation: ends the run when `signal` resolves; the model call and every tool are
    /// dropped.
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
    /// Dropping the run does the same.
    pub fn cancel_on(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        let signal: BoxFuture<'static, ()> = Box::pin(signal);
        self.cancel = Some(signal.shared());
        self
    }
}
