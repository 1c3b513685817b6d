//! The turns of a run: a plain machine without IO, which says what to do next and is fed with what
//! came of it.
//!
//! ```text
//! Ready ──TurnStep::Model──▶ accept(answer) ────────────▶ Done, or Tools
//! Tools ──TurnStep::Tools──▶ finish(call) .. ▶ settle() ─▶ Ready with a longer history, or
//!                                                          Done (interrupted)
//! ```

use serde_json::{Map, Value};

use super::round::{PendingCall, ToolRound};
use crate::error::{Error, Result};
use crate::generate::data::GenerateResponse;
use crate::generate::error::Error as E;
use crate::generate::interrupt::Resumed;
use crate::generate::middleware::CallOutcome;
use crate::message::{Message, Role};
use crate::model::{
    Encoded, FinishReason, ModelRequest, ModelResponse, ToolChoice, ToolDefinition, Usage,
};

/// The rules of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnRules {
    pub(crate) max_turns: usize,
    /// Whether reaching `max_turns` is an error.
    pub(crate) fail_on_max_turns: bool,
    pub(crate) return_tool_requests: bool,
}

/// The next step of a run.
#[derive(Debug)]
pub(super) enum TurnStep {
    /// Ask the model with [`TurnMachine::request`].
    Model,
    /// Run these, in any order.
    Tools(Vec<PendingCall>),
    /// Nothing: this is the response.
    Done(Box<GenerateResponse>),
}

/// The machine of one run.
pub(super) struct TurnMachine {
    request: ModelRequest,
    rules: TurnRules,
    rounds: usize,
    /// The index of the message that is produced next.
    index: usize,
    usage: Usage,
    custom: Map<String, Value>,
    state: TurnState,
}

enum TurnState {
    Ready,
    Tools(Box<ToolRound>),
    Done(Box<GenerateResponse>),
    /// The response was handed out, or the run failed.
    Over,
}

impl TurnMachine {
    /// A new run, or one that goes on at the calls of the model's last message.
    pub(super) fn new(
        mut request: ModelRequest,
        rules: TurnRules,
        resumed: Option<Resumed>,
    ) -> Self {
        // Messages are only added to it from here on.
        request.encoded = Encoded::kept();
        let round = |resumed| TurnState::Tools(Box::new(ToolRound::resumed(resumed)));
        Self {
            request,
            rules,
            rounds: 0,
            index: 0,
            usage: Usage::default(),
            custom: Map::new(),
            state: resumed.map_or(TurnState::Ready, round),
        }
    }

    /// What to do now. Asking again without feeding the machine gives the same.
    pub(super) fn next(&mut self) -> TurnStep {
        match &self.state {
            TurnState::Ready => TurnStep::Model,
            TurnState::Tools(round) => TurnStep::Tools(round.pending()),
            TurnState::Done(_) | TurnState::Over => TurnStep::Done(self.take_response()),
        }
    }

    fn take_response(&mut self) -> Box<GenerateResponse> {
        match std::mem::replace(&mut self.state, TurnState::Over) {
            TurnState::Done(response) => response,
            // A driver that goes on after the end gets what there is, not a panic.
            _ => Box::new(self.end(None, Some(FinishReason::Other), None)),
        }
    }

    /// What the model is asked.
    pub(super) fn request(&self) -> &ModelRequest {
        &self.request
    }

    /// What the model is offered next.
    pub(super) fn tools(&mut self) -> &mut Vec<ToolDefinition> {
        &mut self.request.tools
    }

    /// The index of the message that is being produced.
    pub(super) fn index(&self) -> usize {
        match &self.state {
            // A resumed run begins with the tool message.
            TurnState::Tools(round) if !round.is_resumed() => self.index + 1,
            _ => self.index,
        }
    }

    /// Which round of tools is next, from 0.
    pub(super) fn rounds(&self) -> usize {
        self.rounds
    }

    /// Takes the model's answer, whose calls each have a reference of their own.
    pub(super) fn accept(&mut self, answer: ModelResponse) -> Result<()> {
        self.usage.add(&answer.usage);
        self.custom = answer.custom;
        let (reason, finish_message) = (answer.finish_reason, answer.finish_message);
        if reason == Some(FinishReason::Blocked) {
            let why = finish_message.as_deref().unwrap_or("the provider gave no reason").to_owned();
            let response = self.end(answer.message, reason, finish_message);
            return Err(with_partial(E::Blocked(why), response));
        }
        let Some(mut message) = answer.message else {
            let response = self.end(None, reason, finish_message);
            return Err(with_partial(E::NoMessage, response));
        };
        message.role = Role::Model;
        // A model that must not call tools and does so all the same is not obeyed.
        let forbidden = self.request.tool_choice == Some(ToolChoice::None);
        let calls = message.tool_requests().next().is_some();
        if !calls || self.rules.return_tool_requests || forbidden {
            let response = self.end(Some(message), reason, finish_message);
            self.state = TurnState::Done(Box::new(response));
        } else if self.rounds >= self.rules.max_turns {
            return self.give_up(message);
        } else {
            self.state = TurnState::Tools(Box::new(ToolRound::new(message)));
        }
        Ok(())
    }

    /// The model asks for more rounds of tools than there may be.
    fn give_up(&mut self, message: Message) -> Result<()> {
        let error = E::MaxTurns(self.rules.max_turns);
        let reason = Some(FinishReason::Aborted);
        let response = self.end(Some(message), reason, Some(error.to_string()));
        if self.rules.fail_on_max_turns {
            return Err(with_partial(error, response));
        }
        self.state = TurnState::Done(Box::new(response));
        Ok(())
    }

    /// Takes what became of one call, by its place.
    pub(super) fn finish(&mut self, place: usize, outcome: CallOutcome) {
        if let TurnState::Tools(round) = &mut self.state {
            round.finish(place, outcome);
        }
    }

    /// Ends a round, all of whose calls are finished. The tool message that it gave is for the
    /// stream; none if the run is interrupted.
    pub(super) fn settle(&mut self) -> Option<&Message> {
        let round = match std::mem::replace(&mut self.state, TurnState::Over) {
            TurnState::Tools(round) => round,
            other => {
                self.state = other;
                return None;
            }
        };
        if round.is_interrupted() {
            let message = Some(round.into_interrupted());
            let why = "One or more tool calls resulted in interrupts.".to_owned();
            let response = self.end(message, Some(FinishReason::Interrupted), Some(why));
            self.state = TurnState::Done(Box::new(response));
            return None;
        }
        if round.is_resumed() {
            // The model's message was there before this run: only the answers are new.
            self.index += 1;
        } else {
            self.rounds += 1;
            self.index += 2;
        }
        if self.request.tool_choice.as_ref().is_some_and(ToolChoice::is_forced) {
            // It has called one: a model that must call for ever could never answer.
            self.request.tool_choice = Some(ToolChoice::Auto);
        }
        self.request.messages.extend(round.into_messages());
        self.state = TurnState::Ready;
        self.request.messages.last()
    }

    /// Ends a run that is one round only: with the tools' answers as its message, or interrupted.
    pub(super) fn end_round(&mut self) -> GenerateResponse {
        if let TurnState::Done(_) = self.state {
            return *self.take_response();
        }
        let answers = self.request.messages.pop();
        self.end(answers, None, None)
    }

    /// The run is over with `error`, which gets everything that was done.
    pub(super) fn fail(&mut self, mut error: Error) -> Error {
        let (message, reason) = match std::mem::replace(&mut self.state, TurnState::Over) {
            // The machine's own.
            TurnState::Over if error.partial().is_some() => return error,
            TurnState::Tools(round) => {
                let resumed = round.is_resumed();
                let reason =
                    if resumed { FinishReason::Interrupted } else { FinishReason::Aborted };
                (Some(round.into_failed()), reason)
            }
            _ => (None, FinishReason::Aborted),
        };
        // Another run's, inside of a tool or a middleware, is not this one's.
        let response = self.end(message, Some(reason), Some(error.to_string()));
        error.put_partial(response);
        error
    }

    fn end(
        &mut self,
        message: Option<Message>,
        finish_reason: Option<FinishReason>,
        finish_message: Option<String>,
    ) -> GenerateResponse {
        self.state = TurnState::Over;
        // It is its caller's now, who may change it.
        self.request.encoded = Encoded::default();
        GenerateResponse {
            message,
            finish_reason,
            finish_message,
            usage: std::mem::take(&mut self.usage),
            custom: std::mem::take(&mut self.custom),
            ..GenerateResponse::of_request(std::mem::take(&mut self.request))
        }
    }
}

fn with_partial(error: E, response: GenerateResponse) -> Error {
    let mut error = Error::from(error);
    error.put_partial(response);
    error
}
