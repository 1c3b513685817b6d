//! The driver of a run: performs the steps that the state machine requests, within the time limits.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::Either;
use futures_util::stream::FuturesUnordered;
use tracing::Instrument as _;

use super::env::RunEnv;
use super::limits::MAX_CALLS;
use super::round::PendingCall;
use super::stepper::{NextStep, Run, RunCall, RunNames};
use super::turn::{TurnMachine, TurnRules};
use super::turn_spans::{TurnSpans, note_request};
use super::{model_call, tool_call, trace};
use crate::middleware::{
    AroundCall, CallOutcome, Innermost, InnermostTool, Middleware, NextGenerate, NextTool,
    ToolCall, ToolOutcome,
};
use crate::request::{check_capabilities, for_other_model};
use crate::turn::Turn;
use genkit_core::BoxFuture;
use genkit_core::GenerateResponse;
use genkit_core::Result;
use genkit_core::internal::future::boxed;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::{Resumed, Suspended};
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse, ToolDefinition};
use genkit_core::{Message, Role};
use genkit_model::internal::Models;
use genkit_model::{ChunkSink, Model};

/// A prepared run. It performs the steps of its [`Run`] until the run is finished.
pub(crate) struct Driver {
    pub(crate) env: RunEnv,
    rules: TurnRules,
    resumed: Option<Resumed>,
    /// Set once the resumed calls have a result. They are not run again, even if middleware repeats the turns.
    is_past_resumed: AtomicBool,
}

impl Driver {
    pub(crate) fn new(env: RunEnv, rules: TurnRules, resumed: Option<Resumed>) -> Arc<Self> {
        Arc::new(Self { env, rules, resumed, is_past_resumed: AtomicBool::new(false) })
    }

    /// Runs `request` to its end. Dropping the future cancels the run.
    pub(crate) async fn start(self: Arc<Self>, request: ModelRequest) -> Result<GenerateResponse> {
        // Background work that a tool started ends with the run, however the run ends.
        let _stop = self.env.cancel.clone().drop_guard();
        let span = trace::run(&self.env, &request);
        note_request(&self.env, &request);
        let work = pin!(async {
            if self.env.settings.middleware.is_empty() {
                return Arc::clone(&self).turns(request).await;
            }
            // The turns observe the deadline themselves and keep the partial response; this is for middleware
            // that waits.
            let stopped = self.env.stopped(Duration::from_millis(50));
            tokio::select! {
                biased;
                ended = NextGenerate::outermost(self.clone()).run(request) => ended,
                error = stopped => Err(error),
            }
        });
        let ended = work.instrument(span.clone()).await;
        trace::failed(&span, &ended);
        ended
    }

    /// Converts the run into a value whose steps the caller performs.
    pub(crate) fn into_steps(self: Arc<Self>, request: ModelRequest, names: RunNames) -> Run {
        let machine = TurnMachine::new(request, self.rules.clone(), self.resumed.clone());
        Run::new(self, machine).named(names)
    }

    /// Returns the tools that the run currently offers.
    pub(crate) fn tools(&self) -> Vec<ToolDefinition> {
        self.env.tools.definitions()
    }

    /// Performs the turns of the run, inside all middleware.
    async fn turns(self: Arc<Self>, request: ModelRequest) -> Result<GenerateResponse> {
        let is_past = self.is_past_resumed.load(Ordering::Acquire);
        let resumed = self.resumed.as_ref().filter(|_| !is_past).cloned();
        let machine = TurnMachine::new(request, self.rules.clone(), resumed);
        let mut run = Run::new(Arc::clone(&self), machine);
        let mut spans = TurnSpans::default();
        let ended = {
            // Large futures are pinned in place, since passing them to a function would move them.
            let going_on = pin!(self.go_on(&mut run, &mut spans));
            tokio::select! {
                biased;
                error = self.env.stopped(Duration::ZERO) => Err(error),
                ended = going_on => ended,
            }
        };
        let ended = ended.map_err(|error| run.fail(error));
        let mut ended = ended.and_then(|()| run.into_response());
        spans.end(&mut ended);
        let response = ended?;
        trace::ended(&response);
        Ok(response)
    }

    /// Performs the steps of the run until it is finished or interrupted.
    async fn go_on(self: &Arc<Self>, run: &mut Run, spans: &mut TurnSpans) -> Result<()> {
        loop {
            match run.next() {
                NextStep::Done | NextStep::Asks(_) => return Ok(()),
                NextStep::Model(mut call) => {
                    let round = call.round();
                    call.refresh().await;
                    spans.begin(&self.env, call.request());
                    let span = trace::turn(round);
                    let answer = spans.inside(pin!(call.ask())).instrument(span).await?;
                    run.take_own_answer(answer)?;
                }
                NextStep::Check(check) => {
                    let span = trace::output_check();
                    let judging = check.judge();
                    let verdict = spans.inside(pin!(judging)).instrument(span.clone()).await?;
                    trace::checked(&self.env, &span, verdict.fits());
                    run.take_verdict(verdict)?;
                }
                NextStep::Tools(calls) => spans.inside(pin!(self.run_calls(calls, run))).await?,
            }
        }
    }

    /// Records that the resumed calls have a result.
    pub(super) fn note_past_resumed(&self) {
        self.is_past_resumed.store(true, Ordering::Release);
    }

    /// Returns the tokens of the first model call, as counted by its provider. Nothing is run.
    pub(crate) async fn count_tokens(&self, request: ModelRequest) -> Result<u64> {
        let (env, limit) = (&self.env, self.env.settings.limits.model_timeout);
        check_capabilities(&*env.model, &request)?;
        let late = |_| E::ModelTimeout { model: env.model.name().to_owned(), limit };
        tokio::select! {
            biased;
            error = env.stopped(Duration::ZERO) => Err(error),
            counted = tokio::time::timeout(limit, env.model.count_tokens(&request)) => counted.map_err(late)?,
        }
    }

    /// Calls the model of this turn, after the `before_turn` closures.
    pub(super) async fn ask(
        self: &Arc<Self>,
        machine: &TurnMachine,
        index: usize,
    ) -> Result<ModelResponse> {
        let (env, request) = (&self.env, machine.request());
        let ask = |model, request| model_call::ask(env, self, model, request, index);
        if env.settings.before_turn.is_empty() {
            return ask(Arc::clone(&env.model), request).await;
        }
        let mut turn = Turn {
            request: request.clone(),
            round: machine.rounds(),
            usage: machine.usage().clone(),
            requests: env.budget.requests(),
            model: None,
            wrong: None,
        };
        for before in &env.settings.before_turn {
            turn = before(turn).await?;
        }
        if let Some(wrong) = turn.wrong {
            return Err(wrong.into());
        }
        let Some(other) = turn.model else {
            return ask(Arc::clone(&env.model), &turn.request).await;
        };
        let model = env.genkit.runs.models.find(&other)?;
        let request = for_other_model(turn.request, &*model);
        ask(model, &request).await
    }

    /// Runs only the calls of `message`. The response ends with the tool responses, or is interrupted like that of a
    /// whole run.
    pub(crate) async fn run_tools(
        self: Arc<Self>,
        mut request: ModelRequest,
        message: Message,
        resumed: Option<Resumed>,
    ) -> Result<GenerateResponse> {
        let _stop = self.env.cancel.clone().drop_guard();
        // The calls are run by hand, so the tool choice of the request does not apply.
        let choice = request.tool_choice.take();
        let is_resumed = resumed.is_some();
        let mut machine = TurnMachine::new(request, self.rules.clone(), resumed);
        if !is_resumed {
            machine.accept(ModelResponse::new(message))?;
        }
        let mut run = Run::new(Arc::clone(&self), machine);
        let ended = tokio::select! {
            biased;
            error = self.env.stopped(Duration::ZERO) => Err(error),
            ended = self.one_round(&mut run) => ended,
        };
        ended.map_err(|error| run.fail(error))?;
        let mut response = run.into_round();
        if let Some(request) = &mut response.request {
            request.tool_choice = choice;
        }
        Ok(response)
    }

    async fn one_round(&self, run: &mut Run) -> Result<()> {
        match run.next() {
            NextStep::Tools(calls) => self.run_calls(calls, run).await,
            _ => Ok(()),
        }
    }

    /// Runs the calls under the limits of the run, for runs that are performed step by step.
    pub(super) async fn perform_calls(&self, calls: Vec<RunCall>, run: &mut Run) -> Result<()> {
        tokio::select! {
            biased;
            error = self.env.stopped(Duration::ZERO) => Err(error),
            ended = self.run_calls(calls, run) => ended,
        }
    }

    /// Runs the calls of one round, some of them in parallel. Finished calls are kept even if another one fails.
    async fn run_calls(&self, calls: Vec<RunCall>, run: &mut Run) -> Result<()> {
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
                let mut running = boxed(|| call.run());
                // Most calls finish immediately and do not need to be queued.
                match poll_fn(|cx| Poll::Ready(running.as_mut().poll(cx))).await {
                    Poll::Ready(settled) => _ = run.take_settled(settled?)?,
                    Poll::Pending => waiting.get_or_insert_default().push(running),
                }
            }
            let Some(waiting) = &mut waiting else { return Ok(()) };
            let Some(settled) = waiting.next().await else { return Ok(()) };
            run.take_settled(settled?)?;
        }
    }

    /// Runs one call.
    pub(super) async fn run_call(
        self: &Arc<Self>,
        call: PendingCall,
        index: usize,
        around: AroundCall,
    ) -> Result<CallOutcome> {
        let PendingCall { request, edited, suspended, .. } = call;
        let tool = self.env.tools.get(&request.name);
        let call = ToolCall::new(tool, request, edited, index, around);
        let span = trace::tool(&self.env, &call);
        let suspended = suspended.map(Arc::from);
        let running = match self.env.settings.middleware.is_empty() {
            true => Either::Left(tool_call::call(&self.env, call, suspended.as_deref())),
            false => Either::Right(NextTool::outermost(self.clone(), suspended.clone()).run(call)),
        };
        let running = pin!(running);
        let outcome = running.instrument(span.clone()).await;
        trace::tool_ended(&self.env, &span, &outcome);
        let mut outcome = outcome?.0;
        if let (CallOutcome::Interrupted(open), Some(earlier)) = (&mut outcome, &suspended) {
            open.keep_done(earlier);
        }
        Ok(outcome)
    }

    pub(super) fn stream_answers(&self, answers: &Message, index: usize) {
        if self.env.sink.is_read() {
            let mut chunk = GenerateChunk::new(answers.content.iter().cloned());
            chunk.role = Some(Role::Tool);
            chunk.index = Some(index);
            self.env.sink.send(chunk);
        }
    }
}

impl Innermost for Driver {
    fn models(&self) -> &Models {
        &self.env.genkit.runs.models
    }

    fn run(self: Arc<Self>, request: ModelRequest) -> BoxFuture<'static, Result<GenerateResponse>> {
        boxed(|| self.turns(request))
    }

    fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        boxed(|| model_call::call(&self.env, model, request, chunks))
    }
}

impl InnermostTool for Driver {
    fn middleware(&self) -> &[Arc<dyn Middleware>] {
        &self.env.settings.middleware
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>> {
        boxed(|| tool_call::call(&self.env, call, suspended))
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        self.env.tools.definitions()
    }

    fn is_withheld(&self, name: &str) -> bool {
        self.env.tools.is_withheld(name)
    }
}
