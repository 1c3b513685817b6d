//! The conversation: system blocks, and alternating turns of the user and the model.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::block::{BlockContent, BlockKind, FileSource, MessageBlock, ResultContent};
use super::media;
use super::tool_search::ToolSearch;
use super::tool_use_ids::ToolUseIds;
use crate::NAME;
use crate::error::Error as E;
use crate::metadata::{BLOCK, CALLER, CITATIONS, REDACTED};
use genkit_core::ModelRequest;
use genkit_core::internal::message::cache_breakpoint;
use genkit_core::internal::model::UNANSWERED;
use genkit_core::internal::names::Names;
use genkit_core::{Message, Part, Role, ToolRequest, ToolResponse};
use genkit_model::internal::arguments::ArgumentsObject;
use genkit_model::internal::signature::find_signature;
use genkit_model::internal::{documents, warn_omitted};

/// The first user message of a history that begins with the model, because the API requires a user
/// message first.
const FIRST: &str = "(The conversation begins here.)";

const ONLY_TEXT: &str = "a system message can contain only text; send the part in a user message";

#[derive(Serialize)]
pub(super) struct TurnParam<'a> {
    role: &'static str,
    pub(super) content: Vec<MessageBlock<'a>>,
}

/// A conversation in the API's format.
#[derive(Default)]
pub(super) struct Conversation<'a> {
    pub(super) system: Vec<MessageBlock<'a>>,
    pub(super) messages: Vec<TurnParam<'a>>,
    /// The number of messages that are cached.
    pub(super) known: usize,
    /// Whether the last message may change when a message is added.
    pub(super) ends_open: bool,
    /// Whether the model is in a round of tool calls that it started without thinking.
    pub(super) is_thoughtless_round: bool,
}

impl Conversation<'_> {
    /// Returns whether a message has a cache breakpoint. Adding messages may then exceed the limit
    /// on breakpoints.
    pub(super) fn is_marked(&self) -> bool {
        self.messages.iter().flat_map(|message| &message.content).any(|block| block.cache.is_some())
    }

    /// Returns whether a file is referred to by its id.
    pub(super) fn has_files(&self) -> bool {
        let is_file = |block: &MessageBlock<'_>| {
            matches!(
                block.kind,
                BlockKind::Known(
                    BlockContent::Image { source: FileSource::File { .. } }
                        | BlockContent::Document { source: FileSource::File { .. }, .. }
                )
            )
        };
        self.messages.iter().flat_map(|message| &message.content).any(is_file)
    }
}

/// Converts the conversation of `request`. The messages before `from` are cached.
pub(super) fn encode_conversation<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    search: &'a ToolSearch<'a>,
    from: usize,
) -> Result<Conversation<'a>, E> {
    let mut writer = ConversationWriter {
        names,
        search,
        ids: ToolUseIds::default(),
        conversation: Conversation::default(),
        results: Vec::new(),
        said: Vec::new(),
        in_round: false,
    };
    let mut documents = documents::missing(request);
    if let Some((_, text)) = documents.take_if(|(asked, _)| asked.is_none()) {
        writer.said.push(MessageBlock::text_block(text));
    }
    for (index, message) in request.messages.iter().enumerate() {
        if from > 0 && index == from {
            writer.mark_cached();
        }
        writer.write_message(message).map_err(|(part, reason)| E::Part {
            message: index + 1,
            part: part + 1,
            reason,
        })?;
        if let Some((_, text)) = documents.take_if(|(asked, _)| *asked == Some(index)) {
            writer.said.push(MessageBlock::text_block(text));
        }
    }
    writer.end_user();
    writer.end_conversation();
    if from > 0 && from == request.messages.len() {
        writer.mark_cached();
    }
    Ok(writer.conversation)
}

struct ConversationWriter<'a> {
    names: &'a Names<'a>,
    search: &'a ToolSearch<'a>,
    ids: ToolUseIds<'a>,
    conversation: Conversation<'a>,
    /// The user's current turn: tool results, which come first, and other content.
    results: Vec<MessageBlock<'a>>,
    said: Vec<MessageBlock<'a>>,
    /// Whether the model has responded since the user's last input.
    in_round: bool,
}

/// The index of a part, and the reason why it cannot be sent.
type RejectedPart = (usize, &'static str);

impl<'a> ConversationWriter<'a> {
    fn write_message(&mut self, message: &'a Message) -> Result<(), RejectedPart> {
        let mark = cache_breakpoint(&message.metadata);
        match message.role {
            Role::System => {
                for (index, part) in message.content.iter().enumerate() {
                    let block = system_block(part).map_err(|reason| (index, reason))?;
                    self.conversation.system.extend(block);
                }
                set_breakpoint(mark, self.conversation.system.iter_mut());
            }
            Role::Model => {
                self.end_user();
                let mut content = self.model_blocks(message);
                set_breakpoint(mark, content.iter_mut());
                self.begins_with_user(&content);
                let calls = content.iter().any(is_call);
                let thinks = content.first().is_some_and(MessageBlock::is_thinking);
                if !std::mem::replace(&mut self.in_round, true) {
                    self.conversation.is_thoughtless_round = calls && !thinks;
                }
                self.push_blocks("assistant", content);
            }
            _ => {
                let (results, said) = (self.results.len(), self.said.len());
                for (index, part) in message.content.iter().enumerate() {
                    self.write_user_part(part).map_err(|reason| (index, reason))?;
                }
                let new = self.results.iter_mut().skip(results);
                set_breakpoint(mark, new.chain(self.said.iter_mut().skip(said)));
            }
        }
        Ok(())
    }

    /// Marks the messages added until now as cached. Only the model's turn can follow them.
    fn mark_cached(&mut self) {
        self.end_user();
        self.conversation.known = self.conversation.messages.len();
    }

    fn begins_with_user(&mut self, content: &[MessageBlock<'a>]) {
        if self.conversation.messages.is_empty() && !content.is_empty() {
            self.push_blocks("user", vec![MessageBlock::text_block(FIRST)]);
        }
    }

    fn push_blocks(&mut self, role: &'static str, mut content: Vec<MessageBlock<'a>>) {
        // The API rejects a message without content.
        if content.is_empty() {
            return;
        }
        match self.conversation.messages.last_mut() {
            Some(last) if last.role == role => last.content.append(&mut content),
            _ => self.conversation.messages.push(TurnParam { role, content }),
        }
    }

    /// Ends the user's turn, adding a result for each call without a result.
    fn end_user(&mut self) {
        let mut content = std::mem::take(&mut self.results);
        for id in self.ids.take_unanswered() {
            let result = Some(ResultContent::Text(UNANSWERED.into()));
            let block =
                BlockContent::ToolResult { tool_use_id: id, content: result, is_error: true };
            content.push(MessageBlock::new(block));
        }
        if !self.said.is_empty() {
            self.conversation.is_thoughtless_round = false;
            self.in_round = false;
        }
        content.append(&mut self.said);
        self.push_blocks("user", content);
    }

    /// Ends the conversation. A model message at the end must not end in white space, and there
    /// must be at least one message.
    fn end_conversation(&mut self) {
        let Some(last) = self.conversation.messages.last_mut() else {
            self.conversation.ends_open = true;
            return self.push_blocks("user", vec![MessageBlock::text_block(FIRST)]);
        };
        if last.role != "assistant" {
            return;
        }
        self.conversation.ends_open = true;
        if let Some(MessageBlock {
            kind: BlockKind::Known(BlockContent::Text { text, .. }), ..
        }) = last.content.last_mut()
        {
            *text = match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim_end()),
                Cow::Owned(text) => Cow::Owned(text.trim_end().to_owned()),
            };
        }
    }

    fn model_blocks(&mut self, message: &'a Message) -> Vec<MessageBlock<'a>> {
        let mut content = Vec::with_capacity(message.content.len());
        for part in &message.content {
            let kind = match part {
                Part::Text { text, metadata, .. } => text_block(text, metadata.get(CITATIONS)),
                // The API would reject a thought that is unsigned or that another provider signed.
                Part::Reasoning { reasoning, .. } => find_signature(part, NAME)
                    .and_then(Value::as_str)
                    .map(|signature| BlockContent::Thinking { thinking: reasoning, signature }),
                Part::ToolRequest { tool_request, .. } if !tool_request.partial => {
                    Some(self.call(tool_request, part.metadata().get(CALLER)))
                }
                Part::Data { data, .. } => data_block(data),
                Part::Custom { custom, .. } => {
                    let accepts = |block: &MessageBlock<'_>| match &block.kind {
                        BlockKind::Given(block) => self.search.accepts_block(block),
                        BlockKind::Known(_) => true,
                    };
                    content.extend(raw_block(custom).filter(accepts));
                    None
                }
                // Images that another model created.
                Part::Media { .. } => {
                    let remedy = "send the media in a user message";
                    warn_omitted(NAME, "messages of the model", "media", remedy);
                    None
                }
                _ => None,
            };
            content.extend(kind.map(|kind| marked_block(kind, part)));
        }
        content
    }

    fn call(&mut self, call: &'a ToolRequest, caller: Option<&'a Value>) -> BlockContent<'a> {
        let input = ArgumentsObject::from_input(&call.input);
        let (id, name) = (self.ids.id_for_call(call), self.names.sent_name(&call.name));
        BlockContent::ToolUse { id, name, input, caller }
    }

    fn write_user_part(&mut self, part: &'a Part) -> Result<(), &'static str> {
        let Part::ToolResponse { tool_response, .. } = part else {
            self.said.extend(user_block(part)?);
            return Ok(());
        };
        let content = result_content(tool_response)?;
        let is_error = tool_response.error().is_some();
        match self.ids.id_for_result(tool_response) {
            Some(id) => {
                let block = BlockContent::ToolResult { tool_use_id: id, content, is_error };
                self.results.push(marked_block(block, part));
            }
            // The call is no longer in the history.
            None => {
                let name = &tool_response.name;
                self.said.push(MessageBlock::text_block(format!("The tool `{name}` answered:")));
                match content {
                    Some(ResultContent::Text(text)) if !text.trim().is_empty() => {
                        self.said.push(MessageBlock::text_block(text));
                    }
                    Some(ResultContent::List(mut list)) => self.said.append(&mut list),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Adds the breakpoint to the last block that can have one.
fn set_breakpoint<'a: 'b, 'b>(
    mark: Option<&'a Value>,
    blocks: impl DoubleEndedIterator<Item = &'b mut MessageBlock<'a>>,
) {
    let last = blocks.rev().find(|block| block.can_be_marked());
    if let (Some(mark), Some(block)) = (mark, last) {
        block.cache = Some(mark);
    }
}

fn is_call(block: &MessageBlock<'_>) -> bool {
    matches!(block.kind, BlockKind::Known(BlockContent::ToolUse { .. }))
}

/// Creates a block with the cache breakpoint of its part.
fn marked_block<'a>(block: BlockContent<'a>, part: &'a Part) -> MessageBlock<'a> {
    let mut block = MessageBlock::new(block);
    block.cache = cache_breakpoint(part.metadata()).filter(|_| block.can_be_marked());
    block
}

fn text_block<'a>(text: &'a str, citations: Option<&'a Value>) -> Option<BlockContent<'a>> {
    // The API rejects text that is only white space.
    (!text.trim().is_empty()).then_some(BlockContent::Text { text: text.into(), citations })
}

fn data_block(data: &Value) -> Option<BlockContent<'_>> {
    let text = || BlockContent::Text { text: data.to_string().into(), citations: None };
    (!data.is_null()).then(text)
}

/// Returns an Anthropic-specific block unchanged, or `None` if the custom part belongs to another
/// provider.
fn raw_block(custom: &Map<String, Value>) -> Option<MessageBlock<'_>> {
    if let Some(data) = custom.get(REDACTED).filter(|data| data.is_string()) {
        return Some(MessageBlock::new(BlockContent::RedactedThinking { data }));
    }
    let given = custom.get(BLOCK)?.as_object()?;
    Some(MessageBlock { kind: BlockKind::Given(given), cache: None })
}

fn system_block(part: &Part) -> Result<Option<MessageBlock<'_>>, &'static str> {
    let block = match part {
        Part::Text { text, .. } => text_block(text, None),
        Part::Data { data, .. } => data_block(data),
        Part::Resource { resource, .. } => match (&resource.text, &resource.blob) {
            (Some(text), _) => text_block(text, None),
            (None, Some(_)) => return Err(ONLY_TEXT),
            (None, None) => text_block(&resource.uri, None),
        },
        Part::Media { .. } => return Err(ONLY_TEXT),
        _ => None,
    };
    Ok(block.map(|block| marked_block(block, part)))
}

/// Converts a part of a user message or of a tool result.
fn user_block(part: &Part) -> Result<Option<MessageBlock<'_>>, &'static str> {
    let block = match part {
        Part::Text { text, .. } => text_block(text, None),
        Part::Data { data, .. } => data_block(data),
        Part::Media { media, metadata, .. } => Some(media::media_block(media, metadata)?),
        Part::Resource { resource, metadata, .. } => {
            Some(media::resource_block(resource, metadata)?).filter(
                |block| !matches!(block, BlockContent::Text { text, .. } if text.trim().is_empty()),
            )
        }
        // For example, a container upload.
        Part::Custom { custom, .. } => return Ok(raw_block(custom)),
        _ => None,
    };
    Ok(block.map(|block| marked_block(block, part)))
}

fn result_content(answer: &ToolResponse) -> Result<Option<ResultContent<'_>>, &'static str> {
    let text = match &answer.output {
        output if answer.error().is_some() => output.get("error").and_then(Value::as_str),
        Value::String(text) => Some(text.as_str()),
        _ => None,
    };
    let text: Option<Cow<'_, str>> = match (text, &answer.output) {
        (Some(text), _) => Some(text.into()),
        (None, Value::Null) => None,
        (None, output) => Some(output.to_string().into()),
    };
    if answer.content.is_empty() {
        return Ok(text.map(ResultContent::Text));
    }
    let text = text.filter(|text| !text.trim().is_empty());
    let mut list: Vec<_> = text.map(MessageBlock::text_block).into_iter().collect();
    for part in &answer.content {
        list.extend(user_block(part)?);
    }
    Ok(Some(ResultContent::List(list)))
}
