//! Approval: asks the user for a yes before something happens.

use super::super::Context;
use super::QuestionKind;
use crate::error::Result;
use crate::future::boxed;
use crate::visible;

/// The key of the question that `needs_approval` asks.
pub const APPROVAL_KEY: &str = "approve";

impl Context {
    /// Approval: asks the user to allow what `message` says. `#[tool(needs_approval)]` does this
    /// before the body runs.
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
    /// let nobody = Context::detached();
    /// assert_eq!(delete(&nobody, vec![1]).await?, "deleted");
    /// let error = delete(&nobody, (0..20).collect()).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody can be asked
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`](crate::error::ErrorKind::PermissionDenied) where the user says no,
    /// and
    /// [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) where nobody can be
    /// asked.
    pub async fn confirm(&self, message: impl Into<String>) -> Result<()> {
        self.approve_as(None, message.into()).await
    }

    async fn approve_as(&self, key: Option<String>, message: String) -> Result<()> {
        let message = visible::text(&message).into_owned();
        let kind = QuestionKind::Approval { message: message.clone() };
        let decision = self.ask(key, kind, |answer| answer.approval_of(&message)).await?;
        decision.approved()
    }

    /// The approval that the definition asks for, before the function runs.
    pub async fn approved_to_run(&self) -> Result<()> {
        match &self.0.parts.approval {
            // Boxed, since most need none, and each call would be as large as one that does.
            Some(message) => {
                let key = Some(APPROVAL_KEY.to_owned());
                boxed(|| self.approve_as(key, message.clone())).await
            }
            None => Ok(()),
        }
    }
}
