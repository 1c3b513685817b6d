//! The driver of a run: calls the model and the tools inside the middleware. The module `turn_loop` requests these
//! calls.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::Either;
use tracing::Instrument as _;

use super::env::RunEnv;
use super::round::PendingCall;
use super::turn::{TurnMachine, TurnRules};
use super::{model_call, tool_call, trace};
use crate::middleware::{
    AroundCall, CallOutcome, InnermostTool, Middleware, NextTool, ToolCall, ToolOutcome,
    show_lazy_tools,
};
use crate::request::{adapt_request, check_capabilities};
use crate::turn::Turn;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::future::box_in_place;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::{ResumedCalls, Suspended};
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse, ToolDefinition};
use genkit_core::{Message, Role};
use genkit_model::Model;

/// A prepared run: its environment, its rules and the calls that it resumes.
pub(crate) struct Driver {
    pub(crate) env: RunEnv,
    pub(super) rules: TurnRules,
    pub(super) resumed: Option<ResumedCalls>,
    /// Set once the resumed calls have a result, so that they are not run again if middleware repeats the turns.
    pub(super) are_resumed_calls_done: AtomicBool,
}

impl Driver {
    pub(crate) fn new(env: RunEnv, rules: TurnRules, resumed: Option<ResumedCalls>) -> Arc<Self> {
        Arc::new(Self { env, rules, resumed, are_resumed_calls_done: AtomicBool::new(false) })
    }

    /// Returns the tools that the run currently offers.
    pub(crate) fn tools(&self) -> Vec<ToolDefinition> {
        self.env.tools.definitions()
    }

    /// Records that the resumed calls have a result.
    pub(super) fn note_past_resumed(&self) {
        self.are_resumed_calls_done.store(true, Ordering::Release);
    }

    /// Returns the number of tokens in the first model request, as counted by the provider, without running anything.
    pub(crate) async fn count_tokens(&self, request: ModelRequest) -> Result<u64> {
        let (env, limit) = (&self.env, self.env.settings.limits.model_timeout);
        let request = show_lazy_tools(request, &env.model.info());
        check_capabilities(&*env.model, &request)?;
        let late = |_| E::ModelTimeout { model: env.model.name().to_owned(), limit };
        tokio::select! {
            biased;
            error = env.wait_for_stop(Duration::ZERO) => Err(error),
            counted = tokio::time::timeout(limit, env.model.count_tokens(&request)) => counted.map_err(late)?,
        }
    }

    /// Calls the model of this turn, after the `before_turn` closures.
    pub(super) async fn ask_model(
        self: &Arc<Self>,
        machine: &TurnMachine,
        index: usize,
    ) -> Result<ModelResponse> {
        let (env, request) = (&self.env, machine.request());
        let ask = |model, request| model_call::ask_model(env, self, model, request, index);
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
        let request = adapt_request(turn.request, &*model);
        ask(model, &request).await
    }

    /// Runs one call.
    pub(super) async fn run_call(
        self: &Arc<Self>,
        call: PendingCall,
        index: usize,
        around: AroundCall,
    ) -> Result<CallOutcome> {
        let PendingCall { request, edited, suspended, .. } = call;
        let tool = self.env.tools.find_tool(&request.name);
        let call = ToolCall::new(tool, request, edited, index, around);
        let span = trace::tool_span(&self.env, &call);
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
            open.merge_earlier(earlier);
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

impl InnermostTool for Driver {
    fn middleware(&self) -> &[Arc<dyn Middleware>] {
        &self.env.settings.middleware
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>> {
        box_in_place(|| tool_call::call(&self.env, call, suspended))
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        self.env.tools.definitions()
    }

    fn is_withheld(&self, name: &str) -> bool {
        self.env.tools.is_withheld(name)
    }
}
