//! What a step did, in the journal of its invocation.
//!
//! The entries have one name and say themselves what they are, so that they are a bag: a life of a step reads all that
//! earlier lives have written before it begins, and functions need not do the same things in the same order each time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use genkit::BoxFuture;
use genkit::durable::engine::{StepDone, StepLog};
use genkit::{Error, ErrorKind, Result};
use restate_sdk::context::{Context, ContextSideEffects as _, RunFuture as _};
use restate_sdk::errors::HandlerError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::wire::{print, read};

/// The name of every entry.
const ENTRY: &str = "step";

/// One entry.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StepEntry {
    /// A life of the step begins.
    Began,
    /// It did this by `once`.
    Once { key: String, done: Value },
    /// It ended so.
    Ended(Box<StepDone>),
}

/// What earlier lives of a step have written.
#[derive(Default)]
pub(crate) struct EarlierLives {
    pub(crate) once: BTreeMap<String, Value>,
    /// Whether it was begun before.
    pub(crate) is_begun: bool,
}

/// Writes an entry, and waits until Restate has it. What stands there already is read instead: `false` with it then.
async fn write(ctx: &Context<'_>, entry: StepEntry) -> Result<(StepEntry, bool), HandlerError> {
    let is_new = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_new);
    let bytes = print(&entry)?;
    let work = move || async move {
        noted.store(true, Ordering::SeqCst);
        Ok(bytes)
    };
    let bytes: Vec<u8> = ctx.run(work).name(ENTRY).await?;
    Ok((read(&bytes)?, is_new.load(Ordering::SeqCst)))
}

/// Reads what earlier lives have written, and notes that another begins; or says how the step has ended.
pub(crate) async fn begin(
    ctx: &Context<'_>,
    earlier: &mut EarlierLives,
) -> Result<Option<StepDone>, HandlerError> {
    loop {
        match write(ctx, StepEntry::Began).await? {
            (_, true) => return Ok(None),
            (StepEntry::Began, false) => earlier.is_begun = true,
            (StepEntry::Once { key, done }, false) => drop(earlier.once.insert(key, done)),
            (StepEntry::Ended(done), false) => return Ok(Some(*done)),
        }
    }
}

/// Writes what a step did by `once`.
pub(crate) async fn once(ctx: &Context<'_>, note: &OnceNote) -> Result<(), HandlerError> {
    let (key, done) = (note.key.clone(), note.done.clone());
    write(ctx, StepEntry::Once { key, done }).await.map(drop)
}

/// Writes how a step ended.
pub(crate) async fn end(ctx: &Context<'_>, done: StepDone) -> Result<StepDone, HandlerError> {
    match write(ctx, StepEntry::Ended(Box::new(done))).await? {
        (StepEntry::Ended(done), _) => Ok(*done),
        _ => Err("the journal of the step has another entry where its end is written".into()),
    }
}

/// What a step wants written before it goes on.
pub(crate) struct OnceNote {
    key: String,
    done: Value,
    /// Told once it is written; dropped where the work stops.
    pub(crate) written: oneshot::Sender<()>,
}

/// The way from a step to its handler, which alone may write.
pub(crate) struct Notes(pub(crate) mpsc::UnboundedSender<OnceNote>);

impl StepLog for Notes {
    fn once(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        let (written, told) = oneshot::channel();
        // Where nobody reads it any more, `written` is dropped, which `told` says.
        let _ = self.0.send(OnceNote { key: key.to_owned(), done: done.clone(), written });
        let lost = || Error::new(ErrorKind::Aborted, "the work on this step stops here");
        Box::pin(async move { told.await.map_err(|_| lost()) })
    }
}
