//! Approval: asks the user for permission before an action.

use super::super::Context;
use super::QuestionKind;
use crate::error::Result;
use crate::future::box_in_place;
use genkit_untrusted::visible;

/// The key of the question that `needs_approval` asks.
pub const APPROVAL_KEY: &str = "approve";

impl Context {
    /// Asks the user to approve the action that `message` describes. `#[tool(needs_approval)]` does this before the
    /// body runs.
    ///
    /// ```
    /// use genkit::{Context, ErrorKind, Result, tool};
    ///
    /// /// Deletes notes.
    /// #[tool(destructive)]
    /// async fn delete(ctx: &Context, ids: Vec<u64>) -> Result<String> {
    ///     if ids.len() > 10 {
    ///         ctx.confirm(format!("Delete {} notes?", ids.len())).await?;
    ///     }
    ///     Ok("deleted".into())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let ctx = Context::detached();
    /// assert_eq!(delete(&ctx, vec![1]).await?, "deleted");
    /// let error = delete(&ctx, (0..20).collect()).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // no user to ask
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::PermissionDenied`](crate::error::ErrorKind::PermissionDenied) if the user declines or
    /// dismisses the request, and [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) if the
    /// caller does not support questions to the user.
    pub async fn confirm(&self, message: impl Into<String>) -> Result<()> {
        self.approve_as(None, message.into()).await
    }

    async fn approve_as(&self, key: Option<String>, message: String) -> Result<()> {
        let message = visible::escape_prose(&message).into_owned();
        let kind = QuestionKind::Approval { message: message.clone() };
        let decision =
            self.ask_question(key, kind, |answer| answer.into_approval(&message)).await?;
        decision.require_approval()
    }

    /// Waits for the approval that the definition requires before the function runs.
    #[doc(hidden)]
    pub async fn approved_to_run(&self) -> Result<()> {
        match &self.0.parts.approval {
            // Boxed, so that the futures of calls without an approval (most calls) stay small.
            Some(message) => {
                let key = Some(APPROVAL_KEY.to_owned());
                box_in_place(|| self.approve_as(key, message.clone())).await
            }
            None => Ok(()),
        }
    }
}
