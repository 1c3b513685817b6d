//! History: the messages and documents of a request.

use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::{close_request, pending_answer};
use genkit_core::{Message, Part, Role, ToolResponse};
use genkit_model::Supports;
use genkit_model::internal::documents;

/// Builds the messages of a request: system message, history, prompt.
pub(crate) fn merge_conversation(
    system: Vec<Part>,
    history: Vec<Message>,
    prompt: Vec<Part>,
) -> Result<Vec<Message>> {
    let mut messages = Vec::with_capacity(history.len() + 2);
    let mut history = history.into_iter().peekable();
    if !system.is_empty() {
        // A continued history contains its own system message; the new one replaces it.
        history.next_if(|first| first.role == Role::System);
        messages.push(Message::new(Role::System, system));
    }
    messages.extend(history);
    if !prompt.is_empty() {
        let answers = prompt.iter().all(|part| part.as_tool_response().is_some());
        let role = if answers { Role::Tool } else { Role::User };
        messages.push(Message::new(role, prompt));
    }
    if messages.is_empty() {
        return Err(E::NothingToAsk.into());
    }
    Ok(messages)
}

/// Adds responses to calls without a response, for example in the history of a run that ended at a limit, since
/// providers reject such calls. A call that finished before its run failed keeps its response.
pub fn close_calls(messages: &mut Vec<Message>) -> Result<()> {
    let mut at = 0;
    while at < messages.len() {
        let after = at + 1;
        if messages[at].role == Role::Model {
            let open = respond_to_open_calls(&messages[at], &messages[after..])?;
            if !open.is_empty() {
                match messages.get_mut(after).filter(|next| next.role == Role::Tool) {
                    Some(next) => next.content.extend(open),
                    None => messages.insert(after, Message::new(Role::Tool, open)),
                }
                messages[at].content.iter_mut().for_each(close_request);
            }
        }
        at = after;
    }
    Ok(())
}

/// Returns responses to the calls of `message` that the following tool messages do not answer.
fn respond_to_open_calls(message: &Message, after: &[Message]) -> Result<Vec<Part>> {
    let answers = after.iter().take_while(|message| message.role == Role::Tool);
    let answers: Vec<&ToolResponse> =
        answers.flat_map(|message| &message.content).filter_map(Part::as_tool_response).collect();
    let mut open = Vec::new();
    for part in &message.content {
        let Part::ToolRequest { tool_request: call, metadata, .. } = part else { continue };
        let same = |answer: &&ToolResponse| answer.name == call.name && answer.id == call.id;
        if call.partial || answers.iter().any(same) {
            continue;
        }
        open.push(match pending_answer(call, metadata)? {
            Some(answer) => answer,
            None => call.respond(serde_json::json!({ "error": "this call was not run" })).into(),
        });
    }
    Ok(open)
}

/// Keeps the documents for a model that supports them or declares no capabilities. Otherwise moves them to the
/// placeholder of a template, into the last user message, or into a new first message.
pub(crate) fn place_documents(request: &mut ModelRequest, supported: Option<&Supports>) {
    if supported.is_none_or(|supports| supports.docs) {
        return;
    }
    let Some(text) = documents::render_documents(&request.docs) else { return };
    let part = Part::text(text).with_metadata("purpose", "context");
    let messages = &mut request.messages;
    // A continued history already contains the documents.
    let is_there = messages.iter().any(|message| message.content.contains(&part));
    let waits = |part: &&mut Part| {
        part.is_pending() && part.metadata().get("purpose").is_some_and(|p| p == "context")
    };
    let place = messages.iter_mut().flat_map(|message| &mut message.content).find(waits);
    if let Some(place) = place {
        *place = part;
    } else if !is_there {
        match documents::last_user(messages) {
            Some(asked) => messages[asked].content.push(part),
            None => {
                let start = messages.iter().position(|message| message.role != Role::System);
                let start = start.unwrap_or(messages.len());
                messages.insert(start, Message::new(Role::User, [part]));
            }
        }
    }
    request.docs.clear();
}

/// Removes the placeholders of templates that were not filled in.
pub(crate) fn drop_pending(messages: &mut Vec<Message>) {
    if messages.iter().any(|message| message.content.iter().any(Part::is_empty_placeholder)) {
        messages
            .iter_mut()
            .for_each(|message| message.content.retain(|part| !part.is_empty_placeholder()));
        messages.retain(|message| !message.content.is_empty());
    }
}
