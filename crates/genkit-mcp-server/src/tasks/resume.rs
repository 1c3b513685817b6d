//! Resumes abandoned tasks: the function restarts from the beginning with its recorded results and answers.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ErrorData;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::caller::TaskCaller;
use super::drive::{TaskWork, drive_task, error_result};
use super::record::{Stage, TaskRecord};
use super::rounds::TaskRounds;
use super::wire::protocol_error_value;
use crate::quota::ClientKey;
use crate::run::run_tool;
use crate::state::SharedState;
use crate::tasks::table::RunningTask;
use genkit_core::internal::context::{ContextParts, Journal, Rounds, TypeMap};
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::visible::Logged;
use genkit_core::{Result, RunId, Tool};
use genkit_durable::internal::{CallJournal, LEASE, LeasedRun, MAX_ENDED_PROCESSES};

/// The outcome of an attempt to resume a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResumeOutcome {
    /// The task was run until it finished, asked a question or was stopped, or it has ended or expired.
    Settled,
    /// Another server holds the lease, or the task is not due or not working.
    NotAvailable,
    /// This server cannot run the task, or not now.
    Unsupported,
}

/// Resumes a task for its client, unless it already runs in this process.
pub(super) fn spawn_resume(shared: &Arc<SharedState>, id: &RunId, client: &ClientKey) {
    let stop = CancellationToken::new();
    let Some(running) = shared.tasks.register_running(id, Some(client), &stop) else { return };
    let shared = Arc::clone(shared);
    tokio::spawn(async move { resume_task(&shared, running, stop).await });
}

/// Resumes the task registered by `running`.
pub(super) async fn resume_task(
    shared: &Arc<SharedState>,
    running: RunningTask,
    stop: CancellationToken,
) -> ResumeOutcome {
    match work_on(shared, &running.id, stop).await {
        Ok(taken) => taken,
        Err(error) => {
            let error = Logged::text(error.chain());
            tracing::warn!(%error, "failed to resume a task");
            ResumeOutcome::Unsupported
        }
    }
}

async fn work_on(
    shared: &Arc<SharedState>,
    id: &RunId,
    stop: CancellationToken,
) -> Result<ResumeOutcome> {
    let store = &shared.tasks.store;
    let Some((mut session, stored)) = LeasedRun::begin(store, id, LEASE).await? else {
        return Ok(ResumeOutcome::NotAvailable);
    };
    let now = now_ms();
    let Some(mut record) = TaskRecord::read(&stored) else {
        tracing::warn!("ignoring a stored task written by another version of this library");
        session.release().await;
        return Ok(ResumeOutcome::Unsupported);
    };
    if record.ends_ms() <= now {
        store.delete(id).await?;
        session.release().await;
        return Ok(ResumeOutcome::Settled);
    }
    let is_due = stored.at.wake_at_ms.is_none_or(|time| time <= now);
    if !is_due || !matches!(record.stage, Stage::Working) {
        session.release().await;
        return Ok(ResumeOutcome::NotAvailable);
    }
    if !shared.tasks.assign_client(id, record.call.share) {
        session.release().await;
        return Ok(ResumeOutcome::Unsupported);
    }
    let tool = shared.wait_for_hosts().await.genkit.registry.tool(&record.call.tool);
    let Some(tool) = tool.filter(|tool| shared.settings.filter.has_tool(tool)) else {
        let tool = Logged::name(&record.call.tool);
        tracing::warn!(%tool, "cannot resume a task; this server does not have its tool");
        session.release().await;
        return Ok(ResumeOutcome::Unsupported);
    };
    if let Some(stage) = final_stage(&tool, &record) {
        record.stage = stage;
        session.save_change(record.take_change()?).await?;
        session.release().await;
        return Ok(ResumeOutcome::Settled);
    }
    record.attempts += 1;
    // Count the attempt before it starts, so that a crash of the process counts as well.
    session.save_change(record.take_change()?).await?;
    let work = restart_function(shared, &tool, &session, id, &record, stop);
    drive_task(shared, &tool, session, record, work).await;
    Ok(ResumeOutcome::Settled)
}

/// Returns the final stage of an interrupted task that must not be restarted; `None` if it can be
/// restarted.
fn final_stage(tool: &Tool, record: &TaskRecord) -> Option<Stage> {
    if record.attempts > 0 && tool.is_at_most_once() {
        return Some(Stage::Completed(error_result(&format!(
            "The tool `{}` was started, but its server stopped before the call finished. It is not known whether the \
             call took effect, and the call is not repeated automatically. Check before you call the tool again.",
            tool.name()
        ))));
    }
    (record.attempts >= MAX_ENDED_PROCESSES).then(|| {
        let why = format!(
            "{MAX_ENDED_PROCESSES} servers stopped while they ran the tool `{}`, so the task is not restarted",
            tool.name()
        );
        Stage::Failed(protocol_error_value(&ErrorData::internal_error(why, None)))
    })
}

/// Starts the function from the beginning, without the original request.
fn restart_function(
    shared: &Arc<SharedState>,
    tool: &Tool,
    session: &LeasedRun,
    id: &RunId,
    record: &TaskRecord,
    stop: CancellationToken,
) -> TaskWork {
    let call = &record.call;
    let client = Arc::new(call.client.clone());
    let caller = Arc::new(TaskCaller::new(None, client, &shared.genkit.registry));
    let (notes, noted) = mpsc::unbounded_channel();
    let journal = CallJournal::new(id, (0, 0), notes).with_lease(session);
    let mut values = TypeMap::default();
    if let Some(principal) = call.principal() {
        values.insert(principal);
    }
    let left = Duration::from_millis(record.ends_ms().saturating_sub(now_ms()));
    let context = ContextParts {
        states: shared.genkit.states.clone(),
        values,
        journal: Some(Arc::new(journal) as Arc<dyn Journal>),
        meta: Arc::new(call.meta.clone()),
        cancel: stop.clone(),
        // The client cannot read a result after the end of the task's lifetime.
        limit: Some(tool.timeout().unwrap_or(left).min(left)),
        recording: Some(record.recording()),
        rounds: Some(Arc::new(TaskRounds(None)) as Arc<dyn Rounds>),
        defaults: shared.settings.values.clone(),
        client: call.share,
        caller: Arc::clone(&caller) as _,
        ..ContextParts::default()
    };
    let (trusts_client, input) = (call.trusts_client, call.input.clone());
    let running = Box::pin(run_tool(shared, context, trusts_client, tool.clone(), input));
    TaskWork { running, noted, messages: caller.messages(), stop }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::McpServer;
    use crate::instance::ServedInstance;
    use crate::tasks::record::StoredCall;
    use genkit_core::internal::context::Recording;
    use genkit_core::internal::fair_share::hash_client;
    use genkit_core::{Context, Registry};
    use genkit_durable::internal::NoteContent;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn resumed_task_counts_for_the_client_that_created_it() {
        let tool = Tool::builder("work", "Works.").handler(|_: Context, (): ()| async { Ok("") });
        let instance = ServedInstance::with_registry(Registry::new().add([tool]));
        let shared = McpServer::new(instance).check(false).unwrap();
        let stop = CancellationToken::new();
        // All running tasks are those of one client.
        let (eve, ada) = (hash_client(&"eve"), hash_client(&"ada"));
        let held: Vec<_> = (0..500_u128)
            .map(|number| {
                let id = RunId::new_task(number.to_be_bytes());
                let running = shared.tasks.register_running(&id, None, &stop).unwrap();
                assert!(shared.tasks.assign_client(&id, Some(eve)));
                running
            })
            .collect();
        let mut resumed = Vec::new();
        for (number, share) in [(u128::MAX, Some(eve)), (u128::MAX - 1, Some(ada))] {
            let client = TaskCaller::new(None, Arc::default(), &Registry::new());
            let mut call = StoredCall::new("work", Value::Null, client.description());
            call.share = share;
            let mut record = TaskRecord::new(call, Recording::default(), 60_000);
            let id = RunId::new_task(number.to_be_bytes());
            shared.tasks.store.create(&id, &record.take_change().unwrap()).await.unwrap();
            let running = shared.tasks.register_running(&id, None, &stop).unwrap();
            resumed.push(resume_task(&shared, running, stop.clone()).await);
        }
        assert!(resumed == [ResumeOutcome::Unsupported, ResumeOutcome::Settled]);
        drop(held);
    }

    #[test]
    fn task_ends_ten_servers_without_progress() {
        let handler = |_: Context, (): ()| async { Ok("done") };
        let tool = Tool::builder("crash", "Ends its server.").handler(handler);
        let client = TaskCaller::new(None, Arc::default(), &genkit_core::Registry::new());
        let call = StoredCall::new("crash", Value::Null, client.description());
        let mut record = TaskRecord::new(call, Recording::default(), 60_000);
        record.attempts = MAX_ENDED_PROCESSES - 1;
        assert!(final_stage(&tool, &record).is_none());
        record.attempts = MAX_ENDED_PROCESSES;
        let Some(Stage::Failed(error)) = final_stage(&tool, &record) else {
            panic!("it is restarted")
        };
        assert!(
            error.to_string().contains("10 servers stopped while they ran the tool `crash`"),
            "{error}"
        );
        // A saved result resets the count.
        record.note_result(NoteContent::Once { key: "part".to_owned(), done: json!(1) });
        assert!(final_stage(&tool, &record).is_none());
        assert_eq!(record.attempts, 1);
    }
}
