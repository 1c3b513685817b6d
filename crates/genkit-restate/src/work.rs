//! The service `genkit.Work`: performs one step on any worker, and sends back the result.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use genkit::Genkit;
use genkit::durable::engine::{EngineStep, StepResult};
use restate_sdk::context::{
    Context, ContextAwakeables as _, ContextClient as _, ContextSignals as _, ContextTimers as _,
    RequestTarget,
};
use restate_sdk::errors::{HandlerError, HandlerResult};
use tokio::sync::{mpsc, oneshot};

use crate::limits::CANCEL;
use crate::step_journal::{self, EarlierAttempts, Notes};
use crate::wire::{FlowWaiter, RUN, SettledStep, read, to_json};

/// A signal that is never sent. Waiting for it detects the cancellation of the invocation.
const NEVER: &str = "genkit.never";

pub(crate) struct WorkService {
    pub(crate) genkit: Genkit,
    /// The longest time that Restate waits for a step.
    pub(crate) longest: Duration,
}

/// Steps of genkit's durable runs, each on any worker.
#[restate_sdk::service(
    name = "genkit.Work",
    ingress_private = true,
    client_visibility = "pub(crate)"
)]
impl WorkService {
    /// Calls the model.
    #[handler]
    async fn model(&self, ctx: Context<'_>, step: Vec<u8>) -> HandlerResult<()> {
        self.run_step(&ctx, &step, "answered").await
    }

    /// Calls a tool.
    #[handler]
    async fn tool(&self, ctx: Context<'_>, step: Vec<u8>) -> HandlerResult<()> {
        self.run_step(&ctx, &step, "settled").await
    }

    /// Runs a flow, and waits for the answers to its questions.
    #[handler]
    async fn flow(&self, ctx: Context<'_>, step: Vec<u8>) -> HandlerResult<()> {
        self.run_step(&ctx, &step, "settled").await
    }
}

impl WorkService {
    async fn run_step(&self, ctx: &Context<'_>, step: &[u8], handler: &str) -> HandlerResult<()> {
        let mut step: EngineStep = read(step)?;
        loop {
            let done = self.settle_step(ctx, &step).await?;
            let promise = done.asks().then(|| ctx.awakeable::<Vec<u8>>());
            let invocation = || ctx.invocation_id().to_owned();
            let waiting = promise.as_ref().map(|(awakeable, _)| FlowWaiter {
                awakeable: awakeable.clone(),
                invocation: invocation(),
            });
            let run = step.run().to_string();
            let settled = to_json(&SettledStep { done, waiting })?;
            let _sent = ctx
                .request::<Vec<u8>, ()>(RequestTarget::object(RUN, run, handler), settled)
                .send();
            let Some((_, answered)) = promise else { return Ok(()) };
            step = read(&answered.await?)?;
        }
    }

    /// Performs a step, and retries it after temporary errors.
    async fn settle_step(
        &self,
        ctx: &Context<'_>,
        step: &EngineStep,
    ) -> Result<StepResult, HandlerError> {
        let (mut earlier, mut tries) = (EarlierAttempts::default(), 0);
        loop {
            let done = self.perform_step(ctx, step, &mut earlier).await?;
            tries += 1;
            let Some(wait) = done.retry_after(tries) else { return Ok(done) };
            if let Some(error) = done.error() {
                let (run, error) = (step.run(), error.to_string());
                tracing::info!(%run, %error, ?wait, tries, "a step of a run failed and will be retried");
            }
            ctx.sleep(wait).await?;
            earlier.is_begun = false;
        }
    }

    async fn perform_step(
        &self,
        ctx: &Context<'_>,
        step: &EngineStep,
        earlier: &mut EarlierAttempts,
    ) -> Result<StepResult, HandlerError> {
        if let Some(done) = step_journal::begin_step(ctx, earlier).await? {
            return Ok(done);
        }
        if let Some(limit) = step.time_limit(&self.genkit).filter(|limit| *limit > self.longest) {
            let (run, longest) = (step.run(), self.longest);
            tracing::warn!(
                %run, ?limit, ?longest,
                "the step may take longer than Restate waits, so Restate may run it again; raise `RestateWorker::longest_step`"
            );
        }
        if earlier.is_begun && step.is_at_most_once(&self.genkit) {
            return step_journal::end_step(ctx, step.clone().unknown(earlier.once.clone())).await;
        }
        self.run_work(ctx, step, earlier.once.clone()).await
    }

    async fn run_work(
        &self,
        ctx: &Context<'_>,
        step: &EngineStep,
        recorded: BTreeMap<String, serde_json::Value>,
    ) -> Result<StepResult, HandlerError> {
        let (notes, mut noted) = mpsc::unbounded_channel();
        let (cancel, cancelled) = oneshot::channel::<()>();
        // If the sender is dropped, the step is not cancelled.
        let cancelled = async {
            if cancelled.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let mut working = pin!(step.perform(&self.genkit, recorded, Notes(notes), cancelled));
        let mut ended = pin!(ctx.signal::<()>(NEVER));
        let stopped = loop {
            tokio::select! {
                biased;
                // The SDK allows only one operation at a time, so no other branch is polled during this write.
                Some(note) = noted.recv() => match step_journal::record_once(ctx, &note).await {
                    // Sending fails if the call was dropped.
                    Ok(()) => drop(note.written.send(())),
                    Err(error) => break error,
                },
                done = &mut working => {
                    let done = done.map_err(|error| HandlerError::from(error.chain()))?;
                    return step_journal::end_step(ctx, done).await;
                }
                ended = &mut ended => match ended {
                    Ok(()) => break "received an unexpected signal".into(),
                    Err(error) => break error.into(),
                },
            }
        };
        // Cancel external operations before the step is dropped.
        let _ = cancel.send(());
        let _ = tokio::time::timeout(CANCEL, working).await;
        Err(stopped)
    }
}
