//! Resuming: goes on with an interrupted run, whose open calls are all answered, or not at all.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::question::{Answer, Interrupt, Kind};
use super::suspended::{
    ANSWERS, CALL_KEY, PENDING_OUTPUT, REPLACED_INPUT, RESUMED, Suspended, pending_answer, resolve,
};
use crate::action::Tool;
use crate::context::{APPROVAL_KEY, CallerAnswer, Decision, QuestionKind, UserAction};
use crate::error::Result;
use crate::generate::error::Error as E;
use crate::message::{Message, Part, Role, ToolRequest};
use genkit_schema::internal::strictness::Strictness;

/// Resume: the answers to an interrupted run, in Genkit's JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resume {
    /// Answers given in a tool's place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub respond: Vec<Part>,
    /// Calls that are to run again, with what was answered in their metadata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restart: Vec<Part>,
    /// Metadata that goes into that of the tools' message, under `resumed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

impl Resume {
    /// Takes one more answer.
    ///
    /// # Errors
    /// What was given with it does not serialize.
    pub fn push(&mut self, answer: Answer) -> Result<(), E> {
        if let Some(why) = answer.error {
            let name = identity(answer.kind.part()).map_or("", |(name, _)| name).to_owned();
            return Err(E::AnswerUnserializable { name, why });
        }
        match answer.kind {
            Kind::Respond(part) => self.respond.push(part),
            Kind::Restart(part) => self.restart.push(part),
        }
        Ok(())
    }

    /// The answers one by one.
    pub fn into_answers(self) -> Vec<Answer> {
        let respond = self.respond.into_iter().map(Kind::Respond);
        respond.chain(self.restart.into_iter().map(Kind::Restart)).map(Answer::of).collect()
    }

    /// The same with one more answer, to an open question of `message`.
    ///
    /// # Errors
    /// It is to none, or the question has its answer.
    pub fn taking(&self, answer: Answer, message: &Message) -> Result<Self> {
        let mut answers = self.clone();
        answers.push(answer)?;
        check_references(message)?;
        check_answers(message, &answers)?;
        if answers.open(message).len() >= self.open(message).len() {
            return Err(E::AnsweredBefore.into());
        }
        Ok(answers)
    }

    /// The questions of `message` that have no answer here.
    pub fn open(&self, message: &Message) -> Vec<Interrupt> {
        let is_open = |part: &&Part| {
            let answered = self.respond.iter().any(|answer| identity(answer) == identity(part));
            !answered && !part.metadata().contains_key(PENDING_OUTPUT)
        };
        let calls = calls_of(message).map(|(at, _)| &message.content[at]).filter(is_open);
        let of_call = |part| {
            let given: Vec<&Part> =
                self.restart.iter().filter(|answer| identity(answer) == identity(part)).collect();
            let is_given = move |question: &Interrupt| {
                given.iter().any(|restart| answers_to(restart, question.key()))
            };
            Interrupt::of_part(part).into_iter().filter(move |question| !is_given(question))
        };
        calls.flat_map(of_call).collect()
    }

    /// Checks what is given in a tool's place, or instead of the model's arguments, against the
    /// tool's schemas: whoever gave it is told, not the model.
    pub fn check(&self, find: impl Fn(&str) -> Option<Tool>, how: Strictness) -> Result<()> {
        for response in self.respond.iter().filter_map(Part::as_tool_response) {
            let Some(tool) = find(&response.name) else { continue };
            if response.error().is_none() && response.content.is_empty() {
                let checked = tool.schemas().check_output(Some(&response.output));
                let name = response.name.clone();
                checked.map_err(|why| E::AnswerSchema { name, why: why.to_string() })?;
            }
        }
        for part in self.restart.iter().filter(|part| is_replaced(part)) {
            let Some(request) = part.as_tool_request() else { continue };
            if let Some(tool) = find(&request.name) {
                let checked = tool.schemas().check_given(request.input.clone(), how);
                let name = request.name.clone();
                checked.map_err(|why| E::GivenArguments { name, why: why.to_string() })?;
            }
        }
        Ok(())
    }
}

impl Resumed {
    /// The tools whose calls were suspended and run now.
    pub fn restarted(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().filter_map(|(at, state)| {
            let CallState::Pending { suspended: Some(_), .. } = state else { return None };
            self.message.content[*at].as_tool_request().map(|request| &*request.name)
        })
    }
}

/// What a resumed run begins with.
#[derive(Clone, Debug)]
pub struct Resumed {
    /// The model's message, without what was open.
    pub message: Message,
    /// The same as it was suspended: what an error gives back.
    pub suspended: Message,
    /// Each of its calls, by its place in the message.
    pub calls: Vec<(usize, CallState)>,
    pub metadata: Value,
}

/// How a round of tools finds a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallState {
    /// It is to be run.
    Pending {
        /// Instead of the model's arguments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
        /// What it asked and did before, and what was answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suspended: Option<Box<Suspended>>,
    },
    /// It was answered before: by an earlier run or by the caller.
    Answered(Box<Part>),
}

/// The calls of a message that are complete, by their place in it.
pub fn calls_of(message: &Message) -> impl Iterator<Item = (usize, &ToolRequest)> {
    message.content.iter().enumerate().filter_map(|(at, part)| {
        let request = part.as_tool_request().filter(|request| !request.partial)?;
        Some((at, request))
    })
}

/// Takes the model's last message out of `messages`, and gives each of its calls an answer out of
/// `answers`.
pub fn resume(messages: &mut Vec<Message>, answers: &Resume) -> Result<Resumed> {
    let is_open =
        |last: &&Message| last.role == Role::Model && last.tool_requests().next().is_some();
    let Some(mut message) = messages.last().filter(is_open).cloned() else {
        return Err(E::NothingToResume.into());
    };
    check_references(&message)?;
    let mut calls = Vec::new();
    let mut unanswered = Vec::new();
    for (at, request) in calls_of(&message) {
        let part = &message.content[at];
        match state_of(part, request, answers)? {
            Some(call) => calls.push((at, call)),
            None => unanswered.push(format!("`{}`", label(part))),
        }
    }
    if !unanswered.is_empty() {
        return Err(E::Unanswered(unanswered).into());
    }
    check_answers(&message, answers)?;
    message.content.iter_mut().for_each(resolve);
    let suspended = messages.pop().unwrap_or_else(|| message.clone());
    let metadata = answers.metadata.clone().unwrap_or(Value::Bool(true));
    Ok(Resumed { message, suspended, calls, metadata })
}

/// The calls of a message, some of which were answered before their round failed; `None` where that
/// holds for none of them.
pub fn begun(message: &Message) -> Result<Option<Resumed>> {
    let mut calls = Vec::new();
    for (at, request) in calls_of(message) {
        let answer = pending_answer(request, message.content[at].metadata())?.map(Box::new);
        let open = CallState::Pending { input: None, suspended: None };
        calls.push((at, answer.map_or(open, CallState::Answered)));
    }
    if !calls.iter().any(|(_, call)| matches!(call, CallState::Answered(_))) {
        return Ok(None);
    }
    let (suspended, mut message) = (message.clone(), message.clone());
    message.content.iter_mut().for_each(resolve);
    Ok(Some(Resumed { message, suspended, calls, metadata: Value::Bool(true) }))
}

/// Checks that an answer can mean one call only.
fn check_references(message: &Message) -> Result<()> {
    let mut seen = HashSet::new();
    for (at, request) in calls_of(message) {
        if !seen.insert(identity(&message.content[at])) {
            return Err(E::SameReference(request.name.clone()).into());
        }
    }
    Ok(())
}

/// Checks that each answer is to an open call: another is a mistake of the program.
fn check_answers(message: &Message, answers: &Resume) -> Result<()> {
    let responses = answers.respond.iter().all(|part| part.as_tool_response().is_some());
    let requests = answers.restart.iter().all(|part| part.as_tool_request().is_some());
    if !responses || !requests {
        return Err(E::NoAnswer.into());
    }
    let open: HashSet<_> =
        calls_of(message).map(|(at, _)| identity(&message.content[at])).collect();
    let mut given = answers.respond.iter().chain(&answers.restart);
    match given.find(|answer| !open.contains(&identity(answer))) {
        Some(answer) => Err(E::NoOpenCall(label(answer)).into()),
        None => Ok(()),
    }
}

/// The name and the reference that tell a call, and the answer to it, from others.
fn identity(part: &Part) -> Option<(&str, Option<&str>)> {
    match part {
        Part::ToolRequest { tool_request: it, .. } => Some((&it.name, it.id.as_deref())),
        Part::ToolResponse { tool_response: it, .. } => Some((&it.name, it.id.as_deref())),
        _ => None,
    }
}

fn label(part: &Part) -> String {
    match identity(part) {
        Some((name, Some(reference))) => format!("{name}#{reference}"),
        named => named.map_or("", |(name, _)| name).to_owned(),
    }
}

/// Whether a restart answers the question under `key`; one without keys, as Genkit's, answers them all.
fn answers_to(restart: &Part, key: &str) -> bool {
    match restart.metadata().get(ANSWERS) {
        Some(Value::Object(given)) => given.contains_key(key),
        _ => true,
    }
}

fn is_replaced(restart: &Part) -> bool {
    restart.metadata().contains_key(REPLACED_INPUT)
}

/// The state of one call: by its own earlier answer, else by the caller; `None` if there is none.
fn state_of(part: &Part, request: &ToolRequest, answers: &Resume) -> Result<Option<CallState>> {
    if let Some(answer) = pending_answer(request, part.metadata())? {
        return Ok(Some(CallState::Answered(Box::new(answer))));
    }
    let is_it = |answer: &&Part| identity(answer) == identity(part);
    if let Some(answer) = answers.respond.iter().find(is_it) {
        return Ok(Some(CallState::Answered(Box::new(answer.clone()))));
    }
    let restarts: Vec<&Part> = answers.restart.iter().filter(is_it).collect();
    if restarts.is_empty() {
        return Ok(None);
    }
    // What was asked stands in the history; an answer that came over a wire may have lost it.
    Ok(Some(restarted(request, &restarts, Suspended::read(part.metadata())?)))
}

/// The call with the decisions of its caller, or the denial of it.
fn restarted(request: &ToolRequest, restarts: &[&Part], stored: Option<Suspended>) -> CallState {
    // Only an input that says so replaces the model's, and only another one.
    let other = |part: &Part| part.as_tool_request().is_some_and(|new| new.input != request.input);
    let replaced = restarts.iter().find(|part| is_replaced(part) && other(part));
    let mut given = Vec::new();
    for restart in restarts {
        let seen = Suspended::read(restart.metadata()).ok().flatten();
        for (key, decision) in decisions(restart.metadata(), stored.as_ref()) {
            // Who saw another question under this key said nothing of this one, but for a no.
            let is_to_it = same_question(&key, stored.as_ref(), seen.as_ref());
            if is_to_it || decision.approved().is_err() {
                given.push((key, decision));
            }
        }
    }
    let about_the_call = |key: &str| stored.is_none() || key == APPROVAL_KEY || key == CALL_KEY;
    for (key, decision) in &given {
        // A call that was denied does not run, whoever would have asked.
        if about_the_call(key)
            && let Err(why) = decision.approved()
        {
            let denial = request.respond(json!({ "error": why.to_string() }));
            return CallState::Answered(Box::new(denial.into()));
        }
    }
    let mut suspended = stored.unwrap_or_else(|| Suspended::plain(Value::Null));
    let mut edited = Vec::new();
    if let Some(replaced) = replaced {
        // What was answered before was answered about other arguments.
        suspended.recording.answers.clear();
        // With the arguments the question may have another text, and whoever gave them answers that.
        let answered = decisions(replaced.metadata(), Some(&suspended));
        edited.extend(answered.into_iter().map(|(key, _)| key));
        suspended.recording.asked.retain(|key, _| !edited.contains(key));
    }
    for (key, mut decision) in given {
        let open = suspended.questions.iter().find(|open| open.key == key);
        if let Some(QuestionKind::Approval { message }) = open.map(|open| &open.kind)
            && !(key == APPROVAL_KEY && edited.contains(&key))
        {
            decision = decision.shown(message.clone());
        }
        suspended.recording.answers.insert(key, CallerAnswer::Decision(decision));
    }
    let input = replaced.and_then(|part| part.as_tool_request()).map(|new| new.input.clone());
    CallState::Pending { input, suspended: Some(Box::new(suspended)) }
}

/// Whether what an answer says that it was asked is what is asked; one that came over a wire may say
/// nothing.
fn same_question(key: &str, stored: Option<&Suspended>, seen: Option<&Suspended>) -> bool {
    let asked = |of: &Suspended| {
        let question = of.questions.iter().find(|open| open.key == key);
        question.map(|open| open.kind.canonical())
    };
    match (stored, seen) {
        (Some(stored), Some(seen)) => asked(stored) == asked(seen),
        _ => true,
    }
}

/// The decisions in the metadata of a restart: ours by key, or Genkit's one for all.
fn decisions(
    metadata: &Map<String, Value>,
    suspended: Option<&Suspended>,
) -> Vec<(String, Decision)> {
    if let Some(Value::Object(given)) = metadata.get(ANSWERS) {
        // Only what is open can be answered: not what was answered before, nor what may come.
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
        // Nothing is known of what was asked: it goes to the first question, if that is none for
        // approval.
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
