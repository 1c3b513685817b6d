//! Journal: where a call that is durable saves what it did, at once.

use serde_json::Value;

use super::{Context, Rest};
use crate::error::Result;
use crate::future::BoxFuture;

/// The journal of one call.
pub trait Journal: Send + Sync {
    /// What the call is known by, in every process and every life of its run.
    fn id(&self) -> &str;

    /// Saves what was done under `key`, before anything else happens.
    fn save(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>>;

    /// Hears what the function waits for while it does nothing else, each time that it is polled.
    fn rests(&self, _rest: Option<Rest>) {}
}

impl Context {
    /// Idempotency key: a text that is the same each time that this call of a durable run is made, also in another
    /// process, and that no other call has. `key` is that of the [`once`](Self::once) which it is for: a call that does
    /// two things needs two. `None` outside of a durable run.
    ///
    /// A machine can die after something was done and before that is saved, and then it is done again. A service
    /// that takes idempotency keys, as those for payments do, sees by this one that it did it already.
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
