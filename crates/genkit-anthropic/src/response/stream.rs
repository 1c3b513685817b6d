//! A streamed response, assembled block by block.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error;
use super::parts::block_part;
use super::whole::ResponseEnd;
use crate::NAME;
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::internal::names::Names;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_core::{Part, ToolRequest};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::wire::{Next, WireStream};
use genkit_schema::internal::bounded_json::{parse_bounded, parse_response};

/// One event. Fields whose format depends on the type of the event or block stay raw until it is
/// known.
#[derive(Deserialize)]
struct MessageEvent<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    index: Option<u64>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    /// A sibling of the message delta in the event.
    context_management: Option<Value>,
}

/// A delta of a common type of block.
#[derive(Deserialize)]
struct BlockDelta<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    thinking: Option<Cow<'a, str>>,
    #[serde(borrow)]
    partial_json: Option<Cow<'a, str>>,
    #[serde(borrow)]
    signature: Option<Cow<'a, str>>,
    citation: Option<Value>,
}

/// A block that is not complete.
#[derive(Default)]
struct OpenBlock {
    /// The index of this block among all blocks.
    place: usize,
    fields: Map<String, Value>,
    /// The text or thought so far.
    text: String,
    /// The arguments so far, as JSON.
    json: String,
    citations: Vec<Value>,
}

/// The state of a stream that is being read.
pub(crate) struct MessageStream<'a> {
    names: Names<'a>,
    ending: ResponseEnd,
    begun: bool,
    /// The incomplete blocks, by the index in their events.
    open: HashMap<u64, OpenBlock>,
    /// One entry for each block, in order; `None` for incomplete and empty blocks.
    parts: Vec<Option<Part>>,
}

impl<'a> MessageStream<'a> {
    pub(crate) fn new(request: &'a ModelRequest) -> Self {
        Self {
            names: request.tool_names(),
            ending: ResponseEnd::default(),
            begun: false,
            open: HashMap::new(),
            parts: Vec::new(),
        }
    }

    fn start_message(&mut self, message: Option<&RawValue>) -> Result<()> {
        // A second start restarts the message: a gateway has switched to another model.
        self.open.clear();
        self.parts.clear();
        self.ending = ResponseEnd::default();
        self.begun = true;
        if let Some(message) = message {
            self.ending.read_fields(&mut read(message)?);
        }
        Ok(())
    }

    fn open_block(&mut self, index: u64, block: &RawValue, fresh: &mut Vec<Part>) -> Result<()> {
        self.close_block(index, fresh);
        let mut fields: Map<String, Value> = read(block)?;
        let mut opened = OpenBlock { place: self.parts.len(), ..OpenBlock::default() };
        self.parts.push(None);
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if matches!(&*kind, "text" | "thinking") {
            if let Some(Value::String(text)) = fields.remove(&kind) {
                opened.add_text(kind == "thinking", text.into(), fresh);
            }
            if let Some(Value::Array(citations)) = fields.remove("citations") {
                opened.citations = citations;
            }
        } else if kind == "tool_use" {
            let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
            let mut begun = ToolRequest::new(self.names.own_name(text("name")), Value::Null);
            begun.id = Some(text("id").to_owned()).filter(|id| !id.is_empty());
            begun.partial = true;
            fresh.push(Part::tool_request(begun));
        }
        opened.fields = fields;
        self.open.insert(index, opened);
        Ok(())
    }

    fn read_delta(&mut self, index: u64, raw: &RawValue, fresh: &mut Vec<Part>) -> Result<()> {
        let delta: BlockDelta<'_> = read(raw)?;
        if !self.open.contains_key(&index) && !self.open_unstarted(index, &delta.r#type) {
            return Ok(());
        }
        let Some(block) = self.open.get_mut(&index) else { return Ok(()) };
        match &*delta.r#type {
            "text_delta" => block.add_text(false, delta.text.unwrap_or_default(), fresh),
            "thinking_delta" => block.add_text(true, delta.thinking.unwrap_or_default(), fresh),
            "input_json_delta" => block.json.push_str(&delta.partial_json.unwrap_or_default()),
            "signature_delta" => {
                let signature = delta.signature.unwrap_or_default().into_owned();
                block.fields.insert("signature".to_owned(), signature.into());
            }
            "citations_delta" => block.citations.extend(delta.citation),
            _ => block.add_fields(read(raw)?),
        }
        Ok(())
    }

    /// Opens a block for a delta without a start event, which some gateways omit. Returns whether the delta defines the
    /// block.
    fn open_unstarted(&mut self, index: u64, delta: &str) -> bool {
        let kind = match delta {
            "text_delta" => "text",
            "thinking_delta" => "thinking",
            _ => {
                tracing::warn!(
                    index,
                    delta,
                    "{NAME} sent a delta of a block without a start event; the delta is ignored"
                );
                return false;
            }
        };
        let fields = Map::from_iter([("type".to_owned(), kind.into())]);
        self.open
            .insert(index, OpenBlock { place: self.parts.len(), fields, ..OpenBlock::default() });
        self.parts.push(None);
        true
    }

    /// Completes a block, if it is open.
    fn close_block(&mut self, index: u64, fresh: &mut Vec<Part>) {
        let Some(block) = self.open.remove(&index) else { return };
        let place = block.place;
        let Some(part) = block_part(block.into_fields(), &self.names) else { return };
        // Text and thoughts were sent as they arrived.
        if !matches!(part, Part::Text { .. } | Part::Reasoning { .. }) {
            fresh.push(part.clone());
        }
        self.parts[place] = Some(part);
    }

    fn read_event(&mut self, data: &str, fresh: &mut Vec<Part>) -> Result<Next> {
        let event: MessageEvent<'_> =
            parse_response(data.as_bytes()).map_err(|error| HttpError::from_json(NAME, &error))?;
        match (&*event.r#type, event.index) {
            ("message_start", _) => self.start_message(event.message)?,
            ("content_block_start", Some(index)) => {
                if let Some(block) = event.content_block {
                    self.open_block(index, block, fresh)?;
                }
            }
            ("content_block_delta", Some(index)) => {
                if let Some(delta) = event.delta {
                    self.read_delta(index, delta, fresh)?;
                }
            }
            ("content_block_stop", Some(index)) => self.close_block(index, fresh),
            ("message_delta", _) => {
                if let Some(delta) = event.delta {
                    self.ending.read_fields(&mut read(delta)?);
                }
                if let Some(usage) = event.usage.filter(|it| it.get().starts_with('{')) {
                    self.ending.merge_counts(read(usage)?);
                }
                if let Some(context) = event.context_management {
                    let mut siblings = Map::new();
                    siblings.insert("context_management".to_owned(), context);
                    self.ending.read_fields(&mut siblings);
                }
            }
            ("message_stop", _) => return Ok(Next::Done),
            ("error", _) | ("", _) if event.error.is_some() => {
                let error = event.error.map(read::<Value>).transpose()?.unwrap_or_default();
                return Err(error::error_in_response(&error));
            }
            // Pings, and unknown events.
            _ => {}
        }
        Ok(Next::More)
    }
}

impl WireStream for MessageStream<'_> {
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next> {
        let text = event.data().trim();
        // Some gateways end every stream with `[DONE]`, as OpenAI does.
        if text.is_empty() || text == "[DONE]" {
            return Ok(Next::More);
        }
        let mut fresh = Vec::new();
        let next = self.read_event(text, &mut fresh);
        if !fresh.is_empty() {
            chunks.send(GenerateChunk::new(fresh));
        }
        next
    }

    fn into_response(mut self: Box<Self>) -> Result<ModelResponse> {
        if !self.begun {
            return Err(E::EmptyStream.into());
        }
        // A block without an end is incomplete; an incomplete call is shown but not run.
        for (_, block) in std::mem::take(&mut self.open) {
            let place = block.place;
            let mut part = block_part(block.into_fields(), &self.names);
            if let Some(Part::ToolRequest { tool_request, .. }) = &mut part {
                tool_request.partial = true;
            }
            self.parts[place] = part;
        }
        Ok(self.ending.build_response(self.parts.into_iter().flatten().collect()))
    }
}

impl OpenBlock {
    fn add_text(&mut self, is_thought: bool, text: Cow<'_, str>, fresh: &mut Vec<Part>) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(&text);
        let text = text.into_owned();
        fresh.push(if is_thought { Part::reasoning(text) } else { Part::text(text) });
    }

    /// Adds a delta of an unknown type: strings are appended, other values replace earlier ones.
    fn add_fields(&mut self, delta: Map<String, Value>) {
        for (key, value) in delta.into_iter().filter(|(key, _)| key != "type") {
            match (self.fields.get_mut(&key), value) {
                (Some(Value::String(known)), Value::String(more)) => known.push_str(&more),
                (_, value) => drop(self.fields.insert(key, value)),
            }
        }
    }

    /// Returns the complete block, as in a response that is not streamed.
    fn into_fields(mut self) -> Map<String, Value> {
        let kind = self.fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_words = matches!(kind, "text" | "thinking");
        if is_words {
            let key = kind.to_owned();
            self.fields.insert(key, self.text.into());
        }
        if !self.citations.is_empty() {
            self.fields.insert("citations".to_owned(), self.citations.into());
        }
        if !self.json.trim().is_empty() {
            // Incomplete arguments stay text, so that the call fails instead of the response.
            let input = parse_bounded(self.json.as_bytes()).unwrap_or_else(|_| self.json.into());
            self.fields.insert("input".to_owned(), input);
        }
        self.fields
    }
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T> {
    serde_json::from_str(raw.get()).map_err(|error| HttpError::from_json(NAME, &error).into())
}
