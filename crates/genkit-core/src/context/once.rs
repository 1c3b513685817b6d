//! `once`: work that must not happen twice, though its function runs again for answers.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Context;
use super::error;
use super::replay::OnceGuard;
use crate::error::{BoxError, Error, Result};

impl Context {
    /// Idempotency: does `work` once, however often the function is run again for answers: its
    /// result is recorded under `key` and replayed.
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
    /// In a durable run the result is saved the moment that it is there, before `once` returns. Between the work and
    /// that moment a machine can still die, and then the work is done again: hand
    /// [`idempotency_key`](Self::idempotency_key) to whoever does it.
    ///
    /// The record travels with the question (signed, not encrypted): keep secrets out of it.
    ///
    /// # Errors
    /// What `work` fails with; a failure is not recorded.
    /// [`ErrorKind::Internal`](crate::error::ErrorKind::Internal) if the result
    /// does not serialize, or a recorded one does not read as `T`; in a durable run what its store fails with.
    pub async fn once<T, E>(
        &self,
        key: &str,
        work: impl Future<Output = std::result::Result<T, E>>,
    ) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        E: Into<BoxError>,
    {
        if let Some(recorded) = self.replay().recorded(key) {
            return serde_json::from_value(recorded).map_err(|source| {
                error::Error::RecordedResult { key: key.to_owned(), source }.into()
            });
        }
        // While this runs the driver does not drop the function for a question beside it.
        let _running = OnceGuard::new(self.shared_replay());
        let done = work.await.map_err(Error::from_failure)?;
        let record = serde_json::to_value(&done)
            .map_err(|source| error::Error::Unserializable { key: key.to_owned(), source })?;
        let journal = self.0.parts.journal.clone();
        let saving = journal.map(|journal| journal.save(key, &record));
        self.replay().record(key, record);
        match saving {
            Some(saving) => saving.await.map(|()| done),
            None => Ok(done),
        }
    }

    /// Whether an earlier run recorded anything.
    pub fn has_recorded(&self) -> bool {
        self.replay().has_recorded()
    }

    /// What an earlier run did under `key`.
    pub fn recorded(&self, key: &str) -> Option<Value> {
        self.replay().recorded(key)
    }

    /// Records what was done under `key` for a later run; in a durable run it is saved before this returns.
    pub async fn record_saved(&self, key: &str, done: Value) -> Result<()> {
        let journal = self.0.parts.journal.clone();
        let saving = journal.map(|journal| journal.save(key, &done));
        self.record(key, done);
        match saving {
            Some(saving) => saving.await,
            None => Ok(()),
        }
    }

    /// The same key, with a number where this run of the function took it already.
    pub fn nth(&self, key: &str) -> String {
        self.replay().nth(key)
    }

    /// Whether this is a call of a durable run.
    pub fn is_durable(&self) -> bool {
        self.0.parts.journal.is_some()
    }

    /// Records what was done under `key` for a later run.
    pub fn record(&self, key: &str, done: Value) {
        self.replay().record(key, done);
    }
}
