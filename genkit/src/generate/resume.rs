//! Going on with an interrupted run: every open call is settled, or nothing is done.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::interrupt::{
    ANSWERS, Answer, Asks, CALL_KEY, INTERRUPT, Kind, PENDING_CONTENT, PENDING_METADATA,
    PENDING_OUTPUT, REPLACED_INPUT, RESOLVED, RESUMED, SUSPENDED, Suspended,
};
use super::toolbox::Toolbox;
use super::turn::{Call, positions};
use crate::action::Strictness;
use crate::context::{APPROVAL_KEY, approved};
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Message, Part, Role, ToolRequest, ToolResponse};

/// The answers to an interrupted run, in Genkit's JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resume {
    /// Answers given in a tool's place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub respond: Vec<Part>,
    /// Calls that are to run again, with what was answered in their metadata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restart: Vec<Part>,
    /// Goes into the metadata of the tools' message, under `resumed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

impl Resume {
    pub(super) fn push(&mut self, answer: Answer) {
        match answer.0 {
            Kind::Respond(part) => self.respond.push(part),
            Kind::Restart(part) => self.restart.push(part),
        }
    }
}

/// What a resumed run begins with.
#[derive(Clone, Debug)]
pub(super) struct Resumed {
    /// The model's message, without what was open.
    pub(super) message: Message,
    /// The same as it was suspended: what an error gives back.
    pub(super) suspended: Message,
    /// For each of its calls.
    pub(super) settled: Vec<Work>,
    pub(super) metadata: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Work {
    Answered(Box<Part>),
    Restart(Box<Call>),
}

/// Takes the model's last message out of `messages` and settles its calls with `resume`.
pub(super) fn resume(messages: &mut Vec<Message>, resume: &Resume) -> Result<Resumed> {
    let open = messages
        .last()
        .filter(|message| message.role == Role::Model && !positions(message).is_empty());
    let Some(mut message) = open.cloned() else {
        return Err(Error::new(
            ErrorKind::FailedPrecondition,
            "only a run whose last message is the model's and asks for tools can be resumed: give \
             `.messages(response.messages())` of the interrupted response",
        ));
    };
    told_apart(&message)?;
    let mut settled = Vec::new();
    let mut unsettled = Vec::new();
    for at in positions(&message) {
        match settle(&message.content[at], resume)? {
            Some(work) => settled.push(work),
            None => unsettled.push(label(&message.content[at])),
        }
    }
    if !unsettled.is_empty() {
        return Err(Error::invalid_argument(format!(
            "every open call must be answered to resume, and these are not: {}",
            unsettled.join(", ")
        )));
    }
    unknown_answers(&message, resume)?;
    for part in &mut message.content {
        clean(part);
    }
    let suspended = messages.pop().unwrap_or_else(|| message.clone());
    let metadata = resume.metadata.clone().unwrap_or(Value::Bool(true));
    Ok(Resumed { message, suspended, settled, metadata })
}

/// An answer must mean one call.
fn told_apart(message: &Message) -> Result<()> {
    let mut seen = HashSet::new();
    for request in message.tool_requests() {
        if !seen.insert((&request.name, &request.r#ref)) {
            return Err(Error::invalid_argument(format!(
                "two open calls of `{}` have one `ref`, and an answer could mean either: give each \
                 its own",
                request.name
            )));
        }
    }
    Ok(())
}

/// What is known of one call: its own earlier answer, else the caller's.
fn settle(part: &Part, resume: &Resume) -> Result<Option<Work>> {
    let Part::ToolRequest { tool_request, metadata } = part else { return Ok(None) };
    if let Some(output) = metadata.get(PENDING_OUTPUT) {
        return Ok(Some(Work::Answered(Box::new(pending(tool_request, metadata, output)?))));
    }
    let is_it = |part: &&Part| match part {
        Part::ToolResponse { tool_response: r, .. } => {
            r.name == tool_request.name && r.r#ref == tool_request.r#ref
        }
        Part::ToolRequest { tool_request: r, .. } => {
            r.name == tool_request.name && r.r#ref == tool_request.r#ref
        }
        _ => false,
    };
    if let Some(answer) = resume.respond.iter().find(is_it) {
        return Ok(Some(Work::Answered(Box::new(answer.clone()))));
    }
    let restarts: Vec<&Part> = resume.restart.iter().filter(is_it).collect();
    if restarts.is_empty() {
        return Ok(None);
    }
    // Only an input that says so replaces the model's.
    let replaced = restarts.iter().find(|part| part.metadata().contains_key(REPLACED_INPUT));
    let request = replaced.and_then(|part| part.as_tool_request()).unwrap_or(tool_request).clone();
    // What was asked stands in the history; an answer that came over a wire may have lost it.
    let stored = Suspended::read(metadata)?;
    let mut given = Vec::new();
    for restart in &restarts {
        given.extend(answers(restart.metadata(), stored.as_ref()));
    }
    let about_the_call = |key: &str| stored.is_none() || key == APPROVAL_KEY || key == CALL_KEY;
    for (key, answer) in &given {
        // A call that was denied does not run, whoever would have asked.
        if about_the_call(key)
            && let Err(why) = approved(answer)
        {
            let said = tool_request.respond(json!({ "error": why.to_string() }));
            return Ok(Some(Work::Answered(Box::new(said.into()))));
        }
    }
    let mut suspended = stored.unwrap_or_else(|| Suspended::plain(Value::Null));
    if replaced.is_some() {
        // What was answered before was answered about other arguments.
        suspended.recording.answers.clear();
    }
    for (key, mut answer) in given {
        let open = suspended.questions.iter().find(|open| open.key == key);
        if let Some(Asks::Approval { message }) = open.map(|open| &open.asks)
            && !(replaced.is_some() && key == APPROVAL_KEY)
        {
            answer["asked"] = json!(message);
        }
        suspended.recording.answers.insert(key, answer);
    }
    let call = Call { request, suspended: Some(Box::new(suspended)) };
    Ok(Some(Work::Restart(Box::new(call))))
}

/// The answers in the metadata of a restart: ours by key, or Genkit's one for all.
fn answers(metadata: &Map<String, Value>, suspended: Option<&Suspended>) -> Vec<(String, Value)> {
    if let Some(Value::Object(given)) = metadata.get(ANSWERS) {
        // Only what is open can be answered: not what was answered before, nor what may come.
        let is_open = |key: &str| match suspended {
            Some(suspended) => suspended.questions.iter().any(|open| open.key == key),
            None => key == CALL_KEY,
        };
        let given = given.iter().filter(|(key, answer)| is_open(key) && answer.is_object());
        return given.map(|(key, answer)| (key.clone(), answer.clone())).collect();
    }
    let resumed = metadata.get(RESUMED).cloned().unwrap_or(Value::Bool(true));
    let accept = json!({ "action": "accept", "content": resumed });
    let Some(suspended) = suspended else {
        // Nothing is known of what was asked: it goes to the first question, if that is none for
        // approval.
        let mut first = accept.clone();
        first["to"] = json!("interrupt");
        return vec![(CALL_KEY.to_owned(), accept), ("q1".to_owned(), first)];
    };
    let approved = resumed.get("toolApproved") == Some(&Value::Bool(true));
    suspended
        .questions
        .iter()
        .filter(|open| match open.asks {
            Asks::Interrupt { .. } => true,
            Asks::Approval { .. } => approved,
            Asks::Elicitation { .. } => false,
        })
        .map(|open| (open.key.clone(), accept.clone()))
        .collect()
}

/// The answer that a call gave while its siblings asked.
pub(super) fn pending(
    request: &ToolRequest,
    metadata: &Map<String, Value>,
    output: &Value,
) -> Result<Part> {
    let mut response: ToolResponse = request.respond(output.clone());
    if let Some(content) = metadata.get(PENDING_CONTENT) {
        response.content = serde_json::from_value(content.clone()).map_err(|e| {
            Error::invalid_argument(format!("the content of a finished call does not read: {e}"))
        })?;
    }
    let mut part = Part::tool_response(response).with_metadata("source", "pending");
    if let Some(Value::Object(of_answer)) = metadata.get(PENDING_METADATA) {
        part.metadata_mut().extend(of_answer.clone());
    }
    Ok(part)
}

/// An answer to a call that is not open is a mistake of the program.
fn unknown_answers(message: &Message, resume: &Resume) -> Result<()> {
    let respond = resume.respond.iter().map(|part| (part, true));
    let restart = resume.restart.iter().map(|part| (part, false));
    for (answer, responds) in respond.chain(restart) {
        let (name, reference) = match answer {
            Part::ToolResponse { tool_response: r, .. } if responds => (&r.name, &r.r#ref),
            Part::ToolRequest { tool_request: r, .. } if !responds => (&r.name, &r.r#ref),
            _ => {
                return Err(Error::invalid_argument(
                    "`resume` takes tool responses under `respond` and tool requests under \
                     `restart`",
                ));
            }
        };
        let open = message.tool_requests().any(|r| r.name == *name && r.r#ref == *reference);
        if !open {
            return Err(Error::invalid_argument(format!(
                "there is no open call {}{}: answer the interrupts of the response that is resumed",
                name,
                reference.as_ref().map(|r| format!("#{r}")).unwrap_or_default(),
            )));
        }
    }
    Ok(())
}

/// What is given in a tool's place, or instead of the model's arguments, must fit the tool's
/// schemas: whoever gave it is told, not the model.
pub(super) fn fit(answers: &Resume, tools: &Toolbox, how: Strictness) -> Result<()> {
    for response in answers.respond.iter().filter_map(Part::as_tool_response) {
        let Some(tool) = tools.get(&response.name) else { continue };
        if response.error().is_none() && response.content.is_empty() {
            tool.schemas().check_output(Some(&response.output)).map_err(|e| {
                Error::invalid_argument(format!("the answer for `{}`: {e}", response.name))
            })?;
        }
    }
    let replaced = |part: &&Part| part.metadata().contains_key(REPLACED_INPUT);
    for request in answers.restart.iter().filter(replaced).filter_map(Part::as_tool_request) {
        if let Some(tool) = tools.get(&request.name) {
            tool.schemas().check_input(request.input.clone(), how)?;
        }
    }
    Ok(())
}

/// The request as it stays in the history.
fn clean(part: &mut Part) {
    let metadata = part.metadata_mut();
    if let Some(interrupt) = metadata.remove(INTERRUPT) {
        metadata.insert(RESOLVED.to_owned(), interrupt);
    }
    for key in [PENDING_OUTPUT, PENDING_CONTENT, PENDING_METADATA, SUSPENDED] {
        metadata.remove(key);
    }
}

fn label(part: &Part) -> String {
    let Some(request) = part.as_tool_request() else { return String::new() };
    match &request.r#ref {
        Some(reference) => format!("`{}#{reference}`", request.name),
        None => format!("`{}`", request.name),
    }
}
