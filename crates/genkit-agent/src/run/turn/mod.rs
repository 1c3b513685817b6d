//! The turns of a run: a plain machine without IO, which says what to do next and is fed with what
//! came of it.
//!
//! ```text
//! Ready ──TurnStep::Model──▶ accept(answer) ────────────▶ Done, or Tools, or Answered
//! Tools ──TurnStep::Tools──▶ finish(call) .. ▶ settle() ─▶ Ready with a longer history, or
//!                                                          Asks, or Done (stopped on a tool)
//! Asks ──TurnStep::Asks──▶ resume(answers) ─────────────▶ Tools
//! Answered ──TurnStep::Check──▶ judge(verdict) ─────────▶ Done, or Ready with the reason in the history
//! ```

mod saved;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) use self::saved::MachineState;
use super::round::{PendingCall, ToolRound};
use crate::middleware::CallOutcome;
use crate::request::close_calls;
use genkit_core::Resume;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::format::{ModelAnswer, STOPPED};
use genkit_core::internal::generate::interrupt::{Resumed, resume};
use genkit_core::internal::model::Encoded;
use genkit_core::{Error, Result};
use genkit_core::{FinishReason, ModelRequest, ModelResponse, ToolChoice, ToolDefinition, Usage};
use genkit_core::{GenerateResponse, OutputRetry};
use genkit_core::{Message, Part, Role};

/// For how many rounds of tools there is room from the beginning.
const FEW_ROUNDS: usize = 3;

/// The rules of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnRules {
    pub(crate) max_turns: usize,
    /// Whether reaching `max_turns` is an error.
    pub(crate) fail_on_max_turns: bool,
    pub(crate) return_tool_requests: bool,
    /// The names of tools whose answer ends the run.
    pub(crate) stop_on_tools: Vec<String>,
    /// How often an answer that does not fit goes back to the model; `None` if no answer is checked.
    pub(crate) output_retries: Option<usize>,
}

/// The next step of a run.
#[derive(Debug)]
pub(super) enum TurnStep {
    /// Ask the model with [`TurnMachine::request`].
    Model,
    /// Run these, in any order.
    Tools(Vec<PendingCall>),
    /// Check [`TurnMachine::answer`].
    Check,
    /// Wait for answers to what the calls of [`TurnMachine::asking`] ask.
    Asks,
    /// Nothing: it is over.
    Done,
}

/// The machine of one run.
pub(super) struct TurnMachine {
    request: ModelRequest,
    rules: TurnRules,
    rounds: usize,
    /// How often the model was asked again because its answer did not fit.
    retries: usize,
    /// The index of the message that is produced next.
    index: usize,
    usage: Usage,
    custom: Map<String, Value>,
    state: TurnState,
}

enum TurnState {
    Ready,
    Tools(Box<ToolRound>),
    /// The model is done, and its answer is to be checked.
    Answered(Box<LastAnswer>),
    /// Calls of the last message ask somebody.
    Asks(Box<OpenRound>),
    Done(Box<GenerateResponse>),
    /// The response was handed out, or the run failed.
    Over,
}

/// The message whose calls ask.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OpenRound {
    pub(super) message: Message,
    /// The message was there before this run.
    is_resumed: bool,
    /// The answers so far, while others are missing.
    #[serde(default)]
    pub(super) answers: Resume,
}

/// The message that a model ended with, and why it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastAnswer {
    message: Message,
    finish_reason: Option<FinishReason>,
    finish_message: Option<String>,
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
        request.messages.reserve(2 * FEW_ROUNDS);
        let round = |resumed| TurnState::Tools(Box::new(ToolRound::resumed(resumed)));
        Self {
            request,
            rules,
            rounds: 0,
            retries: 0,
            index: 0,
            usage: Usage::default(),
            custom: Map::new(),
            state: resumed.map_or(TurnState::Ready, round),
        }
    }

    /// What to do now. OpenRound again without feeding the machine gives the same.
    pub(super) fn next(&self) -> TurnStep {
        match &self.state {
            TurnState::Ready => TurnStep::Model,
            TurnState::Tools(round) => TurnStep::Tools(round.pending()),
            TurnState::Answered(_) => TurnStep::Check,
            TurnState::Asks(_) => TurnStep::Asks,
            TurnState::Done(_) | TurnState::Over => TurnStep::Done,
        }
    }

    /// The response of a run that is over, or that waits for answers.
    pub(super) fn take_response(&mut self) -> Box<GenerateResponse> {
        match std::mem::replace(&mut self.state, TurnState::Over) {
            TurnState::Done(response) => response,
            TurnState::Asks(asking) => {
                let why = "One or more tool calls resulted in interrupts.".to_owned();
                let reason = Some(FinishReason::Interrupted);
                Box::new(self.end(Some(asking.message), reason, Some(why)))
            }
            // A driver that goes on after the end gets what there is, not a panic.
            _ => Box::new(self.end(None, Some(FinishReason::Other), None)),
        }
    }

    /// What the model is asked.
    pub(super) fn request(&self) -> &ModelRequest {
        &self.request
    }

    /// What the model is offered next.
    pub(super) fn tools(&self) -> &[ToolDefinition] {
        &self.request.tools
    }

    /// The same, to be changed.
    pub(super) fn tools_mut(&mut self) -> &mut Vec<ToolDefinition> {
        self.request.encoded.forget_rest();
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
            return Err(Error::from(E::Blocked(why)).with_partial(response));
        }
        let Some(mut message) = answer.message else {
            let response = self.end(None, reason, finish_message);
            return Err(Error::from(E::NoMessage).with_partial(response));
        };
        message.role = Role::Model;
        // A model that must not call tools and does so all the same is not obeyed.
        let forbidden = self.request.tool_choice == Some(ToolChoice::None);
        let calls = message.tool_requests().next().is_some();
        if (!calls || forbidden) && self.rules.output_retries.is_some() {
            let answer = LastAnswer { message, finish_reason: reason, finish_message };
            self.state = TurnState::Answered(Box::new(answer));
        } else if !calls || self.rules.return_tool_requests || forbidden {
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
            return Err(Error::from(error).with_partial(response));
        }
        self.state = TurnState::Done(Box::new(response));
        Ok(())
    }

    /// The answer that is to be checked.
    pub(super) fn answer(&self) -> ModelAnswer<'_> {
        let last = match &self.state {
            TurnState::Answered(last) => Some(last),
            _ => None,
        };
        ModelAnswer {
            message: last.map(|last| &last.message),
            finish_reason: last.and_then(|last| last.finish_reason),
            output: Some(&self.request.output),
        }
    }

    /// Takes whether the answer fits, or why it does not. What the model is told then is for the stream.
    pub(super) fn judge(&mut self, verdict: Result<(), String>) -> Result<Option<OutputRetry>> {
        let shown = verdict.as_ref().err().map(|why| self.answer().shown_after(why));
        let last = match std::mem::replace(&mut self.state, TurnState::Over) {
            TurnState::Answered(last) => *last,
            other => {
                self.state = other;
                return Ok(None);
            }
        };
        let LastAnswer { message, finish_reason, finish_message } = last;
        let Err(reason) = verdict else {
            let response = self.end(Some(message), finish_reason, finish_message);
            self.state = TurnState::Done(Box::new(response));
            return Ok(None);
        };
        // What was cut off would be cut off once more.
        let is_cut = finish_reason == Some(FinishReason::Length);
        if is_cut || self.retries >= self.rules.output_retries.unwrap_or(0) {
            let shown = shown.unwrap_or_default();
            let error = E::OutputRefused { why: reason, retries: self.retries, shown };
            let response = self.end(Some(message), finish_reason, finish_message);
            return Err(Error::from(error).with_partial(response));
        }
        self.retries += 1;
        let retry = OutputRetry::new(self.retries, self.index, reason);
        let mut messages = vec![message, retry.message()];
        // Providers refuse a message of nothing, and calls without an answer.
        messages.retain(|message| !message.content.is_empty());
        close_calls(&mut messages)?;
        self.request.messages.extend(messages);
        self.index += 2;
        self.state = TurnState::Ready;
        Ok(Some(retry))
    }

    /// What asks, and the answers so far.
    pub(super) fn asking(&self) -> Option<&OpenRound> {
        match &self.state {
            TurnState::Asks(asking) => Some(asking),
            _ => None,
        }
    }

    /// Keeps answers, while others are missing.
    pub(super) fn set_answers(&mut self, answers: Resume) {
        if let TurnState::Asks(asking) = &mut self.state {
            asking.answers = answers;
        }
    }

    /// Goes on with answers to all that is asked; without all of them it stays as it is.
    pub(super) fn resume(&mut self, answers: &Resume) -> Result<()> {
        let TurnState::Asks(asking) = &self.state else { return Err(E::NothingToResume.into()) };
        let resumed = resume(&mut vec![asking.message.clone()], answers)?;
        if !asking.is_resumed {
            // The message of this run's own model: its round counts, and the answers are the next message.
            self.rounds += 1;
            self.index += 1;
        }
        self.state = TurnState::Tools(Box::new(ToolRound::resumed(resumed)));
        Ok(())
    }

    /// The round of tools that is under way.
    pub(super) fn round(&self) -> Option<&ToolRound> {
        match &self.state {
            TurnState::Tools(round) => Some(round),
            _ => None,
        }
    }

    pub(super) fn round_mut(&mut self) -> Option<&mut ToolRound> {
        match &mut self.state {
            TurnState::Tools(round) => Some(round),
            _ => None,
        }
    }

    /// The response, once it is over.
    pub(super) fn response(&self) -> Option<&GenerateResponse> {
        match &self.state {
            TurnState::Done(response) => Some(response),
            _ => None,
        }
    }

    /// Takes what became of one call, by its place.
    pub(super) fn finish(&mut self, place: usize, outcome: CallOutcome) {
        if let TurnState::Tools(round) = &mut self.state {
            round.finish(place, outcome);
        }
    }

    /// Adds what was used beside the answers.
    pub(super) fn add_usage(&mut self, usage: &Usage) {
        self.usage.add(usage);
    }

    /// What the answers so far used.
    pub(super) fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Takes the model's answer, which is the last: the run is over with `error`.
    pub(super) fn refuse(&mut self, answer: ModelResponse, error: Error) -> Error {
        self.usage.add(&answer.usage);
        self.custom = answer.custom;
        let message = answer.message.map(|message| {
            let mut new_message = message;
            new_message.role = Role::Model;
            new_message
        });
        let response = self.end(message, Some(FinishReason::Aborted), Some(error.to_string()));
        error.with_partial(response)
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
            let is_resumed = round.is_resumed();
            let (message, answers) = (round.into_interrupted(), Resume::default());
            self.state = TurnState::Asks(Box::new(OpenRound { message, is_resumed, answers }));
            return None;
        }
        if round.is_resumed() {
            // The model's message was there before this run: only the answers are new.
            self.index += 1;
        } else {
            self.rounds += 1;
            self.index += 2;
        }
        let [message, mut answers] = round.into_messages();
        self.request.messages.push(message);
        if let Some(tool) = mark_stop(&mut answers, &self.rules.stop_on_tools) {
            let why = format!("the tool `{tool}` was called");
            let response = self.end(Some(answers), Some(FinishReason::Stop), Some(why));
            self.state = TurnState::Done(Box::new(response));
        } else {
            self.choose_freely();
            self.request.messages.push(answers);
            self.state = TurnState::Ready;
        }
        match &self.state {
            TurnState::Done(response) => response.message.as_ref(),
            _ => self.request.messages.last(),
        }
    }

    /// It has called one: a model that must call for ever could never answer, unless a tool is its answer.
    fn choose_freely(&mut self) {
        let choice = &mut self.request.tool_choice;
        let may_go_on =
            !self.rules.stop_on_tools.is_empty() && *choice == Some(ToolChoice::Required);
        if choice.as_ref().is_some_and(ToolChoice::is_forced) && !may_go_on {
            *choice = Some(ToolChoice::Auto);
            self.request.encoded.forget_rest();
        }
    }

    /// Ends a run that is one round only: with the tools' answers as its message, or interrupted.
    pub(super) fn end_round(&mut self) -> GenerateResponse {
        if let TurnState::Done(_) | TurnState::Asks(_) = self.state {
            return *self.take_response();
        }
        let answers = self.request.messages.pop();
        self.end(answers, None, None)
    }

    /// The run is over with `error`, which gets everything that was done.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        let (message, reason) = match std::mem::replace(&mut self.state, TurnState::Over) {
            // The machine's own.
            TurnState::Over if error.partial().is_some() => return error,
            TurnState::Tools(round) => {
                let resumed = round.is_resumed();
                let reason =
                    if resumed { FinishReason::Interrupted } else { FinishReason::Aborted };
                (Some(round.into_failed()), reason)
            }
            TurnState::Answered(last) => (Some(last.message), FinishReason::Aborted),
            TurnState::Asks(asking) => (Some(asking.message), FinishReason::Interrupted),
            _ => (None, FinishReason::Aborted),
        };
        // Another run's, inside of a tool or a middleware, is not this one's.
        let response = self.end(message, Some(reason), Some(error.to_string()));
        error.with_partial(response)
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
        let mut response = GenerateResponse::of_request(std::mem::take(&mut self.request));
        response.message = message;
        response.finish_reason = finish_reason;
        response.finish_message = finish_message;
        response.usage = std::mem::take(&mut self.usage);
        response.custom = std::mem::take(&mut self.custom);
        response
    }
}

/// Marks the first answer that ends the run: of a tool of `names` that did not fail, since the model can
/// mend a call that did. The tool's name.
fn mark_stop(answers: &mut Message, names: &[String]) -> Option<String> {
    for part in &mut answers.content {
        if let Part::ToolResponse { tool_response: answer, metadata, .. } = part
            && names.contains(&answer.name)
            && answer.error().is_none()
        {
            metadata.insert(STOPPED.to_owned(), true.into());
            return Some(answer.name.clone());
        }
    }
    None
}
