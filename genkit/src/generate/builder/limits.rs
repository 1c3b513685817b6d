//! The rules of a run: approval, errors of tools, limits of time and size, cancellation.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::Generate;
use crate::future::BoxFuture;
use crate::generate::middleware::ToolCall;
use crate::generate::run::{Approval, OnToolError};

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
