//! The journal where a durable call saves each result immediately.

use serde_json::Value;

use super::{Context, Rest};
use crate::error::Result;
use crate::future::BoxFuture;

/// The journal of one call.
pub trait Journal: Send + Sync {
    /// Returns the id of the call, which is the same in every process that executes its run.
    fn id(&self) -> &str;

    /// Saves the result recorded under `key`, before anything else happens.
    fn save_result(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>>;

    /// Receives, at each poll, what the function is waiting for if it is only waiting.
    fn note_rest(&self, _rest: Option<Rest>) {}
}

impl Context {
    /// Returns an idempotency key: a text that is unique to this call of a durable run and the same each time the call
    /// is repeated, also in another process. Pass the key of the [`once`](Self::once) that uses it; a call that does
    /// two things needs two. Returns `None` outside a durable run.
    ///
    /// If a machine fails after the work is done but before the result is saved, the work is done again. A service that
    /// accepts idempotency keys, as payment services do, can then recognize the duplicate.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// async fn charge(cents: u32, key: Option<String>) -> Result<String> { Ok(format!("{cents} {key:?}")) }
    ///
    /// /// Pays.
    /// #[tool]
    /// async fn pay(ctx: &Context, cents: u32) -> Result<String> {
    ///     ctx.once("charge", charge(cents, ctx.idempotency_key("charge"))).await
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// assert_eq!(pay(&Context::detached(), 5).await?, "5 None");
    /// # Ok(())
    /// # }
    /// ```
    pub fn idempotency_key(&self, key: &str) -> Option<String> {
        let journal = self.0.parts.journal.as_ref()?;
        Some(format!("{}/{key}", journal.id()))
    }
}
