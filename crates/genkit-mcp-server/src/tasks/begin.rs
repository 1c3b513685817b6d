//! The start of a task: a call that does not finish in time is saved, and continues without its request.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::Either;
use rmcp::model::CreateTaskResult;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::caller::TaskCaller;
use super::drive::{TaskWork, drive_task};
use super::record::{StoredCall, TaskRecord};
use super::rounds::TaskRounds;
use super::{sweep_later, wire};
use crate::caller::Request;
use crate::permission::Item;
use crate::quota::ClientKey;
use crate::run::{Answered, Run, RunOutcome, run_tool};
use crate::session::random_bytes;
use crate::state::SharedState;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{Journal, Rounds};
use genkit_core::internal::run_store::now_ms;
use genkit_core::{Result, RunId, Tool, ToolTask};
use genkit_durable::internal::{CallJournal, LEASE, LeasedRun, Note};

/// The outcome of a call that can become a task: it finished or asked a question in time, or became a task.
type BegunCall = Either<RunOutcome<ToolOutput>, CreateTaskResult>;

/// A call before it becomes a task.
struct NewTask<'a> {
    shared: &'a Arc<SharedState>,
    id: RunId,
    tool: Tool,
    client: ClientKey,
    caller: Arc<TaskCaller>,
    record: TaskRecord,
    work: TaskWork,
    run: Run,
    /// Cancelled when the client cancels the request or disconnects.
    request: CancellationToken,
    after: Duration,
}

/// Runs `tool` for a client that supports tasks.
pub(in super::super) fn start_task(
    shared: &Arc<SharedState>,
    request: Request,
    tool: Tool,
    arguments: Value,
    task: ToolTask,
) -> Answered<impl Future<Output = Answered<BegunCall>>> {
    let (client, request_cancel) = (request.quota.key().clone(), request.cancel.clone());
    let described = Arc::clone(&request.client);
    let principal = shared.caller_for_head(&request.head).principal().cloned();
    let ttl = shared.settings.task_ttl;
    let (name, item) = (tool.name(), Item::Tool(&tool));
    let (run, mut context) =
        Run::admit_request(shared, request, "tools/call", name, &arguments, item)?;
    let id = RunId::new_task(random_bytes());
    let waiting = Some(Arc::clone(&run.caller));
    let caller = Arc::new(TaskCaller::new(waiting, described, &shared.genkit.registry));
    let mut call = StoredCall::new(tool.name(), arguments.clone(), caller.description())
        .with_principal(principal.as_ref());
    call.trusts_client = run.caller.trusted_to_approve();
    call.meta = (*context.meta).clone();
    call.share = context.client;
    let trusts_client = call.trusts_client;
    let recording = context.recording.clone().unwrap_or_default();
    let (notes, noted) = mpsc::unbounded_channel::<Note>();
    let stop = CancellationToken::new();
    // The client cannot read a result after the end of the task's lifetime.
    context.limit = Some(tool.timeout().unwrap_or(ttl).min(ttl));
    context.caller = Arc::clone(&caller) as _;
    context.rounds = Some(Arc::new(TaskRounds(context.rounds)) as Arc<dyn Rounds>);
    context.journal = Some(Arc::new(CallJournal::new(&id, (0, 0), notes)) as Arc<dyn Journal>);
    context.cancel = stop.clone();
    let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
    let record = TaskRecord::new(call, recording, ttl_ms);
    let messages = caller.messages();
    let running = Box::pin(run_tool(shared, context, trusts_client, tool.clone(), arguments));
    let work = TaskWork { running, noted, messages, stop };
    let (request, after) = (request_cancel, task.starts_after());
    Ok(NewTask { shared, id, tool, client, caller, record, work, run, request, after }.run_task())
}

impl NewTask<'_> {
    async fn run_task(mut self) -> Answered<BegunCall> {
        let work = &mut self.work;
        let after = self.after;
        let mut patience = pin!(async move {
            // A timer would round zero up to a millisecond.
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
        });
        let ended = loop {
            tokio::select! {
                biased;
                ended = &mut work.running => break Some(ended),
                Some(Note { what, saved, .. }) = work.noted.recv() => {
                    self.record.note_result(what);
                    let _ = saved.send(());
                }
                () = self.request.cancelled(), if !work.stop.is_cancelled() => work.stop.cancel(),
                () = &mut patience, if !work.stop.is_cancelled() => break None,
            }
        };
        match ended {
            Some(ended) => Ok(Either::Left(self.run.into_outcome(ended)?)),
            None => self.becomes_task().await,
        }
    }

    /// Saves the task before its id is sent to the client.
    async fn becomes_task(self) -> Answered<BegunCall> {
        let Self { shared, id, tool, client, caller, mut record, work, run, .. } = self;
        let held = run.become_task()?;
        let session = match create_run(shared, &id, &client, &mut record).await {
            Ok(session) => session,
            Err(error) => {
                held.release_slot();
                let error = shared.for_client(error, tool.name());
                return Err(crate::error::protocol_error(&error));
            }
        };
        caller.becomes_task();
        shared.tasks.note_made(&client, record.ends_ms());
        sweep_later(shared);
        let told = wire::created_result(&id, &record);
        let running = shared.tasks.register_running(&id, Some(&client), &work.stop);
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let _running = running;
            drive_task(&shared, &tool, session, record, work).await;
            // The function still holds the in-flight slot of its request.
            held.release_slot();
        });
        Ok(Either::Right(told))
    }
}

async fn create_run(
    shared: &Arc<SharedState>,
    id: &RunId,
    client: &ClientKey,
    record: &mut TaskRecord,
) -> Result<LeasedRun> {
    // If this process dies before it acquires the lease, other servers wait this long before they resume the
    // task.
    let lease = LEASE;
    let ms = u64::try_from(lease.as_millis()).unwrap_or(u64::MAX);
    let mut first = record.take_change()?.with_wake_at_ms(Some(now_ms().saturating_add(ms)));
    first.tags = shared.tasks.client_tags(client);
    LeasedRun::create(&shared.tasks.store, id, &first, lease).await
}
