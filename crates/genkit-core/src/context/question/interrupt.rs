//! Interrupts: suspend the run of `generate` for a question to its caller.

use serde_json::Value;

use super::super::Context;
use super::QuestionKind;
use crate::error::Result;
use genkit_untrusted::visible;

/// The metadata key under which an interrupt describes the task of an MCP server.
pub const MCP_TASK: &str = "mcpTask";

impl Context {
    /// Interrupts the run to ask the caller of `generate` a question. The run ends as interrupted. When the caller
    /// resumes it, this call returns the value that `Interrupt::restart` provides.
    ///
    /// `metadata` is any JSON that describes the question. An MCP client has no interrupts, so it receives a request
    /// for approval with `metadata.message` as the text.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    /// use serde_json::json;
    ///
    /// /// Pays an invoice.
    /// #[tool]
    /// async fn pay(ctx: &Context, cents: u64) -> Result<String> {
    ///     if cents > 10_000 {
    ///         let decision = ctx.interrupt(json!({"message": "Pay more than 100?"})).await?;
    ///         ctx.info(decision).await; // the caller's answer
    ///     }
    ///     Ok("paid".into())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::PermissionDenied`](crate::error::ErrorKind::PermissionDenied) if the caller denies the request,
    /// and [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) if the caller does not support
    /// questions.
    pub async fn interrupt(&self, metadata: impl Into<Value>) -> Result<Value> {
        let kind = QuestionKind::Interrupt { metadata: visible::escape_question(metadata.into()) };
        let decision = self.ask_question(None, kind, |answer| answer.into_decision()).await?;
        decision.require_approval()?;
        Ok(decision.content.unwrap_or_default())
    }

    /// Returns whether the caller accepts interrupts, as the generate loop and durable flows do.
    #[doc(hidden)]
    pub fn takes_interrupts(&self) -> bool {
        self.0.parts.caller.accepts_interrupts()
    }

    /// Interrupts the run like [`interrupt`](Self::interrupt), for a task of an MCP server, under the key `key`.
    #[doc(hidden)]
    pub async fn interrupt_with_task(&self, key: String, metadata: Value) -> Result<()> {
        let kind = QuestionKind::Interrupt { metadata: visible::escape_question(metadata) };
        self.ask_question(Some(key), kind, |answer| answer.into_decision())
            .await?
            .require_approval()
    }
}
