//! The driver of a run: does what the machine says, under limits of time.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tracing::Instrument as _;

use super::env::RunEnv;
use super::limits::MAX_CALLS;
use super::round::PendingCall;
use super::turn::{TurnMachine, TurnRules, TurnStep};
use super::turn_spans::{TurnSpans, note_request};
use super::{model_call, tool_call, trace};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::generate::data::{GenerateResponse, Turn};
use crate::generate::error::Error as E;
use crate::generate::interrupt::{Resumed, Suspended};
use crate::generate::middleware::{
    CallOutcome, Innermost, InnermostTool, Middleware, NextGenerate, NextTool, ToolCall,
    ToolOutcome,
};
use crate::generate::request::{check_capabilities, for_other_model};
use crate::message::{Message, Role};
use crate::model::{
    ChunkSink, GenerateChunk, Model, ModelRequest, ModelResponse, Models, ToolDefinition,
};

/// A run that is prepared.
pub(crate) struct Run {
    env: RunEnv,
    rules: TurnRules,
    resumed: Option<Resumed>,
    /// The calls that it was resumed for are settled: they are not run again, also where a
    /// middleware runs the turns once more.
    is_past_resumed: AtomicBool,
}

impl Run {
    pub(crate) fn new(env: RunEnv, rules: TurnRules, resumed: Option<Resumed>) -> Self {
        Self { env, rules, resumed, is_past_resumed: AtomicBool::new(false) }
    }

    /// Runs `request` to its end. Dropping the future stops everything.
    pub(crate) async fn start(self, request: ModelRequest) -> Result<GenerateResponse> {
        // Work that a tool handed to other tasks ends with the run, however that ends.
        let _stop = self.env.cancel.clone().drop_guard();
        let span = trace::run(&self.env, &request);
        note_request(&self.env, &request);
        let this = Arc::new(self);
        let running = match this.env.settings.middleware.is_empty() {
            true => Innermost::run(this.clone(), request),
            false => NextGenerate::outermost(this.clone()).run(request),
        };
        // The turns stop by themselves with what was done; this is for middleware that waits.
        let stopped = this.env.stopped(Duration::from_millis(50));
        async {
            tokio::select! {
                biased;
                ended = running => ended,
                error = stopped => Err(error),
            }
        }
        .instrument(span)
        .await
    }

    /// The turns of the run, inside of all middleware.
    async fn turns(self: Arc<Self>, request: ModelRequest) -> Result<GenerateResponse> {
        let is_past = self.is_past_resumed.load(Ordering::Acquire);
        let resumed = self.resumed.as_ref().filter(|_| !is_past).cloned();
        let mut machine = TurnMachine::new(request, self.rules.clone(), resumed);
        let mut spans = TurnSpans::default();
        let ended = {
            // Large futures are pinned where they are: whatever they are handed to would move them.
            let going_on = pin!(self.go_on(&mut machine, &mut spans));
            tokio::select! {
                biased;
                error = self.env.stopped(Duration::ZERO) => Err(error),
                ended = going_on => ended,
            }
        };
        let mut ended = ended.map_err(|error| {
            machine.add_usage(&self.env.budget.take_untold());
            machine.fail(error)
        });
        spans.end(&mut ended);
        let response = ended?;
        trace::ended(&response);
        Ok(response)
    }

    async fn go_on(
        self: &Arc<Self>,
        machine: &mut TurnMachine,
        spans: &mut TurnSpans,
    ) -> Result<GenerateResponse> {
        loop {
            let round = machine.rounds();
            match machine.next() {
                TurnStep::Done(response) => return Ok(*response),
                TurnStep::Model => {
                    self.env.tools.refresh(machine.tools()).await;
                    let index = machine.index();
                    self.env.tools.begin_turn(machine.tools().len());
                    spans.begin(&self.env, machine.request());
                    let span = trace::turn(round);
                    let mut answer =
                        spans.inside(pin!(self.ask(machine, index))).instrument(span).await?;
                    if let Err(error) = self.env.budget.settle(&mut answer) {
                        return Err(machine.refuse(answer, error));
                    }
                    machine.accept(answer)?;
                }
                TurnStep::Check => {
                    let checks = &self.env.settings.output;
                    let span = trace::output_check();
                    let verdict = spans
                        .inside(pin!(checks.check(machine.answer())))
                        .instrument(span.clone())
                        .await?;
                    trace::checked(&self.env, &span, &verdict);
                    if let Some(retry) = machine.judge(verdict)? {
                        self.env.sink.send(retry.chunk());
                    }
                }
                TurnStep::Tools(calls) => {
                    spans.inside(pin!(self.run_calls(calls, machine))).await?;
                    machine.add_usage(&self.env.budget.take_untold());
                    let index = machine.index();
                    self.is_past_resumed.store(true, Ordering::Release);
                    if let Some(answers) = machine.settle() {
                        self.stream_answers(answers, index);
                    }
                }
            }
        }
    }

    /// The tokens of the first model call, as its provider counts them. Nothing is run.
    pub(crate) async fn count_tokens(self, request: ModelRequest) -> Result<u64> {
        let (env, limit) = (&self.env, self.env.settings.limits.model_timeout);
        check_capabilities(&*env.model, &request)?;
        let late = |_| E::ModelTimeout { model: env.model.name().to_owned(), limit };
        tokio::select! {
            biased;
            error = env.stopped(Duration::ZERO) => Err(error),
            counted = tokio::time::timeout(limit, env.model.count_tokens(&request)) => counted.map_err(late)?,
        }
    }

    /// Asks the model of this turn, after the program has had its say.
    async fn ask(self: &Arc<Self>, machine: &TurnMachine, index: usize) -> Result<ModelResponse> {
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

    /// Runs the calls of `message` and nothing else. The response ends with the tools' answers, or is
    /// interrupted like that of a whole run.
    pub(crate) async fn run_tools(
        self,
        mut request: ModelRequest,
        message: Message,
        resumed: Option<Resumed>,
    ) -> Result<GenerateResponse> {
        let _stop = self.env.cancel.clone().drop_guard();
        // Whoever runs them by hand wants them run, whatever the model was told.
        let choice = request.tool_choice.take();
        let is_resumed = resumed.is_some();
        let mut machine = TurnMachine::new(request, self.rules.clone(), resumed);
        if !is_resumed {
            machine.accept(ModelResponse::new(message))?;
        }
        let this = Arc::new(self);
        let run = async {
            if let TurnStep::Tools(calls) = machine.next() {
                this.run_calls(calls, &mut machine).await?;
                machine.settle();
            }
            Ok(())
        };
        let ended = tokio::select! {
            biased;
            error = this.env.stopped(Duration::ZERO) => Err(error),
            ended = run => ended,
        };
        machine.add_usage(&this.env.budget.take_untold());
        ended.map_err(|error| machine.fail(error))?;
        let mut response = machine.end_round();
        if let Some(request) = &mut response.request {
            request.tool_choice = choice;
        }
        Ok(response)
    }

    /// Runs the calls of one round, some at a time. What finishes is kept, also where another
    /// fails.
    async fn run_calls(
        self: &Arc<Self>,
        calls: Vec<PendingCall>,
        machine: &mut TurnMachine,
    ) -> Result<()> {
        if calls.len() > MAX_CALLS {
            return Err(E::TooManyCalls { calls: calls.len(), allowed: MAX_CALLS }.into());
        }
        let index = machine.index();
        let at_a_time = self.env.settings.limits.parallel_tools.max(1);
        let running = stream::iter(calls).map(|call| self.run_call(call, index));
        let mut running = running.buffer_unordered(at_a_time);
        while let Some(finished) = running.next().await {
            let (place, outcome) = finished?;
            machine.finish(place, outcome);
        }
        Ok(())
    }

    async fn run_call(
        self: &Arc<Self>,
        call: PendingCall,
        index: usize,
    ) -> Result<(usize, CallOutcome)> {
        let PendingCall { place, request, edited, suspended } = call;
        let tool = self.env.tools.get(&request.name);
        let call = ToolCall { tool, request, edited, index };
        let span = trace::tool(&self.env, &call);
        let suspended = suspended.map(Arc::from);
        let running = match self.env.settings.middleware.is_empty() {
            true => self.call_tool(call, suspended.as_deref()),
            false => NextTool::outermost(self.clone(), suspended.clone()).run(call),
        };
        let mut outcome = running.instrument(span).await?.0;
        if let (CallOutcome::Interrupted(open), Some(earlier)) = (&mut outcome, &suspended) {
            open.keep_done(earlier);
        }
        Ok((place, outcome))
    }

    fn stream_answers(&self, answers: &Message, index: usize) {
        if self.env.sink.is_wanted() {
            let mut chunk = GenerateChunk::new(answers.content.iter().cloned());
            chunk.role = Some(Role::Tool);
            chunk.index = Some(index);
            self.env.sink.send(chunk);
        }
    }
}

impl Innermost for Run {
    fn models(&self) -> &Models {
        &self.env.genkit.runs.models
    }

    fn run(self: Arc<Self>, request: ModelRequest) -> BoxFuture<'static, Result<GenerateResponse>> {
        Box::pin(self.turns(request))
    }

    fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(model_call::call(&self.env, model, request, chunks))
    }
}

impl InnermostTool for Run {
    fn middleware(&self) -> &[Arc<dyn Middleware>] {
        &self.env.settings.middleware
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>> {
        Box::pin(tool_call::call(&self.env, call, suspended))
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        self.env.tools.definitions()
    }

    fn is_withheld(&self, name: &str) -> bool {
        self.env.tools.is_withheld(name)
    }
}
