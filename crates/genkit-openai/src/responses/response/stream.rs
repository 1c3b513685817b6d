//! A streamed response, assembled from items by their index in the output, because their ids may
//! change.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::body::{Event, ResponseObject};
use super::item::{ItemOutput, ItemReader, SUMMARY_SEPARATOR};
use super::whole::{build_response, check_error, failed_error};
use crate::responses::error::Error as E;
use crate::wire::builder::OpenAiServer;
use crate::wire::response::stream::{EventData, event_data};
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_core::{Part, ToolRequest};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::wire::{Next, WireStream};
use genkit_schema::internal::bounded_json::parse_response;

/// The maximum number of items in a response. Default is 4,096.
const MAX_ITEMS: usize = 4_096;

/// The state of a stream that is being read.
pub(in crate::responses) struct ResponsesStream<'a> {
    reader: ItemReader<'a>,
    slots: BTreeMap<u64, OpenItem>,
    /// Whether an event of a response has been received.
    begun: bool,
    /// The response in the last event.
    end: Option<ResponseObject>,
}

/// An output item, which may be incomplete.
#[derive(Default)]
struct OpenItem {
    /// The item from its first event, or the complete item.
    item: Map<String, Value>,
    is_done: bool,
    text: String,
    refusal: String,
    thoughts: String,
    /// The summary or content block that is being written.
    thought_at: Option<(bool, u64)>,
    arguments: String,
    /// Whether the whole item except its text has been sent.
    is_sent: bool,
}

impl<'a> ResponsesStream<'a> {
    pub(in crate::responses) fn new(server: &'a OpenAiServer, request: &'a ModelRequest) -> Self {
        let reader = ItemReader::new(request, server);
        Self { reader, slots: BTreeMap::new(), begun: false, end: None }
    }

    /// Returns the slot for the item of an event, creating it if necessary. An event without an index
    /// belongs to the last item, or to the next one if `begins` is true.
    fn find_slot(&mut self, index: Option<u64>, begins: bool) -> Result<&mut OpenItem> {
        let next = |last: u64| if begins { last.saturating_add(1) } else { last };
        let last = self.slots.last_key_value().map(|(at, _)| *at);
        let index = index.or(last.map(next)).unwrap_or(0);
        if self.slots.len() >= MAX_ITEMS && !self.slots.contains_key(&index) {
            let provider = self.reader.server.name.clone();
            return Err(E::TooManyItems { provider, limit: MAX_ITEMS }.into());
        }
        Ok(self.slots.entry(index).or_default())
    }

    fn read_typed(&mut self, event: Event<'_>, parts: &mut Vec<Part>) -> Result<Next> {
        let kind = event.kind.unwrap_or_default();
        let delta = event.delta.unwrap_or_default();
        let at = event.output_index;
        self.begun |= kind.starts_with("response.");
        match kind.strip_prefix("response.").unwrap_or(&kind) {
            "output_item.added" => self.add_item(at, event.item, parts)?,
            "output_item.done" => self.finish_item(at, event.item, parts)?,
            "output_text.delta" => self.find_slot(at, false)?.add_text(delta, parts),
            "refusal.delta" => self.find_slot(at, false)?.refusal.push_str(&delta),
            "reasoning_summary_text.delta" => {
                self.find_slot(at, false)?.add_thought(
                    (false, event.summary_index.unwrap_or(0)),
                    &delta,
                    parts,
                );
            }
            "reasoning_text.delta" => {
                self.find_slot(at, false)?.add_thought(
                    (true, event.content_index.unwrap_or(0)),
                    &delta,
                    parts,
                );
            }
            "function_call_arguments.delta" => {
                self.find_slot(at, false)?.arguments.push_str(&delta)
            }
            "function_call_arguments.done" => {
                if let Some(whole) = event.arguments {
                    self.find_slot(at, false)?.arguments = whole;
                }
            }
            "completed" | "incomplete" | "failed" | "cancelled" => {
                let reply = event.response.map_or("{}", |response| response.get());
                return self.end_response(parse_response(reply.as_bytes()), parts);
            }
            _ => {}
        }
        Ok(Next::More)
    }

    fn add_item(
        &mut self,
        at: Option<u64>,
        item: Option<Value>,
        parts: &mut Vec<Part>,
    ) -> Result<()> {
        let Some(Value::Object(item)) = item else { return Ok(()) };
        if item.get("type").is_some_and(|kind| kind == "function_call") {
            let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
            let mut begun = ToolRequest::new(self.reader.names.own_name(name), Value::Null);
            begun.id = item.get("call_id").and_then(Value::as_str).map(str::to_owned);
            begun.partial = true;
            parts.push(Part::tool_request(begun));
        }
        self.find_slot(at, true)?.item = item;
        Ok(())
    }

    fn finish_item(
        &mut self,
        at: Option<u64>,
        item: Option<Value>,
        parts: &mut Vec<Part>,
    ) -> Result<()> {
        let Some(Value::Object(item)) = item else { return Ok(()) };
        // Without an index, it may be an item whose start was not sent.
        let begins = self.slots.values().next_back().is_none_or(|last| last.is_done);
        let mut slot = std::mem::take(self.find_slot(at, begins)?);
        slot.item = item;
        slot.is_done = true;
        slot.add_whole(&self.reader, Value::Object(slot.item.clone()), parts);
        *self.find_slot(at, false)? = slot;
        Ok(())
    }

    fn end_response(
        &mut self,
        reply: serde_json::Result<ResponseObject>,
        parts: &mut Vec<Part>,
    ) -> Result<Next> {
        let server = self.reader.server;
        let reply = reply.map_err(|error| HttpError::from_json(&server.name, &error))?;
        check_error(server, &reply)?;
        let known = |at: &u64| self.slots.get(at).is_some_and(|slot| slot.is_done);
        let new = (0..).zip(reply.output.iter().flatten()).filter(|(at, _)| !known(at));
        for (at, item) in new.collect::<Vec<_>>() {
            let mut slot = self.slots.remove(&at).unwrap_or_default();
            slot.add_whole(&self.reader, item.clone(), parts);
        }
        self.end = Some(reply);
        Ok(Next::Done)
    }
}

impl OpenItem {
    /// Sends the content of an item that its deltas did not contain, because some servers send no
    /// deltas.
    fn add_whole(&mut self, reader: &ItemReader<'_>, item: Value, parts: &mut Vec<Part>) {
        match reader.read_item(item) {
            ItemOutput::Nothing => {}
            ItemOutput::Message(said) => {
                let rest = said.text.strip_prefix(self.text.as_str()).unwrap_or_default();
                self.add_text(rest.to_owned(), parts);
            }
            ItemOutput::Part(Part::Reasoning { reasoning, metadata, .. }) => {
                let rest = reasoning.strip_prefix(self.thoughts.as_str()).unwrap_or_default();
                self.thoughts.push_str(rest);
                let mut part = Part::reasoning(rest);
                *part.metadata_mut() = metadata;
                parts.extend((!std::mem::replace(&mut self.is_sent, true)).then_some(part));
            }
            ItemOutput::Part(part) => {
                let is_whole = part
                    .as_tool_request()
                    .is_none_or(|call| !call.partial && !call.input.is_string());
                if is_whole && !std::mem::replace(&mut self.is_sent, true) {
                    parts.push(part);
                }
            }
        }
    }

    fn add_text(&mut self, text: String, parts: &mut Vec<Part>) {
        if !text.is_empty() {
            self.text.push_str(&text);
            parts.push(Part::text(text));
        }
    }

    fn add_thought(&mut self, at: (bool, u64), delta: &str, parts: &mut Vec<Part>) {
        if delta.is_empty() {
            return;
        }
        let is_next = self.thought_at.replace(at).is_some_and(|before| before != at);
        let more = if is_next { format!("{SUMMARY_SEPARATOR}{delta}") } else { delta.to_owned() };
        self.thoughts.push_str(&more);
        parts.push(Part::reasoning(more));
    }

    /// Returns the complete item, or the content received so far.
    fn into_item(mut self) -> Value {
        if self.is_done {
            return Value::Object(self.item);
        }
        let kind = match self.item.get("type").and_then(Value::as_str) {
            Some(kind) => kind.to_owned(),
            None if !self.arguments.is_empty() => "function_call".to_owned(),
            None if !self.thoughts.is_empty() => "reasoning".to_owned(),
            None => "message".to_owned(),
        };
        match kind.as_str() {
            "message" => {
                let content = json!([
                    {"type": "output_text", "text": self.text},
                    {"type": "refusal", "refusal": self.refusal},
                ]);
                self.item.insert("content".to_owned(), content);
            }
            "reasoning" if !self.thoughts.is_empty() => {
                let summary = json!([{"type": "summary_text", "text": self.thoughts}]);
                self.item.insert("summary".to_owned(), summary);
            }
            "function_call" => {
                self.item.insert("arguments".to_owned(), self.arguments.into());
                self.item.insert("status".to_owned(), "incomplete".into());
            }
            _ => {}
        }
        self.item.insert("type".to_owned(), kind.into());
        Value::Object(self.item)
    }
}

impl WireStream for ResponsesStream<'_> {
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next> {
        let data = match event_data(&self.reader.server.name, event)? {
            EventData::Done => return Ok(Next::Done),
            EventData::Nothing => return Ok(Next::More),
            EventData::Json(data) => data,
        };
        let json = |error| HttpError::from_json(&self.reader.server.name, &error);
        let event: Event<'_> = parse_response(data.as_bytes()).map_err(json)?;
        let mut parts = Vec::new();
        let next = match (&event.error, event.kind.as_deref()) {
            (Some(error), _) => return Err(failed_error(self.reader.server, error)),
            // The event itself contains the fields of the error.
            (None, Some("error")) => {
                let body = parse_response(data.as_bytes()).map_err(json)?;
                return Err(failed_error(self.reader.server, &body));
            }
            // A complete response instead of an event.
            (None, None) => {
                let reply: ResponseObject = parse_response(data.as_bytes()).map_err(json)?;
                match reply.output {
                    Some(_) => self.end_response(Ok(reply), &mut parts),
                    None => Ok(Next::More),
                }
            }
            (None, Some(_)) => self.read_typed(event, &mut parts),
        };
        if !parts.is_empty() {
            chunks.send(GenerateChunk::new(parts));
        }
        next
    }

    fn into_response(self: Box<Self>) -> Result<ModelResponse> {
        let Self { reader, slots, begun, end } = *self;
        if !begun && end.is_none() {
            return Err(E::MissingOutput { provider: reader.server.name.clone() }.into());
        }
        let mut reply = end.unwrap_or_default();
        // Some servers end with an empty output, even if they sent items before.
        let items = match reply.output.take() {
            Some(items) if !items.is_empty() => items,
            _ => slots.into_values().map(OpenItem::into_item).collect(),
        };
        Ok(build_response(&reader, items, reply))
    }
}
