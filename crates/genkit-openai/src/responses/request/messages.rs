//! The conversation in the format of the Responses API: instructions and a list of items.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::item::{
    CallItem, InputItem, InputPart, ItemContent, MessageItem, OutputItem, convert_content,
    input_part,
};
use super::reasoning::{ReasoningReturn, item_id};
use super::tool_search::ToolSearch;
use crate::responses::metadata::{ITEM, ITEM_ID, PHASE};
use crate::wire::request::messages::{message_text, tool_output};
use crate::wire::request::tools::ToolCallIds;
use crate::wire::servers::ToolIds;
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::names::Names;
use genkit_core::{Message, Part, Role, ToolResponse};
use genkit_model::internal::documents;

/// The inputs that affect the encoding of a request.
pub(super) struct InputContext<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) search: &'a ToolSearch<'a>,
    pub(super) reasoning: ReasoningReturn<'a>,
    /// Whether the request continues a conversation that the server stores. The calls of its tool
    /// responses may then be missing from the request.
    pub(super) continues: bool,
    /// The level of detail of images whose metadata does not specify one.
    pub(super) detail: Option<&'a str>,
}

/// The instructions and the conversation.
pub(super) struct ConversationInput<'a> {
    pub(super) instructions: Option<Cow<'a, str>>,
    pub(super) items: Vec<InputItem<'a>>,
    /// The number of items that are cached.
    pub(super) known: usize,
    /// Whether the items cannot be reused as the start of a longer conversation.
    pub(super) is_open: bool,
}

/// An item, with the index of its message.
type IndexedItem<'a> = (usize, InputItem<'a>);

/// Encodes the input of `request`. The messages before `from` are cached.
pub(super) fn encode_input<'a>(
    request: &'a ModelRequest,
    context: &'a InputContext<'a>,
    from: usize,
) -> Result<ConversationInput<'a>> {
    let mut writer = InputWriter {
        context,
        ids: ToolCallIds::default(),
        at: 0,
        items: Vec::with_capacity(request.messages.len() + 1),
        shown: Vec::new(),
    };
    let mut instructions: Option<Cow<'a, str>> = None;
    let (asked, mut documents) = documents::missing_documents(request).unzip();
    let asked = asked.flatten();
    let mut known = 0;
    for (at, message) in request.messages.iter().enumerate() {
        writer.at = at;
        if asked.is_none() && message.role != Role::System {
            writer.write_message("user", documents.take().map(text_content));
        }
        if message.role != Role::Tool {
            writer.end_round();
        }
        if at == from {
            known = writer.items.len();
        }
        match message.role {
            Role::System if writer.items.is_empty() => {
                join_instructions(&mut instructions, message_text(message))
            }
            Role::System => {
                writer.write_message("developer", Some(ItemContent::Text(message_text(message))));
            }
            Role::User => {
                let documents = if asked == Some(at) { documents.take() } else { None };
                writer.write_user(message, documents)?;
            }
            Role::Model => writer.write_model(message),
            // `Role::Tool`
            _ => writer.write_tool(message)?,
        }
    }
    writer.end_round();
    writer.write_message("user", documents.map(text_content));
    if from > 0 && from == request.messages.len() {
        known = writer.items.len();
    }
    let is_empty = writer.items.is_empty();
    if is_empty {
        // The API requires at least one item.
        let alone = instructions.take().map(ItemContent::Text);
        writer.write_message("developer", alone);
    }
    let PairedItems { items, known, is_whole } = pair_items(writer.items, known, context.continues);
    Ok(ConversationInput { instructions, items, known, is_open: is_empty || !is_whole })
}

fn text_content<'a>(text: String) -> ItemContent<'a> {
    ItemContent::Parts(vec![InputPart::InputText { text: Cow::Owned(text) }])
}

/// Appends a system message to the instructions.
fn join_instructions<'a>(instructions: &mut Option<Cow<'a, str>>, more: Cow<'a, str>) {
    match instructions {
        _ if more.is_empty() => {}
        None => *instructions = Some(more),
        Some(all) => {
            let all = all.to_mut();
            all.push_str("\n\n");
            all.push_str(&more);
        }
    }
}

struct InputWriter<'a> {
    context: &'a InputContext<'a>,
    ids: ToolCallIds<'a>,
    /// The index of the message that is being written.
    at: usize,
    items: Vec<IndexedItem<'a>>,
    /// Content of tool responses that must be sent in a user message after the last response.
    shown: Vec<InputPart<'a>>,
}

impl<'a> InputWriter<'a> {
    fn push_item(&mut self, item: InputItem<'a>) {
        self.items.push((self.at, item));
    }

    fn write_message(&mut self, role: &'static str, content: Option<ItemContent<'a>>) {
        if let Some(content) = content {
            let (r#type, id, phase, status) = (None, None, None, None);
            self.push_item(InputItem::Message(MessageItem {
                r#type,
                id,
                role,
                content,
                phase,
                status,
            }));
        }
    }

    fn user_parts(&mut self, parts: Vec<InputPart<'a>>) {
        self.write_message("user", (!parts.is_empty()).then_some(ItemContent::Parts(parts)));
    }

    fn end_round(&mut self) {
        let shown = std::mem::take(&mut self.shown);
        self.user_parts(shown);
    }

    fn write_user(&mut self, message: &'a Message, documents: Option<String>) -> Result<()> {
        let mut parts = Vec::with_capacity(message.content.len() + 1);
        for part in &message.content {
            match part {
                Part::ToolResponse { tool_response, .. } => self.write_output(tool_response)?,
                Part::Custom { custom, .. } => {
                    self.user_parts(std::mem::take(&mut parts));
                    self.write_kept(custom);
                }
                _ => parts.extend(input_part(part, self.context.detail)?),
            }
        }
        parts.extend(documents.map(|text| InputPart::InputText { text: Cow::Owned(text) }));
        self.user_parts(parts);
        Ok(())
    }

    fn write_tool(&mut self, message: &'a Message) -> Result<()> {
        for part in &message.content {
            match part {
                Part::ToolResponse { tool_response, .. } => self.write_output(tool_response)?,
                Part::Custom { custom, .. } => self.write_kept(custom),
                _ => self.shown.extend(input_part(part, self.context.detail)?),
            }
        }
        Ok(())
    }

    fn write_output(&mut self, answer: &'a ToolResponse) -> Result<()> {
        let call_id = self.ids.of_answer(answer, ToolIds::SixtyFour);
        let (text, more) = tool_output(answer, self.context.detail)?;
        let output = if more.is_empty() {
            ItemContent::Text(text)
        } else {
            let text = (!text.is_empty()).then_some(InputPart::InputText { text });
            ItemContent::Parts(
                text.into_iter()
                    .map(Ok)
                    .chain(more.into_iter().map(convert_content))
                    .collect::<Result<_>>()?,
            )
        };
        self.push_item(InputItem::Output(OutputItem {
            r#type: "function_call_output",
            call_id,
            output,
        }));
        Ok(())
    }

    fn write_kept(&mut self, custom: &'a Map<String, Value>) {
        let item = custom.get(ITEM).and_then(Value::as_object);
        if let Some(item) = item.filter(|item| {
            self.context.reasoning.accepts_item(item) && self.context.search.accepts_item(item)
        }) {
            self.push_item(InputItem::Kept(item));
        }
    }

    fn write_model(&mut self, message: &'a Message) {
        let has_ids = self.has_ids(message);
        for part in &message.content {
            let metadata = part.metadata();
            let id = if has_ids { item_id(metadata, ITEM_ID) } else { None };
            match part {
                Part::Text { text, .. } => {
                    let phase = metadata.get(PHASE).and_then(Value::as_str);
                    self.write_text(Cow::Borrowed(text), id, phase);
                }
                Part::Data { data, .. } if !data.is_null() => {
                    self.write_text(Cow::Owned(data.to_string()), None, None);
                }
                Part::Reasoning { .. } => {
                    if let Some(item) = self.context.reasoning.reasoning_item(part) {
                        self.push_item(InputItem::Reasoning(item));
                    }
                }
                Part::ToolRequest { tool_request, .. } if !tool_request.partial => {
                    let call_id = self.ids.take_call_id(tool_request, ToolIds::SixtyFour);
                    let name = self.context.names.sent_name(&tool_request.name);
                    let namespace = self.context.search.call_namespace(part, &name);
                    self.push_item(InputItem::Call(CallItem {
                        r#type: "function_call",
                        id,
                        call_id,
                        name,
                        namespace,
                        arguments: &tool_request.input,
                    }));
                }
                Part::Custom { custom, .. } => self.write_kept(custom),
                _ => {}
            }
        }
    }

    /// Returns whether the items of a message are sent with their ids. The API rejects an item with
    /// an id if its reasoning item is missing or has no id.
    fn has_ids(&self, message: &'a Message) -> bool {
        let back = self.context.reasoning;
        let mut sent = false;
        for part in &message.content {
            match part {
                Part::Reasoning { .. } => match back.reasoning_item(part) {
                    Some(item) if item.id.is_some() => sent = true,
                    _ => return false,
                },
                Part::Custom { custom, .. } => {
                    let item = custom.get(ITEM).and_then(Value::as_object);
                    let is_reasoning = |item: &&Map<String, Value>| {
                        item.get("type").is_some_and(|kind| kind == "reasoning")
                    };
                    if let Some(item) = item.filter(is_reasoning) {
                        if !back.accepts_item(item) {
                            return false;
                        }
                        sent = true;
                    }
                }
                _ => {}
            }
        }
        sent
    }

    /// Adds text of the model. Adjacent text parts without ids become one message.
    fn write_text(&mut self, text: Cow<'a, str>, id: Option<&'a str>, phase: Option<&'a str>) {
        if text.is_empty() {
            return;
        }
        if let Some((at, InputItem::Message(last))) = self.items.last_mut()
            && *at == self.at
            && last.role == "assistant"
            && id.is_none()
            && last.id.is_none()
            && last.phase == phase
            && let ItemContent::Text(known) = &mut last.content
        {
            return known.to_mut().push_str(&text);
        }
        let item = match id {
            Some(_) => MessageItem {
                r#type: Some("message"),
                id,
                role: "assistant",
                content: ItemContent::Parts(vec![InputPart::OutputText { text, annotations: [] }]),
                phase,
                status: Some("completed"),
            },
            None => MessageItem {
                r#type: None,
                id,
                role: "assistant",
                content: ItemContent::Text(text),
                phase,
                status: None,
            },
        };
        self.push_item(InputItem::Message(item));
    }
}

struct PairedItems<'a> {
    items: Vec<InputItem<'a>>,
    /// The number of items that are cached.
    known: usize,
    /// Whether every call has a response.
    is_whole: bool,
}

/// Returns the items that the API accepts: a call only together with its response, and reasoning
/// only together with the item that follows it. The first `known` items are cached.
fn pair_items(items: Vec<IndexedItem<'_>>, known: usize, continues: bool) -> PairedItems<'_> {
    let mut open = HashMap::new();
    let mut is_paired = vec![true; items.len()];
    for (index, (_, item)) in items.iter().enumerate() {
        match item {
            InputItem::Call(call) => {
                is_paired[index] = false;
                open.insert(call.call_id.as_ref(), index);
            }
            InputItem::Output(output) => match open.remove(output.call_id.as_ref()) {
                Some(call) => is_paired[call] = true,
                None => is_paired[index] = continues,
            },
            _ => {}
        }
    }
    let is_whole = open.is_empty();
    drop(open);
    let mut kept = Vec::with_capacity(items.len());
    let mut followed = None;
    let mut known_and_kept = 0;
    for (index, ((at, item), is_paired)) in items.into_iter().zip(is_paired).enumerate().rev() {
        let is_taken = match &item {
            InputItem::Reasoning(_) => followed == Some(at),
            InputItem::Kept(kept) if kept.get("type").is_some_and(|kind| kind == "reasoning") => {
                followed == Some(at)
            }
            _ => is_paired,
        };
        if is_taken {
            followed = Some(at);
            known_and_kept += usize::from(index < known);
            kept.push(item);
        }
    }
    kept.reverse();
    PairedItems { items: kept, known: known_and_kept, is_whole }
}
