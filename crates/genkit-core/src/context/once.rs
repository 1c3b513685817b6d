//! `once`: work that must run only once, even if its function runs again with the answers to its questions.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Context;
use super::error;
use super::replay::OnceGuard;
use crate::error::{BoxError, Error, Result};

impl Context {
    /// Runs `work` only once, even if the function is rerun after its caller has answered a question. The result is
    /// recorded under `key` and replayed.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// async fn charge(cents: u32) -> Result<String> { Ok(format!("receipt for {cents}")) }
    ///
    /// /// Buys something and asks for an address.
    /// #[tool]
    /// async fn buy(ctx: &Context, cents: u32) -> Result<String> {
    ///     let receipt: String = ctx.once("charge", charge(cents)).await?;
    ///     ctx.confirm("Send the parcel to the usual address?").await?;
    ///     Ok(receipt)
    /// }
    /// ```
    ///
    /// In a durable run, the result is saved before `once` returns. If the machine fails between the work and the save,
    /// the work is repeated: pass an [`idempotency_key`](Self::idempotency_key) to the service that does the work.
    ///
    /// Work does not start without a valid lease of the run: it waits until the lease is renewed, and fails if another
    /// process has taken over the run.
    ///
    /// The recorded result is sent to the client with the question (signed, not encrypted), so it must not contain
    /// secrets.
    ///
    /// # Errors
    /// Returns the error of `work`, which is not recorded. Returns [`ErrorKind::Internal`](crate::error::ErrorKind::Internal)
    /// if the result cannot be serialized, or if a recorded result cannot be deserialized as `T`.
    /// In a durable run, also returns the errors from its store.
    pub async fn once<T, E>(
        &self,
        key: &str,
        work: impl Future<Output = std::result::Result<T, E>>,
    ) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        E: Into<BoxError>,
    {
        let key = &*self.scoped_key(key);
        if let Some(recorded) = self.lock_replay().recorded_result(key) {
            return serde_json::from_value(recorded).map_err(|source| {
                error::Error::RecordedResult { key: key.to_owned(), source }.into()
            });
        }
        // While this runs, the driver does not drop the function for a concurrent question.
        let _running = OnceGuard::new(self.shared_replay());
        let journal = self.0.parts.journal.clone();
        if let Some(journal) = &journal {
            journal.begin_effect().await?;
        }
        let done = work.await.map_err(Error::from_failure)?;
        let record = genkit_schema::internal::to_finite_value(&done)
            .map_err(|source| error::Error::Unserializable { key: key.to_owned(), source })?;
        let saving = journal.map(|journal| journal.save_result(key, &record));
        self.lock_replay().record_result(key, record);
        match saving {
            Some(saving) => saving.await.map(|()| done),
            None => Ok(done),
        }
    }

    /// Returns whether an earlier run recorded a result.
    #[doc(hidden)]
    pub fn has_recorded(&self) -> bool {
        self.lock_replay().has_recorded()
    }

    /// Returns the result that an earlier run recorded under `key`.
    #[doc(hidden)]
    pub fn recorded_result(&self, key: &str) -> Option<Value> {
        self.lock_replay().recorded_result(&self.scoped_key(key))
    }

    /// Records a result under `key` for later runs. In a durable run, it is saved before this returns.
    #[doc(hidden)]
    pub async fn record_saved(&self, key: &str, done: Value) -> Result<()> {
        // Prevents the suspension of a durable run before the result is saved. A suspended run would not continue after
        // the save.
        let _busy = OnceGuard::new(self.shared_replay());
        let journal = self.0.parts.journal.clone();
        let key = &*self.scoped_key(key);
        let saving = journal.map(|journal| journal.save_result(key, &done));
        self.lock_replay().record_result(key, done);
        match saving {
            Some(saving) => saving.await,
            None => Ok(()),
        }
    }

    /// Returns the key, with a number appended if this run of the function has already used it.
    #[doc(hidden)]
    pub fn nth_key(&self, key: &str) -> String {
        let nth = self.lock_replay().nth_key(&self.scoped_key(key));
        match &self.0.parts.scope {
            Some(scope) => nth.strip_prefix(&**scope).unwrap_or(&nth).to_owned(),
            None => nth,
        }
    }

    /// Returns whether this is a call of a durable run.
    #[doc(hidden)]
    pub fn is_durable(&self) -> bool {
        self.0.parts.journal.is_some()
    }

    /// Records a result under `key` for later runs.
    #[doc(hidden)]
    pub fn record_result(&self, key: &str, done: Value) {
        self.lock_replay().record_result(&self.scoped_key(key), done);
    }
}
