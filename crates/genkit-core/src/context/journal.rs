//! The journal in which a durable call saves each result immediately.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{Context, ContextParts, PendingWaits};
use crate::error::{Error, Result};
use crate::future::BoxFuture;

/// The journal of one call.
pub trait Journal: Send + Sync {
    /// Returns the id of the call, which is the same in every process that executes its run.
    fn id(&self) -> &str;

    /// Saves the result recorded under `key`. The function waits for the save before it continues.
    fn save_result(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>>;

    /// Called at each poll with the operations that the function waits for, or with `None` if it does other work.
    fn record_waits(&self, _rest: Option<PendingWaits>) {}

    /// Waits until the lease of the run is valid, so that work with a side effect may start. Fails if another process
    /// may have taken over the run.
    fn begin_effect(&self) -> BoxFuture<'static, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns the delay before the next attempt of a model call inside this call, after `tries` attempts. Returns
    /// `None` if `error` ends the call.
    fn retry_wait(&self, _tries: u32, _error: &Error) -> Option<Duration> {
        None
    }

    /// Receives the error of the call, before it becomes a response.
    fn note_failure(&self, _error: &Error) {}

    /// Returns the call of a durable run that this journal belongs to, as a type of `genkit-durable`.
    fn call_of_run(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }
}

impl Context {
    /// Returns an idempotency key: a string that is unique to this call of a durable run and the same each time the
    /// call is repeated, even in another process. As `key`, pass the key of the [`once`](Self::once) call that performs
    /// the side effect; each side effect of a function needs its own key. Returns `None` outside a durable run.
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
        Some(format!("{}/{}", journal.id(), self.scoped_key(key)))
    }

    /// Returns the journal of a durable call.
    #[doc(hidden)]
    pub fn journal(&self) -> Option<&Arc<dyn Journal>> {
        self.0.parts.journal.as_ref()
    }

    /// Returns the key, prefixed with the scope of a nested function.
    pub(super) fn scoped_key<'a>(&self, key: &'a str) -> Cow<'a, str> {
        match &self.0.parts.scope {
            Some(scope) => Cow::Owned(format!("{scope}{key}")),
            None => Cow::Borrowed(key),
        }
    }

    /// Returns a context for an action that this durable call runs. The context shares the journal, the caller and the
    /// time limit of the call. The keys of the context apply to this invocation only.
    pub(crate) fn nested_context(&self, name: &str, parts: ContextParts) -> Self {
        let scope = format!("{}/", self.scoped_key(&self.nth_key(name)));
        self.with_parts(ContextParts { scope: Some(scope.into()), ..parts })
    }

    /// Returns the results that earlier runs recorded under keys with this prefix, each with the rest of its key.
    #[doc(hidden)]
    pub fn recorded_with_prefix(&self, prefix: &str) -> Vec<(String, Value)> {
        self.lock_replay().recorded_with_prefix(&self.scoped_key(prefix))
    }
}
