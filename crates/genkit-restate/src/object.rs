//! The virtual object `genkit.Run`, one for each run. Its handlers store the state, determine the next steps, send them
//! to workers, and return.

use std::collections::BTreeMap;

use genkit::Genkit;
use genkit::durable::engine::{EngineAnswers, EngineRun, EngineStep};
use genkit::durable::{RunId, RunStatus};
use restate_sdk::context::{
    ContextAwakeables as _, ContextClient as _, ContextReadState as _, ContextWriteState as _,
    ObjectContext, RequestTarget, SharedObjectContext,
};
use restate_sdk::errors::{HandlerError, HandlerResult, TerminalError};
use restate_sdk::serde::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chunks::{HEAD, HeadPiece, LogChange, PIECES, RunPieces, WORKERS};
use crate::wire::{FirstState, FlowWaiter, SettledStep, WORK, Whole, handler_error, read, to_json};

/// The invocations that work on a run.
#[derive(Default, Serialize, Deserialize)]
struct Workers {
    /// The invocation of each open step, by its number.
    steps: BTreeMap<u64, String>,
    /// The waiting invocation of a flow that asks a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waiting: Option<FlowWaiter>,
}

pub(crate) struct RunObject {
    pub(crate) genkit: Genkit,
}

/// Loads the data of a run. A macro, because the two kinds of contexts do not share a trait with `Send` futures.
macro_rules! load {
    ($ctx:expr) => {{
        match $ctx.get::<Json<HeadPiece>>(HEAD).await? {
            None => None,
            Some(Json(head)) => {
                let mut log = Vec::with_capacity(head.pieces);
                for piece in PIECES.iter().take(head.pieces) {
                    let lines = $ctx.get::<Json<Vec<String>>>(piece).await?;
                    log.push(lines.map(|Json(lines)| lines).unwrap_or_default());
                }
                Some(RunPieces { head, log })
            }
        }
    }};
}

/// A durable run of genkit.
#[restate_sdk::object(name = "genkit.Run", client_visibility = "pub(crate)")]
impl RunObject {
    /// Starts the run. Returns `false` and changes nothing if it already exists.
    #[handler]
    async fn start(&self, ctx: ObjectContext<'_>, first: Json<Value>) -> HandlerResult<Json<bool>> {
        if ctx.get::<Json<HeadPiece>>(HEAD).await?.is_some() {
            return Ok(Json(false));
        }
        let first: FirstState = serde_json::from_value(first.0).map_err(|why| {
            TerminalError::new_with_code(400, format!("invalid initial state of a run: {why}"))
        })?;
        let id = run_id(&ctx)?;
        let mut kept = RunPieces::empty_run();
        let written = kept.apply_change(first.into_change());
        let run = self.engine_run(&id, &kept).await?;
        self.save_changes(&ctx, kept, Some(written), run, Workers::default()).await?;
        Ok(Json(true))
    }

    /// Accepts the result of a model call.
    #[handler(ingress_private = true)]
    async fn answered(&self, ctx: ObjectContext<'_>, settled: Vec<u8>) -> HandlerResult<()> {
        self.take_settled(&ctx, &settled).await
    }

    /// Accepts the result of a tool call or a flow.
    #[handler(ingress_private = true)]
    async fn settled(&self, ctx: ObjectContext<'_>, settled: Vec<u8>) -> HandlerResult<()> {
        self.take_settled(&ctx, &settled).await
    }

    /// Accepts answers to open questions. Returns `false` if the run does not exist.
    #[handler]
    async fn answer(
        &self,
        ctx: ObjectContext<'_>,
        answers: Json<Value>,
    ) -> HandlerResult<Json<bool>> {
        let answers: EngineAnswers = serde_json::from_value(answers.0)
            .map_err(|why| TerminalError::new_with_code(400, format!("invalid answer: {why}")))?;
        let Some(kept) = load!(ctx) else { return Ok(Json(false)) };
        let workers = load_workers(&ctx).await?;
        let mut run = self.engine_run(&run_id(&ctx)?, &kept).await?;
        run.answer(answers).await.map_err(|error| handler_error(&error))?;
        self.save_changes(&ctx, kept, None, run, workers).await?;
        Ok(Json(true))
    }

    /// Cancels the run. Returns `false` if it was already finished, and `null` if it does not exist.
    #[handler]
    async fn cancel(&self, ctx: ObjectContext<'_>) -> HandlerResult<Json<Option<bool>>> {
        let Some(kept) = load!(ctx) else { return Ok(Json(None)) };
        let workers = load_workers(&ctx).await?;
        let mut run = self.engine_run(&run_id(&ctx)?, &kept).await?;
        let is_ended = run.cancel();
        if is_ended {
            self.save_changes(&ctx, kept, None, run, workers).await?;
        }
        Ok(Json(Some(is_ended)))
    }

    /// Cancels the run and deletes its data. Returns `false` if it does not exist.
    #[handler]
    async fn delete(&self, ctx: ObjectContext<'_>) -> HandlerResult<Json<bool>> {
        let is_there = ctx.get::<Json<HeadPiece>>(HEAD).await?.is_some();
        cancel_invocations(&ctx, &mut load_workers(&ctx).await?);
        ctx.clear_all();
        Ok(Json(is_there))
    }

    /// Returns the status of the run, or `null` if it does not exist.
    #[handler]
    async fn status(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<RunStatus>>> {
        let head = ctx.get::<Json<HeadPiece>>(HEAD).await?;
        Ok(Json(head.map(|Json(head)| head.status)))
    }

    /// Returns the stored data of the run, or `null` if it does not exist.
    #[handler]
    async fn state(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<Whole>>> {
        let Some(kept) = load!(ctx) else { return Ok(Json(None)) };
        let stored = kept.to_stored();
        let (status, revision) = (stored.at.status, stored.at.revision);
        let (head, log) = (stored.head, stored.log);
        Ok(Json(Some(Whole { status, revision, head, log })))
    }
}

impl RunObject {
    async fn engine_run(&self, id: &RunId, kept: &RunPieces) -> Result<EngineRun, HandlerError> {
        let run = EngineRun::load(&self.genkit, id, kept.to_stored()).await;
        // The error is retried, because a worker of a newer version may have the missing tool and continue the run.
        run.map_err(|error| HandlerError::from(error.chain()))
    }

    async fn take_settled(&self, ctx: &ObjectContext<'_>, settled: &[u8]) -> HandlerResult<()> {
        let SettledStep { done, waiting } = read(settled)?;
        // Ignore the result if the run was deleted.
        let Some(kept) = load!(ctx) else { return Ok(()) };
        let mut workers = load_workers(ctx).await?;
        let mut run = self.engine_run(&run_id(ctx)?, &kept).await?;
        workers.steps.remove(&done.number());
        let is_taken = run
            .accept_step_result(done)
            .await
            .map_err(|error| HandlerError::from(error.chain()))?;
        if is_taken {
            workers.waiting = waiting;
            self.save_changes(ctx, kept, None, run, workers).await?;
        }
        Ok(())
    }

    /// Saves the run, and sends the steps that are due to workers.
    async fn save_changes(
        &self,
        ctx: &ObjectContext<'_>,
        mut kept: RunPieces,
        first: Option<LogChange>,
        mut run: EngineRun,
        mut workers: Workers,
    ) -> HandlerResult<()> {
        for step in run.due() {
            match workers.waiting.take() {
                Some(waiting) if step.flow().is_some() => {
                    workers.steps.insert(step.number(), waiting.invocation);
                    ctx.resolve_awakeable(&waiting.awakeable, to_json(&step)?);
                }
                _ => {
                    let (number, invocation) = (step.number(), send_step(ctx, &step).await?);
                    workers.steps.insert(number, invocation);
                }
            }
        }
        if run.status().is_over() {
            cancel_invocations(ctx, &mut workers);
        }
        let written =
            kept.apply_change(run.change().map_err(|error| HandlerError::from(error.chain()))?);
        for LogChange { pieces, gone } in first.into_iter().chain([written]) {
            for (at, piece) in pieces {
                ctx.set(PIECES[at], Json(piece));
            }
            for at in gone {
                ctx.clear(PIECES[at]);
            }
        }
        ctx.set(HEAD, Json(kept.head));
        ctx.set(WORKERS, Json(workers));
        Ok(())
    }
}

fn run_id(ctx: &ObjectContext<'_>) -> Result<RunId, HandlerError> {
    RunId::new(ctx.key()).map_err(|error| handler_error(&error))
}

async fn load_workers(ctx: &ObjectContext<'_>) -> Result<Workers, HandlerError> {
    let workers = ctx.get::<Json<Workers>>(WORKERS).await?;
    Ok(workers.map(|Json(workers)| workers).unwrap_or_default())
}

/// Sends a step to a worker, and returns the id of its invocation.
async fn send_step(ctx: &ObjectContext<'_>, step: &EngineStep) -> Result<String, HandlerError> {
    let handler = match (step.flow(), step.tool()) {
        (Some(_), _) => "flow",
        (None, Some(_)) => "tool",
        (None, None) => "model",
    };
    let target = RequestTarget::service(WORK, handler);
    let sent = ctx.request::<Vec<u8>, ()>(target, to_json(step)?).send().await?;
    Ok(sent.invocation_id().to_owned())
}

/// Cancels the invocations that work on the run.
fn cancel_invocations(ctx: &ObjectContext<'_>, workers: &mut Workers) {
    let waiting = workers.waiting.take().map(|waiting| waiting.invocation);
    for invocation in std::mem::take(&mut workers.steps).into_values().chain(waiting) {
        ctx.invocation_handle(invocation).cancel();
    }
}
