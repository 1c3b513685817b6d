//! Performing a turn, with the model or the handler of the agent that currently responds.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use genkit_core::Context;
use genkit_core::internal::context::{ContextParts, Recording, supervise_run};
use genkit_core::internal::fair_share::hash_client;

use crate::agent::{Agent, Kind};
use crate::background::Background;
use crate::error::Error as E;
use crate::hand_over::{MAX_HAND_OVERS, Team};
use crate::journal::{SavedResults, StartedTurn, TurnJournal};
use crate::memory::search_tool;
use crate::turn::{AgentTurn, TurnResult, close_questions, run_model};
use crate::types::{AgentFinishReason, AgentInput, AgentState};

use super::Caller;
use super::call::Call;
use super::open::Open;

impl Call {
    /// Performs the turn within its time limit. Stops if the turn is aborted.
    pub(super) async fn perform(
        &self,
        open: &Open,
        turn: &StartedTurn,
        cancel: &CancellationToken,
        journal: Option<TurnJournal>,
        saved: SavedResults,
    ) -> TurnResult {
        let parts = &*self.agent.0;
        let before = || open.state.clone();
        let aborted = || {
            let mut state = before();
            state.messages.extend(turn.input.message.clone());
            TurnResult {
                finish: AgentFinishReason::Aborted,
                error: None,
                ..TurnResult::from_state(state)
            }
        };
        let pending = Some(&*turn.id).filter(|_| turn.input.detach);
        let watched = async {
            match &open.turnstile {
                Some(turnstile) => turnstile.watch(pending).await,
                None => std::future::pending().await,
            }
        };
        let recording = Recording { once: saved, ..Recording::default() };
        let context = ContextParts {
            action_context: Arc::new(turn.action_context.clone()),
            cancel: cancel.clone(),
            recording: Some(recording),
            journal: journal.map(|journal| Arc::new(journal) as _),
            client: (!turn.is_program).then(|| hash_client(&self.caller.share_key())),
            ..ContextParts::default()
        }
        .build();
        let responding = async { Ok(self.respond(before(), turn, &context).await) };
        let responding = supervise_run(&context, &parts.name, responding);
        tokio::select! {
            biased;
            () = cancel.cancelled() => aborted(),
            is_abort = watched => {
                if is_abort { aborted() } else { TurnResult::failed(before(), E::TakenOver) }
            }
            result = tokio::time::timeout(parts.timeout, responding) => match result {
                Ok(result) => result.unwrap_or_else(|error| TurnResult::failed(before(), error)),
                Err(_) => TurnResult::failed(before(), E::Overdue(parts.timeout)),
            }
        }
    }

    /// Runs the agent that currently responds, and then each agent that the conversation is handed over to.
    async fn respond(
        &self,
        mut state: AgentState,
        turn: &StartedTurn,
        context: &Context,
    ) -> TurnResult {
        let (team, mut input) = (Team::new(&self.agent), turn.input.clone());
        if let Err(error) = close_questions(&mut state, &mut input) {
            return TurnResult::failed(state, error);
        }
        let mut usage = genkit_core::Usage::default();
        for hand_overs in 0..=MAX_HAND_OVERS {
            let agent = team.current(state.agent.as_deref());
            let mut result =
                self.respond_as((&team, agent), state, input, turn.is_program, context).await;
            usage.add(&result.usage);
            let next = team.find_hand_over(agent, &result);
            if let Some(next) = next {
                result.state.agent = Some(next).filter(|next| *next != *self.agent.0.name);
                (state, input) = (result.state, AgentInput::default());
                continue;
            }
            if let (true, Some((_, has_rounds))) = (hand_overs > 0, &mut result.error) {
                *has_rounds = true;
            }
            return TurnResult { usage, ..result };
        }
        TurnResult { usage, ..TurnResult::failed_after(state, E::ManyHandOvers(MAX_HAND_OVERS)) }
    }

    async fn respond_as(
        &self,
        (team, agent): (&Team<'_>, &Agent),
        mut state: AgentState,
        input: AgentInput,
        is_program: bool,
        context: &Context,
    ) -> TurnResult {
        match &agent.0.kind {
            Kind::Model(template) => {
                let mut template = team.offer_hand_overs(agent, template.as_ref().clone());
                if !self.thread.tools.is_empty() {
                    template = template.tools(self.thread.tools.clone());
                }
                let session = state.session_id.as_deref().unwrap_or_default();
                let owner = &self.caller.owner;
                // An unidentified client could open a session with the prefix of another user.
                let has_user = !owner.is_empty() || is_program;
                if agent.0.searches_conversations && has_user && !self.agent.is_client_managed() {
                    template = template.tools([search_tool(&self.agent, session, owner)]);
                }
                if !agent.0.background.is_empty() {
                    let caller = Caller {
                        owner: owner.clone(),
                        client: self.caller.client.clone(),
                        action_context: context.action_context().clone(),
                        exposes_errors: false,
                        is_program,
                    };
                    template = template.tools(Background::new(agent, session, caller).tools());
                }
                if !context.action_context().is_empty() {
                    template = template.action_context(context.action_context().clone());
                }
                run_model(template, input, state, &self.emitter).await
            }
            Kind::Handler(handler) => {
                let before = state.clone();
                state.messages.extend(input.message.clone());
                let targets = team.list_targets(agent).map(|it| it.name().to_owned()).collect();
                let (emitter, context) = (self.emitter.clone(), context.clone());
                let turn =
                    AgentTurn::new(input, state, emitter, context, targets, self.agent.clone());
                match handler(turn.clone()).await {
                    Ok(message) => {
                        turn.push_message(message.clone());
                        let mut state = turn.state();
                        if let Some(next) = turn.next_agent() {
                            state.agent = Some(next).filter(|next| *next != *self.agent.0.name);
                        }
                        TurnResult { message: Some(message), ..TurnResult::from_state(state) }
                    }
                    Err(error) => TurnResult::failed(before, error),
                }
            }
        }
    }
}
