//! Interrupts: stops the run of `generate` for a question to whoever called it.

use serde_json::Value;

use super::super::Context;
use super::QuestionKind;
use crate::error::Result;
use crate::visible;

/// Under which key an interrupt tells of the task of a server.
pub const MCP_TASK: &str = "mcpTask";

impl Context {
    /// Interrupts the run: stops and asks whoever called `generate`, so that
    /// the run ends as interrupted, and this call goes on with what
    /// [`Interrupt::restart`](crate::generate::interrupt::question::Interrupt::restart) gives.
    ///
    /// `metadata` is any JSON that says what is needed. An MCP client, which knows no interrupts,
    /// is asked for a yes, with `metadata.message` as the text.
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
    ///         ctx.info(decision).await; // what the caller answered
    ///     }
    ///     Ok("paid".into())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`](crate::error::ErrorKind::PermissionDenied) where the caller denies
    /// it, and
    /// [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) where nobody can be
    /// asked.
    pub async fn interrupt(&self, metadata: impl Into<Value>) -> Result<Value> {
        let kind = QuestionKind::Interrupt { metadata: visible::asked(metadata.into()) };
        let decision = self.ask(None, kind, |answer| answer.decision()).await?;
        decision.approved()?;
        Ok(decision.content.unwrap_or_default())
    }

    /// Whether the caller is one that takes interrupts: a loop, a durable flow.
    pub fn takes_interrupts(&self) -> bool {
        self.0.parts.caller.takes_interrupts()
    }

    /// [`interrupt`](Self::interrupt) for the task of a server, under a key of its own.
    pub async fn interrupt_with_task(&self, key: String, metadata: Value) -> Result<()> {
        let kind = QuestionKind::Interrupt { metadata: visible::asked(metadata) };
        self.ask(Some(key), kind, |answer| answer.decision()).await?.approved()
    }
}
