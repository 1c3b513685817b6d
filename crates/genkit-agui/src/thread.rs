//! Runs of an agent that stores its threads: the client's copy of the conversation is only searched for new input.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use genkit_agent::internal::{ThreadAgent, ThreadChunk, ThreadEnd, ThreadState, ThreadTurn};
use genkit_core::{Answer, ErrorKind, FinishReason, Interrupt, Media, Message, Part, Role};

use crate::encoder::{Encoder, result_text};
use crate::endpoint::AguiEndpoint;
use crate::error::Error as E;
use crate::history::{answer_questions, cancel_questions};
use crate::input::{InputMessage, RunInput};
use crate::ledger::{Binding, Ledger};
use crate::outcome::{RunIds, is_about_call, is_page_call, usage_json};
use crate::run::{ClientDisconnected, FrameSender, KEEP_ALIVE};

/// The metadata key for the message ids that the client has assigned.
const CLIENT_IDS: &str = "agUiIds";

/// The new part of a request.
pub(crate) enum NewInput {
    /// No new input: the client requests the conversation.
    Nothing,
    Message {
        message: Message,
        /// The results of open calls that the page has executed.
        results: Vec<Answer>,
        /// Whether the message cancels the open questions.
        cancels: bool,
    },
    Answers(Vec<Answer>),
}

/// A request to an agent that stores its threads.
pub(crate) struct ThreadRequest {
    state: ThreadState,
    /// The number of messages to keep, if the thread continues from an earlier message.
    kept: Option<usize>,
    input: NewInput,
    /// Whether messages are missing in the client's copy.
    is_stale: bool,
}

/// A run that was admitted.
pub(crate) struct AdmittedThread {
    pub(crate) agent: Arc<dyn ThreadAgent>,
    pub(crate) request: ThreadRequest,
    pub(crate) turn: ThreadTurn,
    pub(crate) ids: RunIds,
    pub(crate) binding: Binding,
    pub(crate) page_tools: Vec<String>,
}

impl ThreadRequest {
    /// Finds the input that the thread does not contain yet.
    pub(crate) fn read(
        input: &mut RunInput,
        state: Option<ThreadState>,
        ledger: &Ledger,
        to: &Binding,
        page_tools: &[String],
    ) -> Result<Self, E> {
        let mut state = state.unwrap_or_default();
        let messages = std::mem::take(&mut input.messages);
        let repeated =
            messages.last().filter(|_| input.ui_stream.as_ref().is_some_and(|it| it.regenerates));
        let kept = repeated.and_then(|last| {
            let mut stored = state.messages.iter().enumerate();
            stored.position(|(at, it)| client_ids(at, it).contains(&last.id))
        });
        if let Some(kept) = kept {
            state.messages.truncate(kept);
        }
        let known: Vec<String> =
            state.messages.iter().enumerate().flat_map(|(at, it)| client_ids(at, it)).collect();
        let known_ids: HashSet<&str> = known.iter().map(String::as_str).collect();
        let last = messages.iter().rposition(|message| message.role != "user");
        let is_new = |at: usize, message: &InputMessage| {
            let is_known = !message.id.is_empty() && known_ids.contains(&*message.id);
            last.is_none_or(|last| at > last) && !is_known
        };
        let (mut parts, mut ids, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        for (at, message) in messages.iter().enumerate().filter(|(_, it)| it.role == "user") {
            if is_new(at, message) {
                parts.extend(message.user_parts()?);
                ids.push(message.id.clone());
            } else {
                seen.push(message.id.clone());
            }
        }
        let is_stale = seen != known;
        let questions = state.messages.last().map(Interrupt::find_all).unwrap_or_default();
        let is_page = |question: &Interrupt| is_page_call(question, page_tools);
        let resume = input.resume.take().unwrap_or_default();
        let mut results = HashMap::new();
        for message in messages.iter().filter(|message| message.role == "tool") {
            let call = message.tool_call_id.as_deref().unwrap_or_default();
            let is_open = |it: &&Interrupt| it.tool_request().id.as_deref() == Some(call);
            let Some(question) = questions.iter().find(is_open) else { continue };
            if is_page(question) {
                results.insert(call.to_owned(), message.tool_output(&input.budget)?);
            } else if is_about_call(question) {
                return Err(E::NotOfPage(question.tool_request().name.clone()));
            }
        }
        let input = if !parts.is_empty() {
            let number = &state.snapshot;
            let (answers, cancels_all) =
                cancel_questions(&questions, number, is_page, &results, resume, ledger, to)?;
            let mut message = Message::new(Role::User, parts);
            message.metadata.insert(CLIENT_IDS.to_owned(), json!(ids));
            // The AI SDK cannot cancel a question.
            let cancels = !questions.is_empty() && (cancels_all || input.ui_stream.is_some());
            let results = if cancels { answers } else { Vec::new() };
            NewInput::Message { message, results, cancels }
        } else if !resume.is_empty() || !results.is_empty() {
            let number = &state.snapshot;
            NewInput::Answers(answer_questions(
                &questions, number, is_page, &results, resume, ledger, to,
            )?)
        } else {
            NewInput::Nothing
        };
        Ok(Self { state, kept, input, is_stale })
    }
}

impl AguiEndpoint {
    /// Runs a turn and sends its events. Without new input, sends the conversation and its open questions.
    pub(crate) async fn drive_thread(
        &self,
        admitted: AdmittedThread,
        sender: &FrameSender,
    ) -> Result<(), ClientDisconnected> {
        let AdmittedThread { agent, request, mut turn, ids, binding, page_tools } = admitted;
        let ThreadRequest { state, kept, input, is_stale } = request;
        let mut events = vec![ids.started_event()];
        let finished = |snapshot: &str, message: Option<&Message>| {
            let questions = message.map(Interrupt::find_all).unwrap_or_default();
            ids.outcome_event(&questions, &page_tools, snapshot, None, &self.ledger, &binding)
        };
        if is_stale || matches!(input, NewInput::Nothing) {
            events.extend(history_events(&state));
        }
        // The client already has the open calls.
        let open_calls = state.messages.last().into_iter().flat_map(Message::tool_requests);
        let open_calls = open_calls.filter_map(|call| call.id.clone()).collect();
        let mut encoder = Encoder::new(&ids.run, open_calls, Arc::clone(&self.agents));
        match input {
            NewInput::Nothing => {
                events.push(finished(&state.snapshot, state.messages.last()));
                return sender.send_events(events).await;
            }
            NewInput::Message { message, results, cancels } => {
                turn.after = Some(state.snapshot).filter(|_| cancels || kept.is_some());
                (turn.message, turn.answers) = (Some(message), results);
                (turn.cancels_questions, turn.kept) = (cancels, kept);
            }
            NewInput::Answers(answers) => {
                (turn.answers, turn.after) = (answers, Some(state.snapshot));
            }
        }
        sender.send_events(events).await?;
        let ended = self.follow_turn(&*agent, turn, &mut encoder, sender).await?;
        encoder.end_step();
        let mut message = None;
        let last = match ended {
            Ok(ThreadEnd { error: Some(error), .. }) | Err(error) => {
                ids.failure_event(error, self.gate.exposes_errors)
            }
            Ok(ended) if ended.finish_reason == FinishReason::Aborted => {
                let error = genkit_core::Error::new(ErrorKind::Cancelled, "the turn was aborted");
                ids.failure_event(error, self.gate.exposes_errors)
            }
            Ok(ended) => {
                if let Some(message) = &ended.message {
                    encoder.complete_message(message);
                    encoder.end_step();
                }
                let mut last = finished(&ended.snapshot, ended.message.as_ref());
                if let Some(usage) = usage_json(&ended.usage) {
                    last["usage"] = json!([usage]);
                }
                message = ended.message;
                last
            }
        };
        let mut events = encoder.take_events();
        events.extend(encoder.end_agents(&last));
        events.push(last);
        sender.add_pending_results(message.as_ref(), &mut events);
        sender.send_events(events).await
    }

    async fn follow_turn(
        &self,
        agent: &dyn ThreadAgent,
        turn: ThreadTurn,
        encoder: &mut Encoder,
        sender: &FrameSender,
    ) -> Result<genkit_core::Result<ThreadEnd>, ClientDisconnected> {
        let mut run = agent.begin_turn(turn);
        let deadline = Instant::now() + self.timeout;
        loop {
            let chunk = tokio::select! {
                chunk = run.next_chunk() => chunk,
                () = self.gate.end.cancelled() => {
                    run.keep_turn();
                    return Ok(Err(E::ShuttingDown.into()));
                }
                () = tokio::time::sleep_until(deadline) => {
                    return Ok(Err(E::Overdue(self.timeout).into()));
                }
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    sender.keep_alive().await?;
                    continue;
                }
            };
            match chunk {
                Some(ThreadChunk::Model(chunk)) => encoder.push_chunk(chunk),
                Some(ThreadChunk::CustomPatch(patch)) => encoder.push_event(patch_event(patch)),
                Some(ThreadChunk::Artifact(artifact)) => encoder.push_event(json!({
                    "type": "CUSTOM", "name": "artifact", "value": artifact,
                })),
                None => return Ok(run.into_end().await),
            }
            sender.send_events(encoder.take_events()).await?;
        }
    }
}

/// Returns the event for a change of the custom state, which is the state of the page.
fn patch_event(patch: Vec<Value>) -> Value {
    match &patch[..] {
        [whole] if whole["path"] == "" => {
            json!({ "type": "STATE_SNAPSHOT", "snapshot": whole["value"] })
        }
        _ => json!({ "type": "STATE_DELTA", "delta": patch }),
    }
}

/// Returns the events that replace the client's copy of the conversation.
fn history_events(state: &ThreadState) -> Vec<Value> {
    let messages = state.messages.iter().enumerate();
    let messages: Vec<Value> =
        messages.flat_map(|(at, message)| message_json(at, message)).collect();
    let mut events = vec![json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages })];
    if !state.custom.is_null() {
        events.push(json!({ "type": "STATE_SNAPSHOT", "snapshot": state.custom }));
    }
    events
}

/// Returns the ids that the client has for a message of the user.
fn client_ids(at: usize, message: &Message) -> Vec<String> {
    if message.role != Role::User {
        return Vec::new();
    }
    let ids = message.metadata.get(CLIENT_IDS).and_then(Value::as_array);
    let ids = ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let ids: Vec<String> = ids.collect();
    if ids.is_empty() { vec![format!("message-{at}")] } else { ids }
}

/// Converts a message of the thread to messages for the client.
fn message_json(at: usize, message: &Message) -> Vec<Value> {
    let id = format!("message-{at}");
    match message.role {
        Role::User => {
            // Several messages from the client can form one message of the thread.
            let user = |id: &String| json!({ "id": id, "role": "user", "content": "" });
            let mut all: Vec<Value> = client_ids(at, message).iter().map(user).collect();
            if let Some(last) = all.last_mut() {
                last["content"] = user_content(message);
            }
            all
        }
        Role::Model => {
            let mut shown = json!({ "id": id, "role": "assistant", "content": message.text() });
            let call = |call: &genkit_core::ToolRequest| {
                let function = json!({ "name": call.name, "arguments": call.input.to_string() });
                json!({ "id": call.id, "type": "function", "function": function })
            };
            let calls: Vec<Value> = message.tool_requests().map(call).collect();
            if !calls.is_empty() {
                shown["toolCalls"] = calls.into();
            }
            vec![shown]
        }
        Role::Tool => message
            .tool_responses()
            .enumerate()
            .map(|(nth, response)| {
                json!({
                    "id": format!("{id}-{nth}"), "role": "tool", "toolCallId": response.id,
                    "content": result_text(response),
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn user_content(message: &Message) -> Value {
    if message.content.iter().all(|part| part.as_text().is_some()) {
        return message.text().into();
    }
    message.content.iter().filter_map(user_part_json).collect()
}

fn user_part_json(part: &Part) -> Option<Value> {
    if let Some(text) = part.as_text() {
        return Some(json!({ "type": "text", "text": text }));
    }
    let Part::Media { media: Media { url, content_type, .. }, .. } = part else { return None };
    let mime = content_type.as_deref().unwrap_or_default();
    let kind = mime.split('/').next().filter(|kind| ["image", "audio", "video"].contains(kind));
    let kind = kind.unwrap_or("document");
    let source = match url.split_once(";base64,") {
        Some((_, data)) => json!({ "type": "data", "value": data, "mimeType": mime }),
        None => json!({ "type": "url", "value": url, "mimeType": mime }),
    };
    Some(json!({ "type": kind, "source": source }))
}

/// The time limit for loading a thread. Default is 30 seconds.
pub(crate) const LOAD_TIMEOUT: Duration = Duration::from_secs(30);
