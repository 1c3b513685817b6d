//! Interrupts: stops the run of `generate` for a question to whoever called it.

use serde_json::Value;

use super::super::Context;
use super::QuestionKind;
use crate::error::Result;
use crate::visible;

impl Context {
    /// Stops and asks whoever called [`generate`](crate::generate()): the run ends as interrupted,
    /// and this call goes on with what [`Interrupt::restart`](crate::Interrupt::restart) gives.
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
    /// [`ErrorKind::PermissionDenied`](crate::ErrorKind::PermissionDenied) where the caller denies
    /// it, and
    /// [`ErrorKind::FailedPrecondition`](crate::ErrorKind::FailedPrecondition) where nobody can be
    /// asked.
    pub async fn interrupt(&self, metadata: impl Into<Value>) -> Result<Value> {
        let kind = QuestionKind::Interrupt { metadata: visible::asked(metadata.into()) };
        let decision = self.ask(None, kind, |answer| answer.decision()).await?;
        decision.approved()?;
        Ok(decision.content.unwrap_or_default())
    }
}
