//! Resuming: continues an interrupted run once all its open calls have an answer.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::question::{Answer, Interrupt, Kind};
use super::suspended::{
    ANSWERS, CALL_KEY, PENDING_OUTPUT, REPLACED_INPUT, RESUMED, Suspended, pending_answer,
    resolve_request,
};
use crate::action::Tool;
use crate::context::{APPROVAL_KEY, CallerAnswer, Decision, QuestionKind, UserAction};
use crate::error::Result;
use crate::generate::error::Error as E;
use crate::message::{Message, Part, Role, ToolRequest};
use genkit_schema::internal::strictness::Strictness;

/// The answers to the interrupts of a run, in Genkit's JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resume {
    /// The tool responses on behalf of the tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub respond: Vec<Part>,
    /// Calls to run again, with their answers in the metadata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restart: Vec<Part>,
    /// Metadata that is stored in the tool message under `resumed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

impl Resume {
    /// Adds an answer.
    ///
    /// # Errors
    /// Returns an error if a value that was passed to the answer cannot be serialized.
    #[doc(hidden)]
    pub fn push_answer(&mut self, answer: Answer) -> Result<(), E> {
        if let Some(why) = answer.error {
            let name = part_identity(answer.kind.part()).map_or("", |(name, _)| name).to_owned();
            return Err(E::InvalidAnswer { name, why });
        }
        match answer.kind {
            Kind::Respond(part) => self.respond.push(part),
            Kind::Restart(part) => self.restart.push(part),
        }
        Ok(())
    }

    /// Splits the value into its answers.
    #[doc(hidden)]
    pub fn into_answers(self) -> Vec<Answer> {
        let respond = self.respond.into_iter().map(Kind::Respond);
        respond.chain(self.restart.into_iter().map(Kind::Restart)).map(Answer::from_kind).collect()
    }

    /// Returns a copy with `answer` added, which must match an open question of `message`.
    ///
    /// # Errors
    /// Returns an error if no open question matches the answer, or if the question is already
    /// answered.
    #[doc(hidden)]
    pub fn with_answer(&self, answer: Answer, message: &Message) -> Result<Self> {
        let mut answers = self.clone();
        answers.push_answer(answer)?;
        check_references(message)?;
        check_answers(message, &answers)?;
        if answers.open_questions(message).len() >= self.open_questions(message).len() {
            return Err(E::AnsweredBefore.into());
        }
        Ok(answers)
    }

    /// Returns the questions of `message` that are not answered here.
    #[doc(hidden)]
    pub fn open_questions(&self, message: &Message) -> Vec<Interrupt> {
        let is_open = |part: &&Part| {
            let answered =
                self.respond.iter().any(|answer| part_identity(answer) == part_identity(part));
            !answered && !part.metadata().contains_key(PENDING_OUTPUT)
        };
        let calls = complete_calls(message).map(|(at, _)| &message.content[at]).filter(is_open);
        let of_call = |part| {
            let given: Vec<&Part> = self
                .restart
                .iter()
                .filter(|answer| part_identity(answer) == part_identity(part))
                .collect();
            let is_given = move |question: &Interrupt| {
                given.iter().any(|restart| has_answer_to(restart, question.key()))
            };
            Interrupt::from_part(part).into_iter().filter(move |question| !is_given(question))
        };
        calls.flat_map(of_call).collect()
    }

    /// Checks responses and arguments that the caller supplied against the tool's schemas. A mismatch is an error for
    /// the caller, not for the model.
    #[doc(hidden)]
    pub fn check(&self, find: impl Fn(&str) -> Option<Tool>, how: Strictness) -> Result<()> {
        for response in self.respond.iter().filter_map(Part::as_tool_response) {
            let Some(tool) = find(&response.name) else { continue };
            if response.error().is_none() && response.content.is_empty() {
                let checked = tool.schemas().check_output(Some(&response.output));
                let name = response.name.clone();
                checked.map_err(|why| E::AnswerSchema { name, why: why.to_string() })?;
            }
        }
        for part in &self.restart {
            let Some(request) = part.as_tool_request() else { continue };
            let Some(tool) = find(&request.name) else { continue };
            // A declared tool has no body that could run again.
            if tool.is_declared() && !tool.needs_approval() && accepts_question(part) {
                return Err(E::RestartedDeclared(request.name.clone()).into());
            }
            if is_replaced(part) {
                let checked = tool.schemas().check_given(request.input.clone(), how);
                let name = request.name.clone();
                checked.map_err(|why| E::GivenArguments { name, why: why.to_string() })?;
            }
        }
        Ok(())
    }
}

impl ResumedCalls {
    /// Returns the names of the suspended tools that run again.
    pub fn restarted_names(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().filter_map(|(at, state)| {
            let CallState::Pending { suspended: Some(_), .. } = state else { return None };
            self.message.content[*at].as_tool_request().map(|request| &*request.name)
        })
    }
}

/// The starting state of a resumed run.
#[derive(Clone, Debug)]
pub struct ResumedCalls {
    /// The model's message, without the data of its open questions.
    pub message: Message,
    /// The suspended form of the same message, for the partial response of an error.
    pub suspended: Message,
    /// The state of each call, with the index of its part in the message.
    pub calls: Vec<(usize, CallState)>,
    pub metadata: Value,
}

/// The state of a call at the start of a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallState {
    /// The call must run.
    Pending {
        /// Arguments that replace the arguments from the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
        /// The recording of an earlier run of the call, with the answers to its questions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suspended: Option<Box<Suspended>>,
    },
    /// The call already has a response, from an earlier run or from the caller.
    Answered(Box<Part>),
}

/// Returns the complete calls of a message, with the index of each part.
pub fn complete_calls(message: &Message) -> impl Iterator<Item = (usize, &ToolRequest)> {
    message.content.iter().enumerate().filter_map(|(at, part)| {
        let request = part.as_tool_request().filter(|request| !request.partial)?;
        Some((at, request))
    })
}

/// Removes the model's last message from `messages`, and matches each of its calls with an answer in `answers`.
pub fn resume(messages: &mut Vec<Message>, answers: &Resume) -> Result<ResumedCalls> {
    let is_open =
        |last: &&Message| last.role == Role::Model && last.tool_requests().next().is_some();
    let Some(mut message) = messages.last().filter(is_open).cloned() else {
        return Err(E::NothingToResume.into());
    };
    check_references(&message)?;
    let mut calls = Vec::new();
    let mut unanswered = Vec::new();
    for (at, request) in complete_calls(&message) {
        let part = &message.content[at];
        match restore_state(part, request, answers)? {
            Some(call) => calls.push((at, call)),
            None => unanswered.push(format!("`{}`", part_label(part))),
        }
    }
    if !unanswered.is_empty() {
        return Err(E::Unanswered(unanswered).into());
    }
    check_answers(&message, answers)?;
    message.content.iter_mut().for_each(resolve_request);
    let suspended = messages.pop().unwrap_or_else(|| message.clone());
    let metadata = answers.metadata.clone().unwrap_or(Value::Bool(true));
    Ok(ResumedCalls { message, suspended, calls, metadata })
}

/// Reads the responses of calls that finished before their round failed. Returns `None` if no call of the message has a
/// response.
pub fn read_resumed(message: &Message) -> Result<Option<ResumedCalls>> {
    let mut calls = Vec::new();
    for (at, request) in complete_calls(message) {
        let answer = pending_answer(request, message.content[at].metadata())?.map(Box::new);
        let open = CallState::Pending { input: None, suspended: None };
        calls.push((at, answer.map_or(open, CallState::Answered)));
    }
    if !calls.iter().any(|(_, call)| matches!(call, CallState::Answered(_))) {
        return Ok(None);
    }
    let (suspended, mut message) = (message.clone(), message.clone());
    message.content.iter_mut().for_each(resolve_request);
    Ok(Some(ResumedCalls { message, suspended, calls, metadata: Value::Bool(true) }))
}

/// Checks that no two calls have the same identity, so that each answer is unambiguous.
fn check_references(message: &Message) -> Result<()> {
    let mut seen = HashSet::new();
    for (at, request) in complete_calls(message) {
        if !seen.insert(part_identity(&message.content[at])) {
            return Err(E::SameReference(request.name.clone()).into());
        }
    }
    Ok(())
}

/// Checks that each answer belongs to an open call. Anything else is a usage error.
fn check_answers(message: &Message, answers: &Resume) -> Result<()> {
    let responses = answers.respond.iter().all(|part| part.as_tool_response().is_some());
    let requests = answers.restart.iter().all(|part| part.as_tool_request().is_some());
    if !responses || !requests {
        return Err(E::ResumeContent.into());
    }
    let open: HashSet<_> =
        complete_calls(message).map(|(at, _)| part_identity(&message.content[at])).collect();
    let mut given = answers.respond.iter().chain(&answers.restart);
    match given.find(|answer| !open.contains(&part_identity(answer))) {
        Some(answer) => Err(E::UnknownCall(part_label(answer)).into()),
        None => Ok(()),
    }
}

/// Returns the name and the id of a call or response, which together identify the call.
fn part_identity(part: &Part) -> Option<(&str, Option<&str>)> {
    match part {
        Part::ToolRequest { tool_request: it, .. } => Some((&it.name, it.id.as_deref())),
        Part::ToolResponse { tool_response: it, .. } => Some((&it.name, it.id.as_deref())),
        _ => None,
    }
}

fn part_label(part: &Part) -> String {
    match part_identity(part) {
        Some((name, Some(reference))) => format!("{name}#{reference}"),
        named => named.map_or("", |(name, _)| name).to_owned(),
    }
}

/// Returns whether a restart answers the question under `key`. A restart without keys, as in Genkit, answers all
/// questions.
fn has_answer_to(restart: &Part, key: &str) -> bool {
    match restart.metadata().get(ANSWERS) {
        Some(Value::Object(given)) => given.contains_key(key),
        _ => true,
    }
}

/// Returns whether the answer accepts a question, which runs the tool again.
fn accepts_question(restart: &Part) -> bool {
    let answers = restart.metadata().get(ANSWERS).and_then(Value::as_object);
    answers.is_some_and(|given| given.values().any(|decision| decision["action"] == "accept"))
}

fn is_replaced(restart: &Part) -> bool {
    restart.metadata().contains_key(REPLACED_INPUT)
}

/// Returns the state of one call, from an earlier response of the call or from the caller's answers. Returns `None` if
/// there is neither.
fn restore_state(
    part: &Part,
    request: &ToolRequest,
    answers: &Resume,
) -> Result<Option<CallState>> {
    if let Some(answer) = pending_answer(request, part.metadata())? {
        return Ok(Some(CallState::Answered(Box::new(answer))));
    }
    let is_it = |answer: &&Part| part_identity(answer) == part_identity(part);
    if let Some(answer) = answers.respond.iter().find(is_it) {
        return Ok(Some(CallState::Answered(Box::new(answer.clone()))));
    }
    let restarts: Vec<&Part> = answers.restart.iter().filter(is_it).collect();
    if restarts.is_empty() {
        return Ok(None);
    }
    // The questions are read from the history, because an answer received over the network may lack them.
    Ok(Some(restore_restarted(request, &restarts, Suspended::read(part.metadata())?)))
}

/// Returns the call with the caller's decisions, or its denial.
fn restore_restarted(
    request: &ToolRequest,
    restarts: &[&Part],
    stored: Option<Suspended>,
) -> CallState {
    // An input replaces the model's input only if it is marked as a replacement and differs.
    let other = |part: &Part| part.as_tool_request().is_some_and(|new| new.input != request.input);
    let replaced = restarts.iter().find(|part| is_replaced(part) && other(part));
    let mut given = Vec::new();
    for restart in restarts {
        let seen = Suspended::read(restart.metadata()).ok().flatten();
        for (question_key, decision) in group_decisions(restart.metadata(), stored.as_ref()) {
            // An answer to a different question under the same key counts only if it is a denial.
            let is_to_it = same_question(&question_key, stored.as_ref(), seen.as_ref());
            if is_to_it || decision.require_approval().is_err() {
                given.push((question_key, decision));
            }
        }
    }
    let about_the_call = |key: &str| stored.is_none() || key == APPROVAL_KEY || key == CALL_KEY;
    for (key, decision) in &given {
        // A denied call does not run, no matter which question was denied.
        if about_the_call(key)
            && let Err(why) = decision.require_approval()
        {
            let denial = request.respond(json!({ "error": why.to_string() }));
            return CallState::Answered(Box::new(denial.into()));
        }
    }
    let mut suspended = stored.unwrap_or_else(|| Suspended::from_metadata(Value::Null));
    let mut edited = Vec::new();
    if let Some(replaced) = replaced {
        // Earlier answers referred to other arguments.
        suspended.recording.answers.clear();
        // Other arguments may change the text of the question; the answer that changed them covers the new text.
        let answered = group_decisions(replaced.metadata(), Some(&suspended));
        edited.extend(answered.into_iter().map(|(key, _)| key));
        suspended.recording.asked.retain(|key, _| !edited.contains(key));
    }
    for (key, mut decision) in given {
        let open = suspended.questions.iter().find(|open| open.key == key);
        if let Some(QuestionKind::Approval { message }) = open.map(|open| &open.kind)
            && !(key == APPROVAL_KEY && edited.contains(&key))
        {
            decision = decision.with_message(message.clone());
        }
        suspended.recording.answers.insert(key, CallerAnswer::Decision(decision));
    }
    let input = replaced.and_then(|part| part.as_tool_request()).map(|new| new.input.clone());
    CallState::Pending { input, suspended: Some(Box::new(suspended)) }
}

/// Returns whether the question in an answer equals the open question. An answer received over the network may lack the
/// question, and is then treated as an answer to the open question.
fn same_question(key: &str, stored: Option<&Suspended>, seen: Option<&Suspended>) -> bool {
    let asked = |of: &Suspended| {
        let question = of.questions.iter().find(|open| open.key == key);
        question.map(|open| open.kind.canonical_text())
    };
    match (stored, seen) {
        (Some(stored), Some(seen)) => asked(stored) == asked(seen),
        _ => true,
    }
}

/// Reads the decisions in the metadata of a restart: one decision per key, or Genkit's single decision for all
/// questions.
fn group_decisions(
    metadata: &Map<String, Value>,
    suspended: Option<&Suspended>,
) -> Vec<(String, Decision)> {
    if let Some(Value::Object(given)) = metadata.get(ANSWERS) {
        // Ignore answers to questions that are already answered or have not been asked yet.
        let is_open = |key: &str| match suspended {
            Some(suspended) => suspended.questions.iter().any(|open| open.key == key),
            None => key == CALL_KEY,
        };
        let given = given.iter().filter(|(key, _)| is_open(key));
        let read = |answer: &Value| serde_json::from_value(answer.clone()).ok();
        return given.filter_map(|(key, answer)| Some((key.clone(), read(answer)?))).collect();
    }
    let resumed = metadata.get(RESUMED).cloned().unwrap_or(Value::Bool(true));
    let accept = Decision::new(UserAction::Accept, resumed.clone());
    let Some(suspended) = suspended else {
        // The questions are unknown, so the answer applies to the first one. An approval also needs `toolApproved`.
        let first = accept.clone().for_interrupt();
        return vec![(CALL_KEY.to_owned(), accept), ("q1".to_owned(), first)];
    };
    let approved = resumed.get("toolApproved") == Some(&Value::Bool(true));
    suspended
        .questions
        .iter()
        .filter(|open| match open.kind {
            QuestionKind::Interrupt { .. } => true,
            QuestionKind::Approval { .. } => approved,
            _ => false,
        })
        .map(|open| (open.key.clone(), accept.clone()))
        .collect()
}
