//! Saving the state machine as data, and restoring it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{LastResponse, OpenRound, TurnMachine, TurnRules, TurnState};
use crate::run::round::ToolRound;
use genkit_core::GenerateResponse;
use genkit_core::Interrupt;
use genkit_core::Message;
use genkit_core::internal::model::EncodedMessages;
use genkit_core::internal::redact::remove_account_settings;
use genkit_core::{FinishReason, ModelRequest, ToolDefinition, Usage};

/// The state machine as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::run) struct MachineState {
    pub(in crate::run) rules: TurnRules,
    rounds: usize,
    retries: usize,
    index: usize,
    #[serde(default)]
    usage: Usage,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    custom: Map<String, Value>,
    /// The request without messages and tools.
    pub(in crate::run) request: ModelRequest,
    phase: SavedPhase,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum SavedPhase {
    Ready,
    Tools(Box<ToolRound>),
    Answered(Box<LastResponse>),
    Asks(Box<OpenRound>),
    Done(Box<SavedEnding>),
    /// The run failed, or its response was taken.
    Over,
}

/// The end of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedEnding {
    message: Option<Message>,
    finish_reason: Option<FinishReason>,
    finish_message: Option<String>,
}

impl TurnMachine {
    /// Returns the state machine as data without messages and tools, and the messages after the first `known`.
    pub(in crate::run) fn save_state(&self, known: usize) -> (MachineState, Vec<Message>) {
        let mut request = &self.request;
        let (mut usage, mut custom) = (&self.usage, &self.custom);
        let phase = match &self.state {
            TurnState::Ready => SavedPhase::Ready,
            TurnState::Over => SavedPhase::Over,
            TurnState::Tools(round) => SavedPhase::Tools(round.clone()),
            TurnState::Answered(last) => SavedPhase::Answered(last.clone()),
            TurnState::Asks(asking) => SavedPhase::Asks(asking.clone()),
            TurnState::Done(response) => {
                request = response.request.as_ref().unwrap_or(request);
                (usage, custom) = (&response.usage, &response.custom);
                let GenerateResponse { message, finish_reason, finish_message, .. } = &**response;
                let (message, finish_message) = (message.clone(), finish_message.clone());
                SavedPhase::Done(Box::new(SavedEnding {
                    message,
                    finish_reason: *finish_reason,
                    finish_message,
                }))
            }
        };
        let messages = request.messages.iter().skip(known).cloned().collect();
        let request = without_messages(request);
        let (usage, custom) = (usage.clone(), custom.clone());
        let (rules, rounds, retries, index) =
            (self.rules.clone(), self.rounds, self.retries, self.index);
        (MachineState { rules, rounds, retries, index, usage, custom, request, phase }, messages)
    }

    /// Restores a saved state machine, with the current tools.
    pub(in crate::run) fn restore(
        saved: MachineState,
        messages: Vec<Message>,
        tools: Vec<ToolDefinition>,
    ) -> Self {
        let MachineState { rules, rounds, retries, index, usage, custom, mut request, phase } =
            saved;
        request.messages = messages;
        request.tools = tools;
        request.encoded = EncodedMessages::for_run();
        let mut ending = None;
        let state = match phase {
            SavedPhase::Ready => TurnState::Ready,
            SavedPhase::Over => TurnState::Over,
            SavedPhase::Tools(round) => TurnState::Tools(round),
            SavedPhase::Answered(last) => TurnState::Answered(last),
            SavedPhase::Asks(asking) => TurnState::Asks(asking),
            SavedPhase::Done(ended) => {
                ending = Some(ended);
                TurnState::Over
            }
        };
        let mut this = Self { request, rules, rounds, retries, index, usage, custom, state };
        if let Some(ending) = ending {
            let SavedEnding { message, finish_reason, finish_message } = *ending;
            let response = this.end_run(message, finish_reason, finish_message);
            this.state = TurnState::Done(Box::new(response));
        }
        this
    }
}

/// Returns a request for saving. Messages are stored separately, tools are looked up by name, and account settings must
/// not be stored.
fn without_messages(request: &ModelRequest) -> ModelRequest {
    let mut config = request.config.clone();
    remove_account_settings(&mut config);
    let mut new_request = ModelRequest::default();
    new_request.config = config;
    new_request.tool_choice = request.tool_choice.clone();
    new_request.output = request.output.clone();
    new_request.docs = request.docs.clone();
    new_request
}

impl MachineState {
    /// Ends the run with the response `done`. Returns its messages after the first `known`.
    pub(in crate::run) fn end_run(
        &mut self,
        done: &GenerateResponse,
        known: usize,
    ) -> Vec<Message> {
        let GenerateResponse {
            message, finish_reason, finish_message, usage, custom, request, ..
        } = done;
        (self.usage, self.custom) = (usage.clone(), custom.clone());
        let (message, finish_message) = (message.clone(), finish_message.clone());
        self.phase = SavedPhase::Done(Box::new(SavedEnding {
            message,
            finish_reason: *finish_reason,
            finish_message,
        }));
        let Some(request) = request else { return Vec::new() };
        self.request = without_messages(request);
        request.messages.iter().skip(known).cloned().collect()
    }

    /// Returns the questions that have no answer yet.
    pub(in crate::run) fn open_questions(&self) -> Vec<Interrupt> {
        match &self.phase {
            SavedPhase::Asks(asking) => asking.answers.open_questions(&asking.message),
            _ => Vec::new(),
        }
    }
}
