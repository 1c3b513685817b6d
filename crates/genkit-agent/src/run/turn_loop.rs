//! The loop of a run: performs each step that the [`Run`] returns, until it is finished or interrupted.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tracing::Instrument as _;

use super::driver::Driver;
use super::limits::MAX_CALLS;
use super::stepper::{NestedRun, NextStep, Run, RunCall, RunNames};
use super::turn::TurnMachine;
use super::turn_spans::{TurnSpans, note_request};
use super::{model_call, trace};
use crate::middleware::{Innermost, NextGenerate};
use genkit_core::internal::future::box_in_place;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::ResumedCalls;
use genkit_core::{
    BoxFuture, Context, GenerateResponse, Message, ModelRequest, ModelResponse, Result,
};
use genkit_model::internal::Models;
use genkit_model::{ChunkSink, Model};

impl Driver {
    /// Runs `request` to its end. Dropping the future cancels the run.
    pub(crate) async fn start_run(
        self: Arc<Self>,
        request: ModelRequest,
    ) -> Result<GenerateResponse> {
        // When the run ends for any reason, cancel the background work that its tools started.
        let _stop = self.env.cancel.clone().drop_guard();
        let span = trace::run_span(&self.env, &request);
        note_request(&self.env, &request);
        let work = pin!(async {
            if self.env.settings.middleware.is_empty() {
                return Arc::clone(&self).run_turns(request).await;
            }
            // The turns check the deadline themselves and keep the partial response; this timeout stops middleware
            // that waits.
            let stopped = self.env.wait_for_stop(Duration::from_millis(50));
            tokio::select! {
                biased;
                ended = NextGenerate::new(self.clone()).run(request) => ended,
                error = stopped => Err(error),
            }
        });
        let ended = work.instrument(span.clone()).await;
        trace::record_failure(&span, &ended);
        ended
    }

    /// Converts the driver into a [`Run`] that the caller advances step by step.
    pub(crate) fn into_steps(self: Arc<Self>, request: ModelRequest, names: RunNames) -> Run {
        let machine = TurnMachine::new(request, self.rules.clone(), self.resumed.clone());
        Run::new(self, machine).with_names(names)
    }

    /// Performs the turns of the run, inside all middleware.
    async fn run_turns(self: Arc<Self>, request: ModelRequest) -> Result<GenerateResponse> {
        let is_past = self.are_resumed_calls_done.load(Ordering::Acquire);
        let resumed = self.resumed.as_ref().filter(|_| !is_past).cloned();
        let mut nested = NestedRun::start(&self, &request.messages, resumed.as_ref())?;
        let durable = nested.as_ref().map(|nested| nested.call_context().clone());
        let _busy = durable.as_ref().map(Context::prevent_drop);
        let restored = nested.as_mut().map_or(Ok(None), |nested| nested.restore(&self))?;
        let mut run = restored.unwrap_or_else(|| {
            let machine = TurnMachine::new(request, self.rules.clone(), resumed);
            Run::new(Arc::clone(&self), machine)
        });
        let mut spans = TurnSpans::default();
        let ended = {
            // Large futures are pinned in place, since passing them to a function would move them.
            let going_on = pin!(self.perform_steps(&mut run, &mut spans, nested.as_mut()));
            tokio::select! {
                biased;
                error = self.env.wait_for_stop(Duration::ZERO) => Err(error),
                ended = going_on => ended,
            }
        };
        let ended = ended.map_err(|error| run.fail_run(error));
        let mut ended = ended.and_then(|()| run.into_response());
        spans.end_all(&mut ended);
        let response = ended?;
        trace::record_end(&response);
        Ok(response)
    }

    /// Performs the steps of the run until it is finished or interrupted.
    async fn perform_steps(
        self: &Arc<Self>,
        run: &mut Run,
        spans: &mut TurnSpans,
        mut nested: Option<&mut NestedRun>,
    ) -> Result<()> {
        loop {
            match run.next() {
                NextStep::Done | NextStep::Asks(_) => return Ok(()),
                NextStep::Model(mut call) => {
                    let round = call.round();
                    call.refresh_tools().await;
                    spans.begin_turn(&self.env, call.request());
                    let span = trace::turn_span(round);
                    let answer = {
                        let calling = pin!(call.call_with_retries(nested.as_deref()));
                        spans.run_inside(calling).instrument(span).await?
                    };
                    run.accept_own_response(answer)?;
                }
                NextStep::Check(check) => {
                    let span = trace::output_check();
                    let judging = check.run_checks();
                    let verdict = spans.run_inside(pin!(judging)).instrument(span.clone()).await?;
                    trace::record_verdict(&self.env, &span, verdict.as_result());
                    run.take_verdict(verdict)?;
                }
                NextStep::Tools(calls) => {
                    let running = pin!(self.run_calls(calls, run, nested.as_deref_mut()));
                    spans.run_inside(running).await?;
                    continue;
                }
            }
            if let Some(nested) = &mut nested {
                nested.save_state(run).await?;
            }
        }
    }

    /// Runs only the tool calls in `message`. The response ends with the tool responses, or is interrupted, as in a
    /// complete run.
    pub(crate) async fn run_tools(
        self: Arc<Self>,
        mut request: ModelRequest,
        message: Message,
        resumed: Option<ResumedCalls>,
    ) -> Result<GenerateResponse> {
        let _stop = self.env.cancel.clone().drop_guard();
        // The caller requested these tool calls, so the tool choice of the request does not apply.
        let choice = request.tool_choice.take();
        let is_resumed = resumed.is_some();
        let asked = std::slice::from_ref(&message);
        let mut nested = NestedRun::start(&self, asked, resumed.as_ref())?;
        let durable = nested.as_ref().map(|nested| nested.call_context().clone());
        let _busy = durable.as_ref().map(Context::prevent_drop);
        let mut run = match nested.as_mut().map_or(Ok(None), |nested| nested.restore(&self))? {
            Some(run) => run,
            None => {
                let mut machine = TurnMachine::new(request, self.rules.clone(), resumed);
                if !is_resumed {
                    machine.accept_response(ModelResponse::new(message))?;
                }
                Run::new(Arc::clone(&self), machine)
            }
        };
        let ended = tokio::select! {
            biased;
            error = self.env.wait_for_stop(Duration::ZERO) => Err(error),
            ended = self.run_round(&mut run, nested.as_mut()) => ended,
        };
        ended.map_err(|error| run.fail_run(error))?;
        let mut response = run.into_round();
        if let Some(request) = &mut response.request {
            request.tool_choice = choice;
        }
        Ok(response)
    }

    async fn run_round(&self, run: &mut Run, nested: Option<&mut NestedRun>) -> Result<()> {
        match run.next() {
            NextStep::Tools(calls) => self.run_calls(calls, run, nested).await,
            _ => Ok(()),
        }
    }

    /// Runs the calls within the limits of the run, for [`Run::finish`].
    pub(super) async fn perform_calls(&self, calls: Vec<RunCall>, run: &mut Run) -> Result<()> {
        tokio::select! {
            biased;
            error = self.env.wait_for_stop(Duration::ZERO) => Err(error),
            ended = self.run_calls(calls, run, None) => ended,
        }
    }

    /// Runs the calls of one round, some of them in parallel. Results of finished calls are kept even if another call
    /// fails.
    async fn run_calls(
        &self,
        calls: Vec<RunCall>,
        run: &mut Run,
        mut nested: Option<&mut NestedRun>,
    ) -> Result<()> {
        if calls.len() > MAX_CALLS {
            return Err(E::TooManyCalls { calls: calls.len(), allowed: MAX_CALLS }.into());
        }
        let at_a_time = self.env.settings.limits.parallel_tools.max(1);
        let mut calls = calls.into_iter();
        let mut waiting: Option<FuturesUnordered<_>> = None;
        loop {
            while waiting.as_ref().map_or(0, FuturesUnordered::len) < at_a_time
                && let Some(call) = calls.next()
            {
                let call = match &nested {
                    Some(nested) => nested.prepare_call(call).await?,
                    None => call,
                };
                let mut running = box_in_place(|| call.run_call());
                // Most calls finish immediately and do not need to be queued.
                match poll_fn(|cx| Poll::Ready(running.as_mut().poll(cx))).await {
                    Poll::Ready(settled) => {
                        run.take_settled(settled?)?;
                        save_settled(run, nested.as_deref_mut()).await?;
                    }
                    Poll::Pending => waiting.get_or_insert_default().push(running),
                }
            }
            let Some(waiting) = &mut waiting else { return Ok(()) };
            let Some(settled) = waiting.next().await else { return Ok(()) };
            run.take_settled(settled?)?;
            save_settled(run, nested.as_deref_mut()).await?;
        }
    }
}

/// Saves the result of a tool call if the run is nested in a durable call.
async fn save_settled(run: &Run, nested: Option<&mut NestedRun>) -> Result<()> {
    match nested {
        Some(nested) => nested.save_state(run).await,
        None => Ok(()),
    }
}

impl Innermost for Driver {
    fn models(&self) -> &Models {
        &self.env.genkit.runs.models
    }

    fn run_generate(
        self: Arc<Self>,
        request: ModelRequest,
    ) -> BoxFuture<'static, Result<GenerateResponse>> {
        box_in_place(|| self.run_turns(request))
    }

    fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        box_in_place(|| model_call::call(&self.env, model, request, chunks))
    }
}
