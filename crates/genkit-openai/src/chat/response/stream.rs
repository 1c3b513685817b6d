//! A streamed response, assembled from chunks.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::body::{ChatCompletion, ChoiceMessage, ChoiceToolCall};
use super::whole::{CompletionBuilder, detail_text, first_choice, generated_image, tool_request};
use crate::chat::error::Error as E;
use crate::wire::models::Target;
use crate::wire::request::tools::RawToolCall;
use crate::wire::response::error;
use crate::wire::response::stream::{EventData, event_data};
use genkit_core::Result;
use genkit_core::internal::names::Names;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_core::{Part, ToolRequest};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::wire::{Next, WireStream};

/// The state of a stream that is being read.
pub(in crate::chat) struct ChatStream<'a> {
    target: Target<'a>,
    request: &'a ModelRequest,
    names: Names<'a>,
    completion: CompletionBuilder,
    calls: Vec<StreamedToolCall>,
    /// Whether a chunk with a choice has been received.
    begun: bool,
}

/// A call whose arguments arrive in pieces.
struct StreamedToolCall {
    index: Option<u64>,
    called: RawToolCall,
    extra: Option<Value>,
}

impl<'a> ChatStream<'a> {
    pub(in crate::chat) fn new(target: Target<'a>, request: &'a ModelRequest) -> Self {
        Self {
            target,
            request,
            names: request.tool_names(),
            completion: CompletionBuilder::default(),
            calls: Vec::new(),
            begun: false,
        }
    }

    fn read_chunk(&mut self, answer: ChatCompletion, chunks: &ChunkSink) -> Result<()> {
        if let Some(error) = &answer.error {
            return Err(error::error_in_response(self.target.provider, error));
        }
        let mut answer = self.completion.take_metadata(answer);
        let Some(choice) = first_choice(&mut answer) else { return Ok(()) };
        self.begun = true;
        if choice.index.unwrap_or(0) != 0 {
            return Ok(());
        }
        if let Some(error) = &choice.error {
            return Err(error::error_in_response(self.target.provider, error));
        }
        self.completion.add_logprobs(choice.logprobs);
        let mut parts = Vec::new();
        // Some servers put the complete message into the last chunk, after its deltas.
        let whole = choice.message.filter(|_| self.is_empty());
        if let Some(message) = choice.delta.or(whole) {
            self.add_message(message, &mut parts);
        }
        // Some servers send an empty finish reason in every chunk.
        let finish = choice.finish_reason.filter(|reason| !reason.is_empty() && reason != "null");
        if finish.is_some() {
            self.completion.set_finish_reason(finish);
            parts.extend(self.end_calls().filter(is_called));
        }
        if !parts.is_empty() {
            chunks.send(GenerateChunk::new(parts));
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.completion.text.is_empty()
            && self.completion.reasoning.is_empty()
            && self.calls.is_empty()
            && self.completion.calls.is_empty()
    }

    fn add_message(&mut self, message: ChoiceMessage, parts: &mut Vec<Part>) {
        let details = message.reasoning_details.unwrap_or_default();
        let thoughts =
            [message.reasoning_content, message.reasoning, Some(message.content.reasoning)];
        let mut thought =
            thoughts.into_iter().flatten().find(|it| !it.is_empty()).unwrap_or_default();
        if thought.is_empty() {
            thought = details.iter().filter_map(detail_text).collect();
        }
        details.into_iter().for_each(|detail| merge_details(&mut self.completion.details, detail));
        if !thought.is_empty() {
            self.completion.reasoning.push_str(&thought);
            parts.push(Part::reasoning(thought));
        }
        if !message.content.text.is_empty() {
            self.completion.text.push_str(&message.content.text);
            parts.push(Part::text(message.content.text));
        }
        self.completion.refusal.push_str(message.refusal.as_deref().unwrap_or_default());
        for media in message.images.into_iter().flatten().filter_map(generated_image) {
            self.completion.media.push(media.clone());
            parts.push(media);
        }
        self.completion.extra = message.extra_content.or(self.completion.extra.take());
        self.completion.add_custom("annotations", message.annotations);
        self.completion.add_custom("audio", message.audio);
        let old = message.function_call.map(|function| ChoiceToolCall {
            index: Some(0),
            id: None,
            function: Some(function),
            extra_content: None,
        });
        for call in message.tool_calls.into_iter().flatten().chain(old) {
            self.call(call, parts);
        }
    }

    fn call(&mut self, call: ChoiceToolCall, parts: &mut Vec<Part>) {
        let mut function = call.function.unwrap_or_default();
        let name = function.name.take().unwrap_or_default();
        let id = call.id.filter(|id| !id.is_empty());
        if let Some(at) = self.find_place(call.index, id.as_deref(), &name, &function.arguments) {
            let StreamedToolCall { called, extra, .. } = &mut self.calls[at];
            called.id = called.id.take().or(id);
            *extra = extra.take().or(call.extra_content);
            called.arguments.push_str(&function.arguments);
            if called.name.is_empty() {
                called.name = name;
            }
            return;
        }
        let mut begun = ToolRequest::new(self.names.own_name(&name), Value::Null);
        begun.id.clone_from(&id);
        begun.partial = true;
        parts.push(Part::tool_request(begun));
        let called = RawToolCall { id, name, arguments: function.arguments };
        let (index, extra) = (call.index, call.extra_content);
        self.calls.push(StreamedToolCall { index, called, extra });
    }

    /// Returns the index of the call that a fragment continues; `None` if it starts a new call.
    fn find_place(
        &self,
        index: Option<u64>,
        id: Option<&str>,
        name: &str,
        more: &str,
    ) -> Option<usize> {
        let at = match (index, id) {
            (Some(_), _) => self.calls.iter().rposition(|call| call.index == index)?,
            (None, Some(_)) => {
                self.calls.iter().rposition(|call| call.called.id.as_deref() == id)?
            }
            (None, None) => self.calls.len().checked_sub(1)?,
        };
        let known = &self.calls[at].called;
        // Some servers repeat the name in each fragment, and some give each call the same index.
        let begins = !name.is_empty()
            && match (id, known.id.as_deref()) {
                (Some(id), Some(known_id)) => {
                    id != known_id && (known.arguments.is_empty() || is_whole(&known.arguments))
                }
                _ => !known.name.is_empty() && !more.is_empty() && is_whole(&known.arguments),
            };
        (!begins).then_some(at)
    }

    /// Completes the calls.
    fn end_calls(&mut self) -> impl Iterator<Item = Part> {
        let from = self.completion.calls.len();
        for call in self.calls.drain(..) {
            self.completion.is_last_bare = call.called.arguments.trim().is_empty();
            let StreamedToolCall { called, extra, .. } = call;
            let deviations = self.target.deviations;
            let part = tool_request(called, extra, self.request, &self.names, deviations);
            self.completion.calls.push(part);
        }
        self.completion.calls[from..].iter().cloned()
    }
}

impl WireStream for ChatStream<'_> {
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next> {
        let data = match event_data(self.target.provider, event)? {
            EventData::Done => {
                self.completion.is_ended = true;
                return Ok(Next::Done);
            }
            EventData::Nothing => return Ok(Next::More),
            EventData::Json(data) => data,
        };
        let answer = serde_json::from_str(data)
            .map_err(|error| HttpError::from_json(self.target.provider, &error))?;
        self.read_chunk(answer, chunks)?;
        Ok(Next::More)
    }

    fn into_response(mut self: Box<Self>) -> Result<ModelResponse> {
        if !self.begun {
            return Err(E::NoChunks { provider: self.target.provider.to_owned() }.into());
        }
        drop(self.end_calls());
        Ok(self.completion.build())
    }
}

/// Whether the arguments of a call are complete.
fn is_called(part: &Part) -> bool {
    part.as_tool_request().is_some_and(|call| !call.input.is_string())
}

/// Whether arguments are complete, so that no more can follow.
fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}

/// Adds a piece of OpenRouter's reasoning details, so that they can be sent back unchanged.
fn merge_details(details: &mut Vec<Value>, detail: Value) {
    let same = |known: &&mut Value| {
        let same = |key: &str| known.get(key) == detail.get(key);
        let is_text = detail.get("type").is_some_and(|it| it != "reasoning.encrypted");
        same("type") && same("index") && (is_text || detail.get("index").is_some())
    };
    let (Some(known), Value::Object(_)) = (details.last_mut().filter(same), &detail) else {
        return details.push(detail);
    };
    let (Value::Object(known), Value::Object(detail)) = (known, detail) else { return };
    for (key, value) in detail {
        let grows = matches!(key.as_str(), "text" | "summary" | "data");
        match (known.get_mut(&key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(known)), Value::String(more)) if grows => known.push_str(&more),
            (Some(Value::String(_)), Value::String(more)) if more.is_empty() => {}
            (_, value) => drop(known.insert(key, value)),
        }
    }
}
