//! The turns of a run: a state machine without I/O that returns the next step and accepts its result.
//!
//! ```text
//! Ready ──TurnStep::Model──▶ accept_response(..) ───────────────▶ Done, or Tools, or Answered
//! Tools ──TurnStep::Tools──▶ finish_call(..) .. ▶ settle_round() ─▶ Ready with a longer history, or
//!                                                                 Asks, or Done (stopped on a tool)
//! Asks ──TurnStep::Asks──▶ resume_round(..) ────────────────────▶ Tools
//! Answered ──TurnStep::Check──▶ accept_verdict(..) ─────────────▶ Done, or Ready with the reason
//!                                                                 in the history
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
use genkit_core::internal::generate::format::{ModelOutput, STOPPED};
use genkit_core::internal::generate::interrupt::{ResumedCalls, resume};
use genkit_core::internal::model::EncodedMessages;
use genkit_core::{Error, Result};
use genkit_core::{FinishReason, ModelRequest, ModelResponse, ToolChoice, ToolDefinition, Usage};
use genkit_core::{GenerateResponse, OutputRetry};
use genkit_core::{Message, Part, Role};

/// The number of rounds of tools to reserve memory for.
const RESERVED_ROUNDS: usize = 3;

/// The rules of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnRules {
    pub(crate) max_turns: usize,
    /// Whether the run fails when it reaches `max_turns`.
    pub(crate) fail_on_max_turns: bool,
    pub(crate) return_tool_requests: bool,
    /// The names of the tools that end the run once called successfully.
    pub(crate) stop_on_tools: Vec<String>,
    /// The number of output retries. `None` means that the output is not checked.
    pub(crate) output_retries: Option<usize>,
}

/// The next step of a run.
#[derive(Debug)]
pub(super) enum TurnStep {
    /// Call the model with [`TurnMachine::request`].
    Model,
    /// Run these calls, in any order.
    Tools(Vec<PendingCall>),
    /// Check [`TurnMachine::response_to_check`].
    Check,
    /// Wait for answers to the questions of [`TurnMachine::open_round`].
    Asks,
    /// Nothing: the run is finished.
    Done,
}

/// The state machine of one run.
pub(super) struct TurnMachine {
    request: ModelRequest,
    rules: TurnRules,
    rounds: usize,
    /// The number of output retries so far.
    retries: usize,
    /// The index of the next message to produce.
    index: usize,
    usage: Usage,
    custom: Map<String, Value>,
    state: TurnState,
}

enum TurnState {
    Ready,
    Tools(Box<ToolRound>),
    /// The model has finished, and its response must be checked.
    Answered(Box<LastResponse>),
    /// Calls of the last message are interrupted.
    Asks(Box<OpenRound>),
    Done(Box<GenerateResponse>),
    /// The response was taken, or the run failed.
    Over,
}

/// The message with interrupted calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OpenRound {
    pub(super) message: Message,
    /// Whether the message existed before this run.
    is_resumed: bool,
    /// The answers received so far, kept until every question is answered.
    #[serde(default)]
    pub(super) answers: Resume,
}

/// The last message from a model, and the reason why it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastResponse {
    message: Message,
    finish_reason: Option<FinishReason>,
    finish_message: Option<String>,
}

impl TurnMachine {
    /// Creates a new run, or a run that resumes at the tool calls in the model's last message.
    pub(super) fn new(
        mut request: ModelRequest,
        rules: TurnRules,
        resumed: Option<ResumedCalls>,
    ) -> Self {
        // From here on, messages are only appended.
        request.encoded = EncodedMessages::for_run();
        request.messages.reserve(2 * RESERVED_ROUNDS);
        let round = |resumed| TurnState::Tools(Box::new(ToolRound::from_resumed(resumed)));
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

    /// Returns the next step. Calling it again without passing a result returns the same step.
    pub(super) fn next(&self) -> TurnStep {
        match &self.state {
            TurnState::Ready => TurnStep::Model,
            TurnState::Tools(round) => TurnStep::Tools(round.pending_calls()),
            TurnState::Answered(_) => TurnStep::Check,
            TurnState::Asks(_) => TurnStep::Asks,
            TurnState::Done(_) | TurnState::Over => TurnStep::Done,
        }
    }

    /// Takes the response of a run that is finished or interrupted.
    pub(super) fn take_response(&mut self) -> Box<GenerateResponse> {
        match std::mem::replace(&mut self.state, TurnState::Over) {
            TurnState::Done(response) => response,
            TurnState::Asks(asking) => {
                let why = "One or more tool calls resulted in interrupts.".to_owned();
                let reason = Some(FinishReason::Interrupted);
                Box::new(self.end_run(Some(asking.message), reason, Some(why)))
            }
            // If the caller continues after the end, return the response so far instead of panicking.
            _ => Box::new(self.end_run(None, Some(FinishReason::Other), None)),
        }
    }

    /// Returns the model request.
    pub(super) fn request(&self) -> &ModelRequest {
        &self.request
    }

    /// Returns the tools that the next model call offers.
    pub(super) fn tools(&self) -> &[ToolDefinition] {
        &self.request.tools
    }

    /// Returns a mutable reference to the tools.
    pub(super) fn tools_mut(&mut self) -> &mut Vec<ToolDefinition> {
        self.request.encoded.forget_rest();
        &mut self.request.tools
    }

    /// Returns the index of the message that is being produced.
    pub(super) fn index(&self) -> usize {
        match &self.state {
            // A resumed run starts with the tool message.
            TurnState::Tools(round) if !round.is_resumed() => self.index + 1,
            _ => self.index,
        }
    }

    /// Returns the index of the next round of tools, starting at 0.
    pub(super) fn rounds(&self) -> usize {
        self.rounds
    }

    /// Accepts the model's response. The caller must have made the ids of its calls unique.
    pub(super) fn accept_response(&mut self, answer: ModelResponse) -> Result<()> {
        self.usage.add(&answer.usage);
        self.custom = answer.custom;
        let (reason, finish_message) = (answer.finish_reason, answer.finish_message);
        if reason == Some(FinishReason::Blocked) {
            let why = finish_message.as_deref().unwrap_or("the provider gave no reason").to_owned();
            let response = self.end_run(answer.message, reason, finish_message);
            return Err(Error::from(E::Blocked(why)).with_partial(response));
        }
        let Some(mut message) = answer.message else {
            let response = self.end_run(None, reason, finish_message);
            return Err(Error::from(E::MissingMessage).with_partial(response));
        };
        message.role = Role::Model;
        // Ignore the tool calls of a model that must not call tools.
        let forbidden = self.request.tool_choice == Some(ToolChoice::None);
        let calls = message.tool_requests().next().is_some();
        if (!calls || forbidden) && self.rules.output_retries.is_some() {
            let answer = LastResponse { message, finish_reason: reason, finish_message };
            self.state = TurnState::Answered(Box::new(answer));
        } else if !calls || self.rules.return_tool_requests || forbidden {
            let response = self.end_run(Some(message), reason, finish_message);
            self.state = TurnState::Done(Box::new(response));
        } else if self.rounds >= self.rules.max_turns {
            return self.give_up(message);
        } else {
            self.state = TurnState::Tools(Box::new(ToolRound::new(message)));
        }
        Ok(())
    }

    /// Ends the run because the model requested more rounds of tools than allowed.
    fn give_up(&mut self, message: Message) -> Result<()> {
        let error = E::MaxTurns(self.rules.max_turns);
        let reason = Some(FinishReason::Aborted);
        let response = self.end_run(Some(message), reason, Some(error.to_string()));
        if self.rules.fail_on_max_turns {
            return Err(Error::from(error).with_partial(response));
        }
        self.state = TurnState::Done(Box::new(response));
        Ok(())
    }

    /// Returns the response to check.
    pub(super) fn response_to_check(&self) -> ModelOutput<'_> {
        let last = match &self.state {
            TurnState::Answered(last) => Some(last),
            _ => None,
        };
        ModelOutput {
            message: last.map(|last| &last.message),
            finish_reason: last.and_then(|last| last.finish_reason),
            output: Some(&self.request.output),
        }
    }

    /// Accepts the verdict on the output. If the output is retried, returns the retry so that the
    /// caller can report it on the stream.
    pub(super) fn accept_verdict(
        &mut self,
        verdict: Result<(), String>,
    ) -> Result<Option<OutputRetry>> {
        let shown = verdict.as_ref().err().map(|why| self.response_to_check().shown_after(why));
        let last = match std::mem::replace(&mut self.state, TurnState::Over) {
            TurnState::Answered(last) => *last,
            other => {
                self.state = other;
                return Ok(None);
            }
        };
        let LastResponse { message, finish_reason, finish_message } = last;
        let Err(reason) = verdict else {
            let response = self.end_run(Some(message), finish_reason, finish_message);
            self.state = TurnState::Done(Box::new(response));
            return Ok(None);
        };
        // A response that was cut off would be cut off again.
        let is_cut = finish_reason == Some(FinishReason::Length);
        if is_cut || self.retries >= self.rules.output_retries.unwrap_or(0) {
            let shown = shown.unwrap_or_default();
            let error = E::OutputRejected { why: reason, retries: self.retries, shown };
            let response = self.end_run(Some(message), finish_reason, finish_message);
            return Err(Error::from(error).with_partial(response));
        }
        self.retries += 1;
        let retry = OutputRetry::new(self.retries, self.index, reason);
        let mut messages = vec![message, retry.retry_message()];
        // Providers reject empty messages and calls without a response.
        messages.retain(|message| !message.content.is_empty());
        close_calls(&mut messages)?;
        self.request.messages.extend(messages);
        self.index += 2;
        self.state = TurnState::Ready;
        Ok(Some(retry))
    }

    /// Returns the interrupted round with the answers so far.
    pub(super) fn open_round(&self) -> Option<&OpenRound> {
        match &self.state {
            TurnState::Asks(asking) => Some(asking),
            _ => None,
        }
    }

    /// Stores the answers received so far, while other answers are missing.
    pub(super) fn set_answers(&mut self, answers: Resume) {
        if let TurnState::Asks(asking) = &mut self.state {
            asking.answers = answers;
        }
    }

    /// Resumes with answers to all open questions. If any is missing, the state is unchanged.
    pub(super) fn resume_round(&mut self, answers: &Resume) -> Result<()> {
        let TurnState::Asks(asking) = &self.state else { return Err(E::NothingToResume.into()) };
        let resumed = resume(&mut vec![asking.message.clone()], answers)?;
        if !asking.is_resumed {
            // The message was produced by this run, so its round counts, and the tool message has the next index.
            self.rounds += 1;
            self.index += 1;
        }
        self.state = TurnState::Tools(Box::new(ToolRound::from_resumed(resumed)));
        Ok(())
    }

    /// Returns the current round of tools.
    pub(super) fn tool_round(&self) -> Option<&ToolRound> {
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

    /// Returns the response, if the run is finished.
    pub(super) fn response(&self) -> Option<&GenerateResponse> {
        match &self.state {
            TurnState::Done(response) => Some(response),
            _ => None,
        }
    }

    /// Stores the outcome of the call at `place`.
    pub(super) fn finish_call(&mut self, place: usize, outcome: CallOutcome) {
        if let TurnState::Tools(round) = &mut self.state {
            round.finish_call(place, outcome);
        }
    }

    /// Adds usage that is not part of a model response.
    pub(super) fn add_usage(&mut self, usage: &Usage) {
        self.usage.add(usage);
    }

    /// Returns the usage so far.
    pub(super) fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Accepts the model's last response, and ends the run with `error`.
    pub(super) fn end_with_error(&mut self, answer: ModelResponse, error: Error) -> Error {
        self.usage.add(&answer.usage);
        self.custom = answer.custom;
        let mut message = answer.message;
        if let Some(message) = &mut message {
            message.role = Role::Model;
        }
        let response = self.end_run(message, Some(FinishReason::Aborted), Some(error.to_string()));
        error.with_partial(response)
    }

    /// Ends a round once all its calls have an outcome. Returns the tool message for the stream, or `None` if the run
    /// is interrupted.
    pub(super) fn settle_round(&mut self) -> Option<&Message> {
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
            // The model's message existed before this run, so only the tool message is new.
            self.index += 1;
        } else {
            self.rounds += 1;
            self.index += 2;
        }
        let [message, mut answers] = round.into_messages();
        self.request.messages.push(message);
        if let Some(tool) = mark_stop(&mut answers, &self.rules.stop_on_tools) {
            let why = format!("the tool `{tool}` was called");
            let response = self.end_run(Some(answers), Some(FinishReason::Stop), Some(why));
            self.state = TurnState::Done(Box::new(response));
        } else {
            self.reset_tool_choice();
            self.request.messages.push(answers);
            self.state = TurnState::Ready;
        }
        match &self.state {
            TurnState::Done(response) => response.message.as_ref(),
            _ => self.request.messages.last(),
        }
    }

    /// Resets a forced tool choice after a call, since the model could otherwise never send a final response. Keeps it
    /// if a stop tool can end the run.
    fn reset_tool_choice(&mut self) {
        let choice = &mut self.request.tool_choice;
        let stop_tool_can_end_run =
            !self.rules.stop_on_tools.is_empty() && *choice == Some(ToolChoice::Required);
        if choice.as_ref().is_some_and(ToolChoice::is_forced) && !stop_tool_can_end_run {
            *choice = Some(ToolChoice::Auto);
            self.request.encoded.forget_rest();
        }
    }

    /// Ends a run that consists of one round. The last message holds the tool responses, unless the run is interrupted.
    pub(super) fn end_round(&mut self) -> GenerateResponse {
        if let TurnState::Done(_) | TurnState::Asks(_) = self.state {
            return *self.take_response();
        }
        let answers = self.request.messages.pop();
        self.end_run(answers, None, None)
    }

    /// Ends the run with `error`, and adds the partial response to it.
    pub(super) fn fail_run(&mut self, error: Error) -> Error {
        let (message, reason) = match std::mem::replace(&mut self.state, TurnState::Over) {
            // The error was created by this state machine and already has its partial response.
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
        // `error` may contain the partial response of a nested run that a tool or middleware started; replace it.
        let response = self.end_run(message, Some(reason), Some(error.to_string()));
        error.with_partial(response)
    }

    fn end_run(
        &mut self,
        message: Option<Message>,
        finish_reason: Option<FinishReason>,
        finish_message: Option<String>,
    ) -> GenerateResponse {
        self.state = TurnState::Over;
        // The request now belongs to the caller, who may change it.
        self.request.encoded = EncodedMessages::default();
        let mut response = GenerateResponse::from_request(std::mem::take(&mut self.request));
        response.message = message;
        response.finish_reason = finish_reason;
        response.finish_message = finish_message;
        response.usage = std::mem::take(&mut self.usage);
        response.custom = std::mem::take(&mut self.custom);
        response
    }
}

/// Marks the first successful response from a tool in `names`, which ends the run. Errors do not
/// count, because the model can correct a failed call. Returns the name of the tool.
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
