//! The activities: performing one step on any worker, and determining the next steps of a run.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt as _;
use genkit::durable::engine::{EngineRun, EngineStep, StepLog, StepResult};
use genkit::{BoxFuture, Error, ErrorKind, Genkit, Result};
use serde_json::Value;
use temporalio_client::{ActivityIdentifier, RpcOptions, WorkflowSignalOptions};
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::Error as E;
use crate::limits::{CANCEL_TIMEOUT, HEARTBEAT_INTERVAL};
use crate::wire::{
    AdvanceInput, AdvanceOutput, Advanced, AnswerError, DueStep, OnceNote, RunEvent, StepInput,
    StepKind, StepOutput, from_json, pack, to_json, unpack,
};
use crate::workflow::RunWorkflow;

/// The type of the failure of a step that ended without a result.
pub(crate) const STOPPED: &str = "genkit.StepStopped";

pub(crate) struct Steps {
    pub(crate) genkit: Genkit,
}

#[activities]
impl Steps {
    /// Passes an event to a run, and determines the next steps.
    #[activity(name = "genkit.advance")]
    pub(crate) async fn advance(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, ActivityError> {
        self.advance_run(&input).await.map_err(not_started_error)
    }

    /// Calls the model.
    #[activity(name = "genkit.model")]
    pub(crate) async fn model(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, ActivityError> {
        self.perform_step(ctx, &input).await
    }

    /// Calls a tool.
    #[activity(name = "genkit.tool")]
    pub(crate) async fn tool(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, ActivityError> {
        self.perform_step(ctx, &input).await
    }

    /// Runs a flow.
    #[activity(name = "genkit.flow")]
    pub(crate) async fn flow(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, ActivityError> {
        self.perform_step(ctx, &input).await
    }

    async fn advance_run(&self, input: &[u8]) -> Result<Vec<u8>> {
        let AdvanceInput { run: id, data, event } = unpack(input)?;
        let stored =
            data.ok_or_else(|| E::Unreadable("the run has no data".to_owned()))?.into_stored();
        let mut run = EngineRun::load(&self.genkit, &id, stored).await?;
        match event {
            RunEvent::Started => {}
            RunEvent::Cancelled => _ = run.cancel(),
            RunEvent::Settled(done) => {
                let _ = run.accept_step_result(from_json(done.as_bytes())?).await?;
            }
            RunEvent::Answered(answers) => {
                if let Err(error) = run.answer(answers).await {
                    let refusal = AnswerError::from_error(&error).ok_or(error)?;
                    return pack("an answer", &AdvanceOutput::Refused(refusal));
                }
            }
        }
        let due = run.due().iter().map(|step| self.due_step(step)).collect::<Result<_>>()?;
        let (status, error) = (run.status(), run.error().map(|error| error.chain()));
        let change = run.change()?;
        let advanced = Advanced { status, head: change.head, log: change.log, due, error };
        let packed = pack("the change of a run by one step", &AdvanceOutput::Advanced(advanced));
        packed.or_else(|error| pack("an error", &AdvanceOutput::TooLarge(error.chain())))
    }

    fn due_step(&self, step: &EngineStep) -> Result<DueStep> {
        let (kind, name) = match (step.flow(), step.tool()) {
            (Some(flow), _) => (StepKind::Flow, flow),
            (None, Some(tool)) => (StepKind::Tool, tool),
            (None, None) => (StepKind::Model, "model"),
        };
        let limit = step.time_limit(&self.genkit);
        Ok(DueStep {
            number: step.number(),
            kind,
            name: name.to_owned(),
            limit: limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            step: match kind {
                StepKind::Model => None,
                StepKind::Tool | StepKind::Flow => Some(to_json(step)?),
            },
        })
    }

    async fn perform_step(
        &self,
        ctx: ActivityContext,
        input: &[u8],
    ) -> Result<Vec<u8>, ActivityError> {
        let mut input: StepInput = unpack(input).map_err(not_started_error)?;
        let step = self.load_step(&mut input).await.map_err(not_started_error)?;
        let done = if input.is_begun && step.is_at_most_once(&self.genkit) {
            step.unknown(input.recorded)
        } else {
            self.run_work(&ctx, &step, &mut input).await?
        };
        let retry_after = done.retry_after(input.tries + 1);
        if let (Some(wait), Some(error)) = (retry_after, done.error()) {
            let (run, error) = (&input.run, error.to_string());
            tracing::info!(%run, %error, ?wait, "a step of a run failed and will be retried");
        }
        let retry_after =
            retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let output = to_json(&done).map(|done| StepOutput { done, retry_after });
        // A result that cannot be stored ends the run: performing the step again would not help.
        let packed = output.and_then(|output| pack("the result of a step", &output));
        packed.map_err(|error| ApplicationFailure::non_retryable(error.chain()).into())
    }

    async fn load_step(&self, input: &mut StepInput) -> Result<EngineStep> {
        let data = match (&input.step, input.data.take()) {
            (Some(step), _) => return from_json(step.as_bytes()),
            (None, data) => data,
        };
        let missing = || E::Unreadable(format!("the step {} is not part of the run", input.number));
        let stored = data.ok_or_else(missing)?.into_stored();
        let mut run = EngineRun::load(&self.genkit, &input.run, stored).await?;
        Ok(run.open_step(input.number).ok_or_else(missing)?)
    }

    /// Performs a step, and reports to Temporal that this worker is alive.
    async fn run_work(
        &self,
        ctx: &ActivityContext,
        step: &EngineStep,
        input: &mut StepInput,
    ) -> Result<StepResult, ActivityError> {
        let (cancel, cancelled) = oneshot::channel::<()>();
        // If the sender is dropped, the step is not cancelled.
        let cancelled = async {
            if cancelled.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let log = OnceSignals { ctx: ctx.clone(), number: input.number, attempt: input.attempt };
        let recorded = std::mem::take(&mut input.recorded);
        let working = step.perform(&self.genkit, recorded, log, cancelled);
        let mut working = pin!(AssertUnwindSafe(working).catch_unwind());
        tokio::select! {
            biased;
            () = ctx.cancelled() => {}
            () = send_heartbeats(ctx) => {}
            done = &mut working => return match done {
                Ok(done) => done.map_err(not_started_error),
                Err(_) => Err(stopped_error("the step panicked")),
            },
        }
        // Cancel external operations before the step is dropped.
        let _ = cancel.send(());
        let _ = timeout(CANCEL_TIMEOUT, working).await;
        Err(stopped_error("the step was stopped"))
    }
}

/// Sends heartbeats until Temporal rejects one.
async fn send_heartbeats(ctx: &ActivityContext) {
    while ctx.record_heartbeat(()).await.is_ok() {
        tokio::time::sleep(HEARTBEAT_INTERVAL).await;
    }
}

/// Converts an error of a step that has not begun, which another worker may be able to perform.
fn not_started_error(error: Error) -> ActivityError {
    ApplicationFailure::new(error.chain()).into()
}

/// Creates the error of a step that has begun and has no result.
fn stopped_error(why: &'static str) -> ActivityError {
    let failure = ApplicationFailure::builder(why);
    failure.type_name(STOPPED.to_owned()).non_retryable(true).build().into()
}

/// Sends results of `once` to the workflow, whose history stores them.
struct OnceSignals {
    ctx: ActivityContext,
    number: u64,
    attempt: u32,
}

impl StepLog for OnceSignals {
    fn once(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        let (ctx, key, done) = (self.ctx.clone(), key.to_owned(), done.clone());
        let note = OnceNote { number: self.number, attempt: self.attempt, key, done };
        Box::pin(async move {
            let note = pack("a result of `once`", &note)?;
            let lost = || Error::new(ErrorKind::Aborted, "the step was passed to another worker");
            let workflow = ctx.workflow_handle::<RunWorkflow>().ok_or_else(lost)?;
            let sent = workflow.signal(RunWorkflow::once, note, WorkflowSignalOptions::default());
            sent.await
                .map_err(|error| crate::error::of_call(error).map_or_else(lost, Error::from))?;
            // The server rejects the heartbeat of a lost attempt, whose results are not used.
            let token = ActivityIdentifier::from_task_token(ctx.info().task_token.clone().into());
            let activity = ctx.client().get_async_activity_handle(token);
            let alive = activity.heartbeat(None::<()>, RpcOptions::default()).await;
            alive.map(drop).map_err(|_| lost())
        })
    }
}
