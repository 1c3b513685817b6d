//! A round of tools: a message from the model and the outcomes of its calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::middleware::CallOutcome;
use genkit_core::internal::context::Recording;
use genkit_core::internal::generate::interrupt::{
    CallState, ResumedCalls, Suspended, close_request, complete_calls, note_replaced_input,
    replace_input, set_pending,
};
use genkit_core::{Message, Part, Role, ToolRequest};

/// A tool call that must run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PendingCall {
    /// The index of the call in the round.
    pub(super) place: usize,
    pub(super) request: ToolRequest,
    /// Whether the caller replaced the model's input.
    pub(super) edited: bool,
    /// The recording of an earlier run of the call, with the answers to its questions.
    pub(super) suspended: Option<Box<Suspended>>,
}

/// One round of tools.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ToolRound {
    message: Message,
    calls: Vec<RoundCall>,
    /// The suspended message of a resumed run, and the metadata of its tool message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resumed: Option<(Message, Value)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RoundCall {
    /// The index of the request in the message.
    at: usize,
    state: CallState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<CallOutcome>,
    /// Set for an at-most-once call that was started, and must not be started again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_started: bool,
    /// The results that the call recorded with `once` since the start of the round.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    once: BTreeMap<String, Value>,
}

impl RoundCall {
    fn new(at: usize, state: CallState) -> Self {
        Self { at, state, outcome: None, is_started: false, once: BTreeMap::new() }
    }

    /// Returns whether the call must still run.
    fn is_open(&self) -> bool {
        matches!(self.state, CallState::Pending { .. }) && self.outcome.is_none()
    }

    /// Returns the recording of earlier runs, with the answers to questions.
    fn next_suspended(&self, suspended: &Option<Box<Suspended>>) -> Option<Box<Suspended>> {
        if self.once.is_empty() {
            return suspended.clone();
        }
        let none = || Box::new(Suspended::new(Vec::new(), Recording::default()));
        let mut suspended = suspended.clone().unwrap_or_else(none);
        suspended.recording.once.extend(self.once.clone());
        Some(suspended)
    }
}

impl ToolRound {
    pub(super) fn new(message: Message) -> Self {
        let pending =
            |(at, _)| RoundCall::new(at, CallState::Pending { input: None, suspended: None });
        let calls = complete_calls(&message).map(pending).collect();
        Self { message, calls, resumed: None }
    }

    pub(super) fn from_resumed(resumed: ResumedCalls) -> Self {
        let ResumedCalls { message, suspended, calls, metadata } = resumed;
        let calls = calls.into_iter().map(|(at, state)| RoundCall::new(at, state));
        Self { message, calls: calls.collect(), resumed: Some((suspended, metadata)) }
    }

    pub(super) fn is_resumed(&self) -> bool {
        self.resumed.is_some()
    }

    /// Returns whether no call is left to run.
    pub(super) fn is_settled(&self) -> bool {
        self.calls.iter().all(|call| !call.is_open())
    }

    /// Returns the call at `place`, if it has no outcome.
    fn open_call(&mut self, place: usize) -> Option<&mut RoundCall> {
        self.calls.get_mut(place).filter(|call| call.is_open())
    }

    /// Returns whether the call at `place` must still run.
    pub(super) fn is_open(&self, place: usize) -> bool {
        self.calls.get(place).is_some_and(RoundCall::is_open)
    }

    /// Records that an at-most-once call was started.
    pub(super) fn mark_started(&mut self, place: usize) {
        if let Some(call) = self.open_call(place) {
            call.is_started = true;
        }
    }

    /// Records a result of `once` in a call.
    pub(super) fn record_once(&mut self, place: usize, key: String, done: Value) {
        if let Some(call) = self.open_call(place) {
            call.once.insert(key, done);
        }
    }

    /// Converts at-most-once calls that were started and have no known outcome into questions. Returns their indices.
    pub(super) fn ask_about_started(&mut self) -> Vec<usize> {
        let mut asked = Vec::new();
        for (place, call) in self.calls.iter_mut().enumerate() {
            let CallState::Pending { suspended, .. } = &call.state else { continue };
            if !call.is_started || call.outcome.is_some() {
                continue;
            }
            let mut question = Suspended::from_metadata(serde_json::json!({
                "message": "This call was started, but its outcome is unknown. Check whether it happened before you run it again, or respond on its behalf.",
                "mayHaveHappened": true,
            }));
            if let Some(earlier) = call.next_suspended(suspended) {
                question.merge_earlier(&earlier);
            }
            call.is_started = false;
            call.outcome = Some(CallOutcome::Interrupted(Box::new(question)));
            asked.push(place);
        }
        asked
    }

    /// Returns the calls that must still run.
    pub(super) fn pending_calls(&self) -> Vec<PendingCall> {
        let call = |(place, call): (usize, &RoundCall)| {
            let CallState::Pending { input, suspended } = &call.state else { return None };
            if call.outcome.is_some() {
                return None;
            }
            let mut request = self.message.content[call.at].as_tool_request()?.clone();
            if let Some(input) = input {
                request.input = input.clone();
            }
            let edited = input.is_some();
            Some(PendingCall { place, request, edited, suspended: call.next_suspended(suspended) })
        };
        self.calls.iter().enumerate().filter_map(call).collect()
    }

    /// Stores the outcome of the call at `place`. If the caller replaced the input, stores the new input in the request
    /// and adds a note about it to the response for the model.
    pub(super) fn finish_call(&mut self, place: usize, mut outcome: CallOutcome) {
        let Some(call) = self.calls.get_mut(place) else { return };
        let request = &mut self.message.content[call.at];
        if let CallState::Pending { input: Some(input), .. } = &call.state {
            replace_input(request, input.clone());
        }
        if let CallOutcome::Answered(answer) = &mut outcome {
            note_replaced_input(request, answer);
        }
        call.outcome = Some(outcome);
    }

    pub(super) fn is_interrupted(&self) -> bool {
        let asks = |call: &RoundCall| matches!(call.outcome, Some(CallOutcome::Interrupted(_)));
        self.calls.iter().any(asks)
    }

    /// Returns the message with its open questions and the responses so far.
    pub(super) fn into_interrupted(mut self) -> Message {
        for RoundCall { at, state, outcome, .. } in self.calls {
            let request = &mut self.message.content[at];
            match (state, outcome) {
                (CallState::Answered(answer), _) => {
                    note_outcome(request, None, CallOutcome::Answered(answer));
                }
                (CallState::Pending { .. }, Some(outcome)) => note_outcome(request, None, outcome),
                (CallState::Pending { .. }, None) => {}
            }
        }
        self.message
    }

    /// Returns the message and the tool responses to it.
    pub(super) fn into_messages(self) -> [Message; 2] {
        let message = &self.message;
        // `collect` could reuse the allocation of `self.calls`, which has larger elements.
        let mut content = Vec::with_capacity(self.calls.len());
        content.extend(self.calls.into_iter().filter_map(|call| {
            match (call.state, call.outcome) {
                (CallState::Answered(mut answer), _) => {
                    note_replaced_input(&message.content[call.at], &mut answer);
                    Some(*answer)
                }
                // `finish_call` already added the note.
                (_, Some(CallOutcome::Answered(answer))) => Some(*answer),
                _ => None,
            }
        }));
        let mut answers = Message::new(Role::Tool, content);
        if let Some((_, metadata)) = self.resumed {
            answers.metadata.insert("resumed".to_owned(), metadata);
        }
        [self.message, answers]
    }

    /// Returns the message of a failed round. Finished calls keep their responses, and questions of a resumed run can
    /// be answered again.
    pub(super) fn into_failed(self) -> Message {
        let mut message = self.resumed.map_or(self.message, |(suspended, _)| suspended);
        for call in self.calls {
            if let (CallState::Pending { input, .. }, Some(outcome)) = (call.state, call.outcome) {
                note_outcome(&mut message.content[call.at], input, outcome);
            }
        }
        message
    }
}

/// Writes the outcome of a call into its request when the round ends early. `replaced` is the input that the caller
/// sent in place of the model's; a call that is interrupted again keeps it.
fn note_outcome(request: &mut Part, replaced: Option<Value>, outcome: CallOutcome) {
    if let Some(input) = replaced {
        replace_input(request, input);
    }
    match outcome {
        CallOutcome::Answered(answer) => {
            close_request(request);
            set_pending(request, *answer);
        }
        CallOutcome::Interrupted(suspended) => suspended.write(request),
    }
}
