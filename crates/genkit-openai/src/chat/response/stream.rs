//! A streamed response, assembled from chunks.

use serde_json::Value;

use super::body::{ChatCompletion, ChoiceMessage, ChoiceToolCall};
use super::calls::{DecodedCall, TooManyCalls, ToolCallAssembler};
use super::finish_reason::is_placeholder;
use super::whole::{
    CompletionBuilder, decode_calls, detail_text, first_choice, generated_image, sent_names,
    too_many_calls,
};
use crate::chat::error::Error as E;
use crate::wire::models::Target;
use crate::wire::response::error;
use crate::wire::response::stream::{EventData, event_data};
use genkit_core::Part;
use genkit_core::Result;
use genkit_core::internal::names::Names;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::wire::{Next, WireStream};
use genkit_schema::internal::parse_leniently;

/// The state of a stream that is being read.
pub(in crate::chat) struct ChatStream<'a> {
    target: Target<'a>,
    request: &'a ModelRequest,
    names: Names<'a>,
    completion: CompletionBuilder,
    calls: ToolCallAssembler,
    /// The number of chunks with text.
    text_pieces: usize,
    /// Whether a chunk with a choice has been received.
    begun: bool,
}

/// The minimum length of a string, in bytes, that is recognized as a repetition of the whole text.
const MIN_REPEATED: usize = 16;

impl<'a> ChatStream<'a> {
    pub(in crate::chat) fn new(target: Target<'a>, request: &'a ModelRequest) -> Self {
        let names = request.tool_names();
        Self {
            target,
            request,
            calls: ToolCallAssembler::new(sent_names(request, &names)),
            names,
            completion: CompletionBuilder::default(),
            text_pieces: 0,
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
        // Some servers send an empty finish reason in every chunk.
        let finish = choice.finish_reason.filter(|reason| !is_placeholder(reason));
        if let Some(mut delta) = choice.delta {
            if finish.is_some() && self.is_repetition(&delta.content.text) {
                delta.content.text.clear();
            }
            self.add_message(delta, &mut parts)?;
        }
        if let Some(message) = choice.message.filter(|message| !message.is_empty()) {
            self.add_whole(message, &mut parts)?;
        }
        if finish.is_some() {
            self.completion.set_finish_reason(finish);
            for call in self.decode_calls().into_iter().filter(is_called) {
                parts.extend(self.calls.mark_sent(call.place).then_some(call.part));
            }
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
    }

    /// Returns whether a string is the text of all previous chunks, which some servers repeat in the
    /// last chunk.
    fn is_repetition(&self, text: &str) -> bool {
        self.text_pieces > 1 && text.len() >= MIN_REPEATED && text == self.completion.text
    }

    /// Adds a complete message, which some servers put into the last chunk. If there was text before, the text of the
    /// message is a repetition.
    fn add_whole(&mut self, mut message: ChoiceMessage, parts: &mut Vec<Part>) -> Result<()> {
        if !self.is_empty() {
            message = ChoiceMessage {
                tool_calls: message.take_calls().collect(),
                ..ChoiceMessage::default()
            };
        }
        self.add_message(message, parts)
    }

    fn add_message(&mut self, mut message: ChoiceMessage, parts: &mut Vec<Part>) -> Result<()> {
        let calls = message.take_calls();
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
            self.text_pieces += 1;
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
        calls.into_iter().try_for_each(|call| self.add_call(call, parts))
    }

    fn add_call(&mut self, call: ChoiceToolCall, parts: &mut Vec<Part>) -> Result<()> {
        let begun = self.calls.add_fragment(call);
        if let Some(mut begun) = begun.map_err(|TooManyCalls| too_many_calls(&self.target))? {
            begun.name = self.names.own_name(&begun.name).to_owned();
            parts.push(Part::tool_request(begun));
        }
        Ok(())
    }

    fn decode_calls(&self) -> Vec<DecodedCall> {
        decode_calls(&self.calls, self.request, &self.names, self.target.deviations)
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
        // Some servers split a surrogate pair, or send NaN.
        let answer = parse_leniently(data.as_bytes())
            .map_err(|error| HttpError::from_json(self.target.provider, &error))?;
        self.read_chunk(answer, chunks)?;
        Ok(Next::More)
    }

    fn into_response(mut self: Box<Self>) -> Result<ModelResponse> {
        if !self.begun {
            return Err(E::EmptyStream { provider: self.target.provider.to_owned() }.into());
        }
        let calls = self.decode_calls();
        self.completion.set_calls(calls);
        Ok(self.completion.build())
    }
}

/// Returns whether the arguments of a call are complete.
fn is_called(call: &DecodedCall) -> bool {
    call.part.as_tool_request().is_some_and(|call| !call.input.is_string())
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
