//! The results of a step in the journal of its invocation.
//!
//! All entries have the same name and contain their type, so their order does not matter: before a step starts, it
//! reads all entries of earlier attempts. Functions can therefore call `once` in a different order in each attempt.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use genkit::BoxFuture;
use genkit::durable::engine::{StepLog, StepResult};
use genkit::{Error, ErrorKind, Result};
use restate_sdk::context::{Context, ContextSideEffects as _, RunFuture as _};
use restate_sdk::errors::HandlerError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::wire::{read, to_json};

/// The name of every entry.
const ENTRY: &str = "step";

/// An entry of the journal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StepEntry {
    /// An attempt of the step has started.
    Began,
    /// A result of `once`.
    Once { key: String, done: Value },
    /// The step has ended with this result.
    Ended(Box<StepResult>),
}

/// The entries of earlier attempts of a step.
#[derive(Default)]
pub(crate) struct EarlierAttempts {
    pub(crate) once: BTreeMap<String, Value>,
    /// Whether the step was started before.
    pub(crate) is_begun: bool,
}

/// Writes an entry, and waits until Restate has stored it. If the journal already has an entry at this position,
/// returns that entry and `false`.
async fn write(ctx: &Context<'_>, entry: StepEntry) -> Result<(StepEntry, bool), HandlerError> {
    let is_new = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_new);
    let bytes = to_json(&entry)?;
    let work = move || async move {
        noted.store(true, Ordering::SeqCst);
        Ok(bytes)
    };
    let bytes: Vec<u8> = ctx.run(work).name(ENTRY).await?;
    Ok((read(&bytes)?, is_new.load(Ordering::SeqCst)))
}

/// Reads the entries of earlier attempts and records a new attempt. Returns the result if the step has ended.
pub(crate) async fn begin_step(
    ctx: &Context<'_>,
    earlier: &mut EarlierAttempts,
) -> Result<Option<StepResult>, HandlerError> {
    loop {
        match write(ctx, StepEntry::Began).await? {
            (_, true) => return Ok(None),
            (StepEntry::Began, false) => earlier.is_begun = true,
            (StepEntry::Once { key, done }, false) => drop(earlier.once.insert(key, done)),
            (StepEntry::Ended(done), false) => return Ok(Some(*done)),
        }
    }
}

/// Writes a result of `once`.
pub(crate) async fn record_once(ctx: &Context<'_>, note: &OnceNote) -> Result<(), HandlerError> {
    let (key, done) = (note.key.clone(), note.done.clone());
    write(ctx, StepEntry::Once { key, done }).await.map(drop)
}

/// Writes the result of a step.
pub(crate) async fn end_step(
    ctx: &Context<'_>,
    done: StepResult,
) -> Result<StepResult, HandlerError> {
    match write(ctx, StepEntry::Ended(Box::new(done))).await? {
        (StepEntry::Ended(done), _) => Ok(*done),
        _ => Err("the journal of the step has an unexpected entry instead of its result".into()),
    }
}

/// A result that must be written before the step continues.
pub(crate) struct OnceNote {
    key: String,
    done: Value,
    /// Resolved once the entry is written, or dropped if the work stops.
    pub(crate) written: oneshot::Sender<()>,
}

/// The channel from a step to its handler, because only the handler can write to the journal.
pub(crate) struct Notes(pub(crate) mpsc::UnboundedSender<OnceNote>);

impl StepLog for Notes {
    fn once(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        let (written, told) = oneshot::channel();
        // If the receiver was dropped, `written` is dropped as well, and `told` returns an error.
        let _ = self.0.send(OnceNote { key: key.to_owned(), done: done.clone(), written });
        let lost = || Error::new(ErrorKind::Aborted, "the step was stopped");
        Box::pin(async move { told.await.map_err(|_| lost()) })
    }
}
