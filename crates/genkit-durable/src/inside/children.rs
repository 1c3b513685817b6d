//! Child runs: a function of a run starts each child once, and the run is suspended while it waits for them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use super::mail::LiveRun;
use super::{call_of_run, call_store};
use crate::error::Error as E;
use crate::handle::Handle;
use crate::outcome::{FlowOutcome, into_flow_outcome, into_response};
use crate::record::{RunBody, StoredError, to_json};
use crate::runs;
use crate::settings::DurableOptions;
use genkit_agent::{Generate, Instance};
use genkit_core::internal::context::{ExternalOperation, RunWait};
use genkit_core::internal::run_store::short_hash;
use genkit_core::{BoxFuture, Context, Error, ErrorKind, GenerateResponse, Result};
use genkit_core::{RunFilter, RunId, RunStatus, RunStore};

/// The shortest and the longest wait of a suspended run before it checks its child. Defaults are 1 second and 5
/// minutes. The checks are needed only if the child's process dies before it wakes
/// the run.
const CHECK_INTERVALS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));

/// A child flow, started by [`DurableContext::start_child_flow`](crate::DurableContext::start_child_flow).
#[derive(Clone, Debug)]
pub struct ChildFlow(Child);

/// A child run, started by [`DurableContext::start_child_run`](crate::DurableContext::start_child_run).
#[derive(Clone, Debug)]
pub struct ChildRun(Child);

#[derive(Clone, Debug)]
struct Child {
    context: Context,
    /// The key of the result.
    key: String,
    handle: Handle,
}

impl ChildFlow {
    /// Returns the id of the child, for `Genkit::find_durable_flow` and the methods of [`Runs`](crate::Runs).
    pub fn id(&self) -> &RunId {
        self.0.handle.id()
    }

    /// Waits until the child is finished, and returns its result, which is also saved in the parent. A parent that only
    /// waits is suspended in the store. If the child is interrupted, answer its questions with a handle of the child.
    ///
    /// # Errors
    /// Returns the error of the child if it failed, `Cancelled` if it was cancelled, `NotFound` if it was deleted, and
    /// any error from the store.
    pub async fn wait(&self) -> Result<Value> {
        self.0.wait_for_result().await
    }
}

impl ChildRun {
    /// Returns the id of the child, for `Genkit::find_durable_run` and the methods of [`Runs`](crate::Runs).
    pub fn id(&self) -> &RunId {
        self.0.handle.id()
    }

    /// Waits until the child is finished, and returns its response. Otherwise the same as [`ChildFlow::wait`].
    ///
    /// # Errors
    /// Returns the errors of [`ChildFlow::wait`].
    pub async fn wait(&self) -> Result<GenerateResponse> {
        let response = self.0.wait_for_result().await?;
        Ok(serde_json::from_value(response)?)
    }
}

/// The saved result of a child.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ChildResult {
    Done(Value),
    Failed(StoredError),
}

impl ChildResult {
    fn into_result(self) -> Result<Value> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Failed(error) => Err(error.into_error()),
        }
    }
}

/// A child that a call waits for.
struct ExpectedEnd {
    handle: Handle,
    began: Instant,
}

impl ExpectedEnd {
    /// Returns the time until the next check, which increases with the time waited so far.
    fn next_check(&self) -> Duration {
        (self.began.elapsed() / 2).clamp(CHECK_INTERVALS.0, CHECK_INTERVALS.1)
    }
}

impl ExternalOperation for ExpectedEnd {
    fn poll_operation(&self) -> BoxFuture<'_, Option<Duration>> {
        Box::pin(async {
            let head = self.handle.peek_head().await;
            let is_open = head.is_ok_and(|head| !head.status.is_over());
            is_open.then(|| self.next_check())
        })
    }

    fn describe(&self) -> RunWait {
        RunWait::Child(self.handle.id().to_string())
    }

    fn cancel_operation(&self) {}
}

pub(super) async fn start_flow(
    context: &Context,
    key: &str,
    flow: &str,
    input: impl Serialize + Send,
) -> Result<ChildFlow> {
    let (start, input) = (ChildStart::new(context, key)?, to_json(input)?);
    let create = || async {
        let (instance, id) = (&start.instance, start.id.as_str());
        let options = start.options.clone();
        Ok(runs::durable_flow(instance, id, flow, &input, options).await?.0)
    };
    start.start_once(context, call_store(create)).await.map(ChildFlow)
}

pub(super) async fn start_run(context: &Context, key: &str, run: Generate) -> Result<ChildRun> {
    let start = ChildStart::new(context, key)?;
    let create = || async {
        let (instance, id) = (&start.instance, start.id.as_str());
        Ok(runs::durable_run(instance, id, run.clone(), start.options.clone()).await?.0)
    };
    start.start_once(context, call_store(create)).await.map(ChildRun)
}

/// The parameters of a child that is to be created.
struct ChildStart {
    instance: Instance,
    id: RunId,
    key: String,
    options: DurableOptions,
}

impl ChildStart {
    fn new(context: &Context, key: &str) -> Result<Self> {
        let parent = call_of_run(context)?.run_id().clone();
        let instance = Instance::running().ok_or(E::NotInRun)?;
        let key = context.nth_key(&format!("child/{key}"));
        let place = short_hash(&context.idempotency_key(&key).ok_or(E::NotInRun)?);
        let id = RunId::new(format!("{parent}.{}", &place[..16]))
            .or_else(|_| RunId::new(format!("child-{place}")))?;
        let options = DurableOptions::new().with_parent(parent);
        Ok(Self { instance, id, key, options })
    }

    /// Starts the child, unless an earlier execution of the function started it. A child that was deleted in the
    /// meantime is not started again.
    async fn start_once(
        &self,
        context: &Context,
        create: impl Future<Output = Result<Handle>>,
    ) -> Result<Child> {
        let started = format!("started/{}", self.key);
        let recorded = context.recorded_result(&started);
        // The run must not be suspended for another wait until the start is saved.
        let _busy = context.prevent_drop();
        let handle = match recorded.or_else(|| context.recorded_result(&self.key)) {
            Some(_) => {
                let store = runs::run_store(&self.instance)?;
                Handle::new(&self.instance, store, self.id.clone())
            }
            None => {
                let handle = create.await?;
                context.record_saved(&started, true.into()).await?;
                handle
            }
        };
        Ok(Child { context: context.clone(), key: self.key.clone(), handle })
    }
}

impl Child {
    async fn wait_for_result(&self) -> Result<Value> {
        if let Some(recorded) = self.context.recorded_result(&self.key) {
            return serde_json::from_value::<ChildResult>(recorded)?.into_result();
        }
        loop {
            self.wait_for_end().await?;
            // The run must not be suspended for another wait until the result is saved.
            let _busy = self.context.prevent_drop();
            // `None` if an operator continued the child in the meantime.
            let Some(result) = self.read_result().await? else { continue };
            self.context.record_saved(&self.key, serde_json::to_value(&result)?).await?;
            return result.into_result();
        }
    }

    async fn wait_for_end(&self) -> Result<()> {
        let live: Arc<LiveRun> = call_of_run(&self.context)?.live.clone().ok_or(E::NotInRun)?;
        let _following = self.context.follow_operation();
        let _listening = live.listen();
        let mut arrived = live.watch_mail();
        let handle = self.handle.clone();
        let end = Arc::new(ExpectedEnd { handle, began: Instant::now() });
        while !call_store(|| self.handle.peek_head()).await?.status.is_over() {
            tokio::select! {
                _ = arrived.changed() => {}
                () = self.context.wait_suspended(Arc::clone(&end) as _, end.next_check()) => {}
            }
        }
        Ok(())
    }

    /// Reads the result of a finished child. Returns `None` if it is not finished.
    ///
    /// # Errors
    /// Returns an error if the child cannot be read, which is not a result of the child.
    async fn read_result(&self) -> Result<Option<ChildResult>> {
        let (stored, record) = call_store(|| self.handle.load_run()).await?;
        let (id, status) = (self.handle.id(), stored.at.status);
        if !status.is_over() {
            return Ok(None);
        }
        let ended = match record.body {
            RunBody::Generate(state) => {
                let registry = self.handle.registry();
                match into_response(id, registry, status, record.error, *state) {
                    Ok(response) => Ok(serde_json::to_value(&response)?),
                    Err(error) => Err(error),
                }
            }
            RunBody::Flow(state) => match into_flow_outcome(id, status, record.error, *state) {
                Ok(FlowOutcome::Returned(output)) => Ok(output),
                // The flow has failed, and its record does not contain the error.
                Ok(FlowOutcome::Interrupted(_)) => Err(Error::from(E::Lost(id.to_string()))),
                Err(error) => Err(error),
            },
        };
        Ok(Some(match ended {
            Ok(done) => ChildResult::Done(done),
            Err(error) => ChildResult::Failed(StoredError::from_error(&error)),
        }))
    }
}

/// The prefix of the tag that names the parent of a run.
const PARENT_TAG: &str = "parent:";

/// Returns the tag of the children of a run.
pub(crate) fn children_tag(parent: &RunId) -> String {
    format!("{PARENT_TAG}{parent}")
}

/// Returns whether a run with these tags has a parent that is not finished and may still need its result.
pub(crate) async fn has_open_parent(store: &dyn RunStore, tags: &[String]) -> Result<bool> {
    let parents = tags.iter().filter_map(|tag| tag.strip_prefix(PARENT_TAG));
    for parent in parents.filter_map(|parent| RunId::new(parent).ok()) {
        let head = store.peek(&parent).await?;
        if head.is_some_and(|head| !head.status.is_over()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the children of a run that are not finished. The list is empty if the store cannot list runs.
pub(crate) async fn open_children(store: &dyn RunStore, parent: &RunId) -> Vec<RunId> {
    list_children(store, open_children_filter(parent)).await.unwrap_or_default()
}

/// Returns the children to cancel together with a run, including children that are already cancelled, since they may
/// have children that are not. The list is empty if the store cannot list runs.
///
/// # Errors
/// Returns the errors of [`RunStore::list`].
pub(crate) async fn children_to_cancel(store: &dyn RunStore, parent: &RunId) -> Result<Vec<RunId>> {
    let filter = open_children_filter(parent).status(RunStatus::Cancelled);
    match list_children(store, filter).await {
        Err(error) if error.kind() == ErrorKind::FailedPrecondition => Ok(Vec::new()),
        listed => listed,
    }
}

fn open_children_filter(parent: &RunId) -> RunFilter {
    let filter = RunFilter::new().tag(children_tag(parent)).limit(usize::MAX);
    filter.status(RunStatus::Working).status(RunStatus::InputRequired)
}

async fn list_children(store: &dyn RunStore, filter: RunFilter) -> Result<Vec<RunId>> {
    let listed = store.list(&filter).await?;
    Ok(listed.into_iter().map(|run| run.id).collect())
}
