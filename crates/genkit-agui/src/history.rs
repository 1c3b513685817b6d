//! The conversation of a request, rebuilt from its trusted parts: messages from the user, and sealed turns.

use std::collections::HashMap;

use serde_json::{Value, json};

use genkit_agent::Generate;
use genkit_core::internal::generate::interrupt::set_pending;
use genkit_core::{Answer, GenerateOptions, GenerateResponse, Interrupt, Message, Part, Role};

use crate::error::Error as E;
use crate::input::{ResumeEntry, ResumeStatus, RunInput};
use crate::ledger::{Binding, Ledger, SealedTurn};
use crate::outcome::is_about_call;

/// A rebuilt conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    messages: Vec<Message>,
    /// The answers to the open questions of the last message, if the run resumes.
    answers: Option<Vec<Answer>>,
    /// The message from the client that contains the seal of the current turn.
    pub(crate) carrier: Option<String>,
    /// The ids of calls that earlier runs of this turn sent to the client.
    pub(crate) known_calls: Vec<String>,
}

impl Conversation {
    /// Rebuilds the conversation of `input`. If the run resumes, the ledger records this for `client`.
    pub(crate) fn rebuild(
        input: &mut RunInput,
        ledger: &Ledger,
        to: &Binding,
        client: &str,
    ) -> Result<Self, E> {
        let mut messages = Vec::new();
        let mut turn: Option<SealedTurn> = None;
        // The number and the questions of the turn before the last user message.
        let (mut number, mut cancelled) = (String::new(), Vec::new());
        let mut results: HashMap<String, Value> = HashMap::new();
        for message in std::mem::take(&mut input.messages) {
            if message.role == "user" {
                if let Some(mut turn) = turn.take() {
                    cancelled = turn.messages.last().map(Interrupt::find_all).unwrap_or_default();
                    keep_results(&mut turn, &results);
                    messages.append(&mut turn.messages);
                    number = turn.number;
                }
                results.clear();
                messages.push(Message::new(Role::User, message.user_parts()?));
                continue;
            }
            // The seal of a later message contains the whole turn, including the messages of earlier seals.
            if let Some(sealed) = &message.encrypted_value
                && let Some(opened) = ledger.open_turn(sealed, to, &input.budget)?
            {
                turn = Some(opened);
            }
            if let (true, Some(call)) = (message.role == "tool", &message.tool_call_id) {
                results.insert(call.clone(), message.tool_output(&input.budget)?);
            }
        }
        let resume = input.resume.take().unwrap_or_default();
        let Some(turn) = turn else {
            cancel_questions(&cancelled, &number, |_| false, &results, resume, ledger, to)?;
            if messages.last().is_none_or(|last| last.role != Role::User) {
                return Err(E::NothingAsked);
            }
            return Ok(Self { messages, answers: None, carrier: None, known_calls: Vec::new() });
        };
        let questions = turn.messages.last().map(Interrupt::find_all).unwrap_or_default();
        if questions.is_empty() && resume.is_empty() {
            return Err(E::NothingAsked);
        }
        let is_page = |question: &Interrupt| {
            let call = question.tool_request().id.as_ref();
            call.is_some_and(|call| turn.page_calls.contains(call))
        };
        let answers =
            answer_questions(&questions, &turn.number, is_page, &results, resume, ledger, to)?;
        ledger.resume_once(&turn, client)?;
        let calls = turn.messages.iter().flat_map(Message::tool_requests);
        let known_calls = calls.filter_map(|call| call.id.clone()).collect();
        messages.extend(turn.messages);
        Ok(Self { messages, answers: Some(answers), carrier: Some(turn.carrier), known_calls })
    }

    /// Adds the conversation to a run.
    pub(crate) fn apply_to(self, run: Generate) -> Generate {
        let Some(answers) = self.answers else { return run.messages(self.messages) };
        let mut options = GenerateOptions::default();
        options.messages = self.messages;
        run.resume_with_answers(GenerateResponse::from_interrupted(options), answers)
    }
}

/// Returns the answers to all questions of the turn with this number.
pub(crate) fn answer_questions(
    questions: &[Interrupt],
    number: &str,
    is_page: impl Fn(&Interrupt) -> bool,
    results: &HashMap<String, Value>,
    resume: Vec<ResumeEntry>,
    ledger: &Ledger,
    to: &Binding,
) -> Result<Vec<Answer>, E> {
    let (ids, mut entries) = match_entries(questions, number, resume, ledger, to)?;
    let mut answers = Vec::new();
    for (question, id) in questions.iter().zip(ids) {
        let call = question.tool_request().id.as_deref();
        if let Some(call) = call.filter(|_| is_page(question)) {
            // The call was executed by the page.
            let entry = entries.remove(&id);
            let output = results.get(call).cloned().or_else(|| entry.map(page_output));
            answers.push(question.respond(output.ok_or_else(|| E::Unanswered(call.to_owned()))?));
            continue;
        }
        let Some(entry) = entries.remove(&id) else {
            let is_result = call.is_some_and(|call| results.contains_key(call));
            return Err(match is_result && is_about_call(question) {
                true => E::NotOfPage(question.tool_request().name.clone()),
                false => E::Unanswered(id),
            });
        };
        answers.push(answer(question, entry)?);
    }
    Ok(answers)
}

/// Returns the results of page calls that arrive with a new message, and whether `resume` cancels all other questions
/// of the turn with this number.
pub(crate) fn cancel_questions(
    questions: &[Interrupt],
    number: &str,
    is_page: impl Fn(&Interrupt) -> bool,
    results: &HashMap<String, Value>,
    resume: Vec<ResumeEntry>,
    ledger: &Ledger,
    to: &Binding,
) -> Result<(Vec<Answer>, bool), E> {
    let (ids, mut entries) = match_entries(questions, number, resume, ledger, to)?;
    let (mut answers, mut cancels_all) = (Vec::new(), true);
    for (question, id) in questions.iter().zip(ids) {
        let entry = entries.remove(&id);
        if is_page(question) {
            let result = question.tool_request().id.as_ref().and_then(|call| results.get(call));
            let output = result.cloned().or_else(|| entry.map(page_output));
            answers.extend(output.map(|output| question.respond(output)));
        } else if entry.as_ref().is_some_and(|entry| entry.status == ResumeStatus::Resolved) {
            return Err(E::MessageAndAnswer);
        } else {
            cancels_all &= entry.is_some();
        }
    }
    Ok((answers, cancels_all))
}

/// Returns the ids of the questions, and the client's entries by these ids.
fn match_entries(
    questions: &[Interrupt],
    number: &str,
    resume: Vec<ResumeEntry>,
    ledger: &Ledger,
    to: &Binding,
) -> Result<(Vec<String>, HashMap<String, ResumeEntry>), E> {
    let mut entries = HashMap::new();
    for entry in resume {
        let id = entry.interrupt_id.clone();
        if entries.insert(id, entry).is_some() {
            return Err(E::AnsweredTwice);
        }
    }
    let ids: Vec<String> = questions
        .iter()
        .map(|it| ledger.interrupt_id(number, it.tool_request().id.as_deref(), it.key(), to))
        .collect();
    match entries.keys().find(|id| !ids.contains(id)) {
        Some(unknown) => Err(E::UnknownInterrupt(shorten(unknown))),
        None => Ok((ids, entries)),
    }
}

/// Returns the result of a page call that was sent as the answer to an interrupt.
fn page_output(entry: ResumeEntry) -> Value {
    match entry.status {
        ResumeStatus::Resolved => entry.payload,
        ResumeStatus::Cancelled => json!({ "error": "the user cancelled this call" }),
    }
}

fn answer(question: &Interrupt, entry: ResumeEntry) -> Result<Answer, E> {
    if entry.status == ResumeStatus::Cancelled {
        return Ok(question.cancel());
    }
    if !question.is_approval() {
        return Ok(question.accept(entry.payload));
    }
    // Only the decision is read. The arguments of the call come from the seal.
    let approved = entry.payload.get("approved").unwrap_or(&entry.payload).as_bool();
    match approved {
        Some(true) => Ok(question.approve()),
        Some(false) => {
            let reason = entry.payload.get("reason").and_then(Value::as_str);
            Ok(reason.map_or_else(|| question.decline(), |reason| question.decline_with(reason)))
        }
        None => Err(E::ApprovalPayload),
    }
}

/// Keeps the results of a turn that the user continued with a new message instead of answering it completely.
fn keep_results(turn: &mut SealedTurn, results: &HashMap<String, Value>) {
    let Some(last) = turn.messages.last_mut() else { return };
    for part in &mut last.content {
        let Some(request) = part.as_tool_request().cloned() else { continue };
        let Some(call) = &request.id else { continue };
        if let Some(output) = results.get(call)
            && turn.page_calls.contains(call)
        {
            set_pending(part, Part::tool_response(request.respond(output.clone())));
        }
    }
}

/// Returns the AG-UI interrupt of a question. An interrupted run cannot have pending calls, so a page call alongside a
/// question is an interrupt as well.
pub(crate) fn interrupt_json(
    question: &Interrupt,
    is_page_call: bool,
    id: String,
    expires: Option<&str>,
) -> Value {
    let (reason, schema) = if is_page_call {
        ("genkit:client_tool", None)
    } else if question.is_approval() {
        let schema = json!({
            "type": "object",
            "properties": { "approved": { "type": "boolean" }, "reason": { "type": "string" } },
            "required": ["approved"],
        });
        ("tool_call", Some(schema))
    } else if question.url().is_some() {
        ("input_required", None)
    } else if let Some(schema) = question.schema().filter(|schema| schema.is_object()) {
        ("input_required", Some(schema.clone()))
    } else {
        ("genkit:interrupt", None)
    };
    let mut interrupt = json!({ "id": id, "reason": reason });
    if let Some(expires) = expires {
        interrupt["expiresAt"] = expires.into();
    }
    if let Some(message) = question.message() {
        interrupt["message"] = message.into();
    }
    if let Some(call) = &question.tool_request().id {
        interrupt["toolCallId"] = call.as_str().into();
    }
    if let Some(schema) = schema {
        interrupt["responseSchema"] = schema;
    }
    if let Some(url) = question.url() {
        interrupt["metadata"] = json!({ "url": url });
    }
    if let Some(shown @ Value::Object(_)) = question.metadata() {
        interrupt["metadata"] = json!({ "genkit": shown });
    }
    interrupt
}

fn shorten(id: &str) -> String {
    id.chars().take(64).collect()
}
