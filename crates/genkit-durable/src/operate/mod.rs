//! Operations on durable runs for operators: list, inspect, cancel, retry and delete them.

mod command;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::error::Error as E;
use crate::handle::Handle;
use crate::inside::children::has_open_parent;
use crate::record::{Record, RunBody};
use crate::runs::run_store;
use crate::unreadable::SkippedRuns;
use genkit_agent::{Instance, Run};
use genkit_core::internal::context::RunWait;
use genkit_core::internal::run_store::now_ms;
use genkit_core::{Interrupt, Message, Part, Result, Role};
use genkit_core::{RunEntry, RunFilter, RunHead, RunId, RunStatus, RunStore};

/// The durable runs of an instance, for operators. Created by `Genkit::runs`.
///
/// ```
/// use std::time::Duration;
///
/// use genkit::durable::{FolderStore, RunFilter, RunStatus};
/// use genkit::{Genkit, Registry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("genkit-operate-{}", std::process::id()));
/// let store = FolderStore::open(&folder)?;
/// let genkit = Genkit::builder().registry(Registry::new()).durable(store).build()?;
/// let runs = genkit.runs();
/// for run in runs.list(RunFilter::new().status(RunStatus::Failed)).await? {
///     println!("{} {}: {}", run.id, run.name, run.error.unwrap_or_default());
///     runs.retry(run.id.as_str()).await?; // from the step that failed
/// }
/// runs.delete_finished(Duration::from_secs(30 * 24 * 3600)).await?;
/// # std::fs::remove_dir_all(folder).ok();
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The methods return `FailedPrecondition` without `GenkitBuilder::durable`, `InvalidArgument` for an invalid id, and the
/// errors from the store.
#[derive(Clone, Debug)]
pub struct Runs(Instance);

impl Runs {
    #[doc(hidden)]
    pub fn for_instance(instance: &Instance) -> Self {
        Self(instance.clone())
    }

    /// Returns a page of the runs that `filter` selects, in the order of their ids.
    ///
    /// # Errors
    /// See [`Runs`]. Returns `FailedPrecondition` if the store cannot list its runs.
    pub async fn list(&self, filter: RunFilter) -> Result<Vec<RunEntry>> {
        run_store(&self.0)?.list(&filter).await
    }

    /// Returns the stored details of a run, and the error that would prevent this process from continuing it, if any.
    /// Returns `None` if the run does not exist.
    ///
    /// # Errors
    /// See [`Runs`]. Returns `Internal` if the run cannot be read.
    pub async fn inspect(&self, id: impl Into<String>) -> Result<Option<RunDetails>> {
        let (id, store) = (RunId::new(id)?, run_store(&self.0)?);
        let Some(stored) = store.load(&id).await? else { return Ok(None) };
        let record = Record::read(&id, &stored)?;
        let bytes = stored.head.len() + stored.log.iter().map(String::len).sum::<usize>();
        let questions = record.body.open_questions();
        let missing = self.find_missing(&stored.at, &record.body).await;
        let error = record.error.as_ref().map(|error| error.text().to_owned());
        // A run that is due no longer waits.
        let is_suspended = stored.at.wake_at_ms.is_some();
        let waits = if is_suspended { record.waits } else { Vec::new() };
        let (flow, model, steps) = match record.body {
            RunBody::Flow(state) => {
                let steps = state.saved_keys().map(|key| RunStep::new(StepKind::Once, key));
                (Some(state.name().to_owned()), None, steps.collect())
            }
            RunBody::Generate(state) => {
                (None, Some(state.model().to_owned()), list_steps(&state.messages))
            }
        };
        Ok(Some(RunDetails {
            id,
            head: stored.at,
            flow,
            model,
            steps,
            build: record.kept.build,
            unread_signals: record.kept.mail.unread(),
            attempts: record.attempts,
            ended_processes: record.lives,
            error,
            questions,
            waits,
            missing,
            saved_lines: stored.log.len(),
            bytes,
        }))
    }

    /// Returns the error that prevents this process from continuing the run.
    async fn find_missing(&self, at: &RunHead, body: &RunBody) -> Option<String> {
        if at.status.is_over() {
            return None;
        }
        match body {
            RunBody::Generate(state) => {
                Run::resume(&self.0, (**state).clone()).await.err().map(|error| error.chain())
            }
            RunBody::Flow(state) if self.0.registry.flow(state.name()).is_none() => {
                Some(genkit_core::Error::from(E::UnknownFlow(state.name().to_owned())).chain())
            }
            RunBody::Flow(_) => None,
        }
    }

    /// Cancels a run. Returns `false` if it was already finished, or does not exist.
    ///
    /// # Errors
    /// See [`Runs`].
    pub async fn cancel(&self, id: impl Into<String>) -> Result<bool> {
        match self.find(id).await? {
            Some(handle) => handle.cancel_run().await,
            None => Ok(false),
        }
    }

    /// Continues a failed or cancelled run from the step where it ended. Saved results are kept, and the number of
    /// attempts of the step is reset. Returns `false` if the run is neither failed nor cancelled, or does not exist.
    ///
    /// # Errors
    /// See [`Runs`]. Returns `FailedPrecondition` if the run cannot be continued, for example because an older version
    /// of the program stored the failure.
    pub async fn retry(&self, id: impl Into<String>) -> Result<bool> {
        match self.find(id).await? {
            Some(handle) => handle.retry_run().await,
            None => Ok(false),
        }
    }

    /// Sends a signal to a run, as [`DurableRun::signal`](crate::DurableRun::signal) does. Returns `false` if the run
    /// does not exist.
    ///
    /// # Errors
    /// Returns the errors of [`DurableRun::signal`](crate::DurableRun::signal).
    pub async fn signal(
        &self,
        id: impl Into<String>,
        name: &str,
        value: impl Serialize,
    ) -> Result<bool> {
        match self.find(id).await? {
            Some(handle) => handle.send_signal(name, value).await.map(|()| true),
            None => Ok(false),
        }
    }

    /// Deletes a run and its data, regardless of its status. Returns `false` if it does not exist.
    ///
    /// # Errors
    /// See [`Runs`].
    pub async fn delete(&self, id: impl Into<String>) -> Result<bool> {
        let id = RunId::new(id)?;
        run_store(&self.0)?.delete(&id).await
    }

    /// Deletes the runs that finished longer than `age` ago, except children of a run that is not finished. Returns the
    /// number of deleted runs.
    ///
    /// # Errors
    /// See [`Runs`].
    pub async fn delete_finished(&self, age: Duration) -> Result<usize> {
        delete_finished(&*run_store(&self.0)?, age, &SkippedRuns::default()).await
    }

    async fn find(&self, id: impl Into<String>) -> Result<Option<Handle>> {
        let (id, store) = (RunId::new(id)?, run_store(&self.0)?);
        let head = store.peek(&id).await?;
        Ok(head.map(|head| Handle::new(&self.0, Arc::clone(&store), id).with_incarnation(&head)))
    }
}

/// Deletes the runs that finished longer than `age` ago, except children whose parent may still need their result.
pub(crate) async fn delete_finished(
    store: &dyn RunStore,
    age: Duration,
    skipped: &SkippedRuns,
) -> Result<usize> {
    let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
    let mut filter = RunFilter::new()
        .status(RunStatus::Completed)
        .status(RunStatus::Failed)
        .status(RunStatus::Cancelled)
        .updated_before_ms(now_ms().saturating_sub(age));
    let mut deleted = 0;
    loop {
        let page = store.list(&filter).await?;
        let Some(last) = page.last() else { return Ok(deleted) };
        let after = last.id.clone();
        for entry in &page {
            let is_deleted = delete_entry(store, entry).await;
            if skipped.skip_unreadable(&entry.id, is_deleted)? == Some(true) {
                deleted += 1;
            }
        }
        filter = filter.after(after);
    }
}

/// Deletes a finished run. Returns `false` if the run must be kept.
async fn delete_entry(store: &dyn RunStore, entry: &RunEntry) -> Result<bool> {
    if has_open_parent(store, &entry.tags).await? {
        return Ok(false);
    }
    // An operator may have continued the run in the meantime.
    let head = store.peek(&entry.id).await?;
    Ok(head.is_some_and(|head| head.status.is_over()) && store.delete(&entry.id).await?)
}

fn list_steps(messages: &[Message]) -> Vec<RunStep> {
    let mut steps = Vec::new();
    for message in messages {
        if message.role == Role::Model {
            steps.push(RunStep::new(StepKind::Model, ""));
        }
        let answers = message.content.iter().filter_map(Part::as_tool_response);
        steps.extend(answers.map(|answer| RunStep::new(StepKind::Tool, &answer.name)));
    }
    steps
}

/// The details of a stored run. They do not include the contents of messages and results, except in questions and
/// errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunDetails {
    /// Id of the run.
    pub id: RunId,
    /// Revision, status and wake-up time.
    pub head: RunHead,
    /// Name of the flow. `None` for a run that is not a flow.
    pub flow: Option<String>,
    /// Name of the model. `None` for a flow.
    pub model: Option<String>,
    /// Saved steps, in order. For a flow, the saved results of `once`, in the order of their keys.
    pub steps: Vec<RunStep>,
    /// Build that created the run: see `GenkitBuilder::durable_build`.
    pub build: Option<String>,
    /// Number of unread signals.
    pub unread_signals: usize,
    /// Number of failed attempts of the next step.
    pub attempts: u32,
    /// Number of processes that ended during the next step.
    pub ended_processes: u32,
    /// Error of the run, or of the last attempt of its next step.
    pub error: Option<String>,
    /// Questions that have no answer yet.
    pub questions: Vec<Interrupt>,
    /// Operations that a suspended run waits for, up to 100. Empty if the run is not suspended.
    pub waits: Vec<RunWait>,
    /// Error that prevents this process from continuing the run, for example because a tool is missing. `None` if
    /// nothing is missing, or if the run is finished.
    pub missing: Option<String>,
    /// Number of saved messages. For a flow, the number of saved results of `once`.
    pub saved_lines: usize,
    /// Size of the stored text in bytes.
    pub bytes: usize,
}

/// A saved step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunStep {
    /// Kind of the step.
    pub kind: StepKind,
    /// Name of the tool, or key of `once`. Empty for a model call.
    pub name: String,
}

impl RunStep {
    fn new(kind: StepKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// A model call.
    Model,
    /// A tool call.
    Tool,
    /// A result of `once` in a flow.
    Once,
}
