//! The conversation in the format of chat completions.

use std::borrow::Cow;
use std::hash::Hash;

use super::message_param::{ExtraContent, FunctionCallParam, MessageParam, ToolCallParam};
use crate::chat::metadata::{EXTRA_CONTENT, REASONING_DETAILS};
use crate::wire::models::ModelTraits;
use crate::wire::request::messages::{
    ContentPart, MessageContent, content_part, join_texts, message_text, tool_output,
};
use crate::wire::request::tools::ToolCallIds;
use crate::wire::servers::{Deviations, ReasoningBack};
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::model::UNANSWERED;
use genkit_core::internal::names::Names;
use genkit_core::{Message, Part, Role, ToolRequest, ToolResponse};
use genkit_model::internal::documents;
use genkit_model::internal::signature;
use genkit_model::internal::signature::{GEMINI, SKIP_VALIDATION};

/// The inputs that affect the messages of a request.
pub(super) struct MessageContext<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) deviations: &'a Deviations,
    pub(super) traits: ModelTraits,
    /// The level of detail of images whose metadata does not specify one.
    pub(super) detail: Option<&'a str>,
}

/// Returns whether the history contains thoughts.
pub(super) fn has_thoughts(request: &ModelRequest) -> bool {
    request.messages.iter().flat_map(|message| &message.content).any(is_reasoning)
}

/// Encodes the messages of `request`, starting at index `from`. Also returns whether later messages must be encoded
/// together with these messages: a call has no response yet, or ids were generated, which are numbered from the first
/// message on.
pub(super) fn encode_messages<'a>(
    request: &'a ModelRequest,
    context: &'a MessageContext<'a>,
    from: usize,
) -> Result<(Vec<MessageParam<'a>>, bool)> {
    let mut writer = MessageWriter {
        context,
        reasoning: context.reasoning_back(),
        thinks: has_thoughts(request),
        ids: ToolCallIds::default(),
        open: Vec::new(),
        messages: Vec::with_capacity(request.messages.len() - from + 1),
        shown: Vec::new(),
    };
    let (asked, mut documents) = documents::missing_documents(request).unzip();
    let asked = asked.flatten();
    for (at, message) in request.messages.iter().enumerate().skip(from) {
        // Without a user message, the documents are sent in a separate message.
        if asked.is_none() && message.role != Role::System {
            writer.write_documents(documents.take());
        }
        // A user message may also contain tool responses; the round ends after them.
        if matches!(message.role, Role::System | Role::Model) {
            writer.end_round();
        }
        match message.role {
            Role::System => writer.write_system(message),
            Role::User => {
                let documents = if asked == Some(at) { documents.take() } else { None };
                writer.write_user(message, documents)?;
            }
            Role::Model => writer.write_model(message),
            // `Role::Tool`
            _ => writer.write_tool(message)?,
        }
    }
    let is_open = !writer.open.is_empty() || writer.ids.has_generated();
    writer.end_round();
    writer.write_documents(documents);
    Ok((writer.messages, is_open))
}

struct MessageWriter<'a> {
    context: &'a MessageContext<'a>,
    reasoning: ReasoningBack,
    /// Whether the history contains thoughts.
    thinks: bool,
    ids: ToolCallIds<'a>,
    /// The ids of the calls that have no response so far.
    open: Vec<Cow<'a, str>>,
    messages: Vec<MessageParam<'a>>,
    /// Media in tool responses, which must be sent in a user message after the last response.
    shown: Vec<ContentPart<'a>>,
}

impl<'a> MessageWriter<'a> {
    fn write_system(&mut self, message: &'a Message) {
        let developer = self.context.deviations.developer && self.context.traits.reasons;
        let role = if developer { "developer" } else { "system" };
        self.messages
            .push(MessageParam::new(role, Some(MessageContent::Text(message_text(message)))));
    }

    fn write_user(&mut self, message: &'a Message, documents: Option<String>) -> Result<()> {
        let mut parts = Vec::with_capacity(message.content.len() + 1);
        let mut answers = false;
        for part in &message.content {
            match part {
                Part::ToolResponse { tool_response, .. } => {
                    self.tool_response(tool_response)?;
                    answers = true;
                }
                _ => parts.extend(content_part(part, self.context.detail)?),
            }
        }
        self.end_round();
        if answers && parts.is_empty() && documents.is_none() {
            return Ok(());
        }
        parts.extend(documents.map(|text| ContentPart::Text { text: Cow::Owned(text) }));
        self.messages.push(MessageParam::new("user", Some(MessageContent::from_parts(parts))));
        Ok(())
    }

    fn write_documents(&mut self, text: Option<String>) {
        let content = text.map(|text| MessageContent::Text(Cow::Owned(text)));
        self.messages.extend(content.map(|content| MessageParam::new("user", Some(content))));
    }

    fn write_tool(&mut self, message: &'a Message) -> Result<()> {
        for part in &message.content {
            match part {
                Part::ToolResponse { tool_response, .. } => self.tool_response(tool_response)?,
                _ => self.shown.extend(content_part(part, self.context.detail)?),
            }
        }
        Ok(())
    }

    fn tool_response(&mut self, answer: &'a ToolResponse) -> Result<()> {
        let id = self.ids.of_answer(answer, self.context.deviations.tool_ids);
        let (output, mut shown) = tool_output(answer, self.context.detail)?;
        if !shown.is_empty() {
            let text = Cow::Owned(format!("The tool `{}` ({id}) shows:", answer.name));
            self.shown.push(ContentPart::Text { text });
            self.shown.append(&mut shown);
        }
        if let Some(at) = self.open.iter().position(|open| *open == id) {
            self.open.remove(at);
        }
        self.write_answer(id, output);
        Ok(())
    }

    fn write_answer(&mut self, id: Cow<'a, str>, output: Cow<'a, str>) {
        let mut param = MessageParam::new("tool", Some(MessageContent::Text(output)));
        param.tool_call_id = Some(id);
        self.messages.push(param);
    }

    /// Ends a round of tool responses. A call without a response gets a placeholder, because
    /// otherwise the whole request is rejected.
    fn end_round(&mut self) {
        for id in std::mem::take(&mut self.open) {
            self.write_answer(id, Cow::Borrowed(UNANSWERED));
        }
        if !self.shown.is_empty() {
            let shown = std::mem::take(&mut self.shown);
            self.messages.push(MessageParam::new("user", Some(MessageContent::from_parts(shown))));
        }
    }

    fn write_model(&mut self, message: &'a Message) {
        let mut calls = Vec::new();
        let mut extra = None;
        for part in &message.content {
            match part {
                Part::ToolRequest { tool_request, .. } if tool_request.partial => {}
                Part::ToolRequest { tool_request, .. } => calls.push(self.call(part, tool_request)),
                Part::Text { .. } => extra = extra.or_else(|| self.context.extra_content(part)),
                _ => {}
            }
        }
        let text = message_text(message);
        if text.is_empty() && calls.is_empty() {
            return; // several servers reject an empty assistant message
        }
        if let Some(first) = calls.first_mut().filter(|_| self.context.checks_calls()) {
            let skip = || ExtraContent::with_signature(SKIP_VALIDATION);
            first.extra_content.get_or_insert_with(skip);
        }
        let content = if text.is_empty() { None } else { Some(MessageContent::Text(text)) };
        let mut param = MessageParam::new("assistant", content);
        self.add_reasoning(message, !calls.is_empty(), &mut param);
        param.extra_content = extra;
        self.open.extend(calls.iter().map(|call| call.id.clone()));
        param.tool_calls = calls;
        self.messages.push(param);
    }

    fn call(&mut self, part: &'a Part, call: &'a ToolRequest) -> ToolCallParam<'a> {
        ToolCallParam {
            id: self.ids.take_call_id(call, self.context.deviations.tool_ids),
            r#type: "function",
            function: FunctionCallParam {
                name: self.context.names.sent_name(&call.name),
                arguments: &call.input,
            },
            extra_content: self.context.extra_content(part),
        }
    }

    fn add_reasoning(&self, message: &'a Message, calls: bool, param: &mut MessageParam<'a>) {
        let text = || join_texts(message.content.iter().filter_map(as_reasoning));
        match self.reasoning {
            ReasoningBack::No => {}
            // DeepSeek rejects a call without thoughts in a conversation that contains thoughts.
            ReasoningBack::Content if calls && self.thinks => {
                param.reasoning_content = Some(text())
            }
            ReasoningBack::Content => {
                param.reasoning_content = Some(text()).filter(|text| !text.is_empty());
            }
            ReasoningBack::Details => {
                let details = |part: &'a Part| part.metadata().get(REASONING_DETAILS);
                param.reasoning_details = message.content.iter().find_map(details);
                if param.reasoning_details.is_none() {
                    param.reasoning = Some(text()).filter(|text| !text.is_empty());
                }
            }
        }
    }
}

impl MessageContext<'_> {
    /// Returns everything that affects the encoding of a message, except the model and the names of
    /// tools.
    pub(super) fn cache_shape(&self) -> impl Hash {
        let Deviations { developer, reasoning, tool_ids, extra_fields, .. } = self.deviations;
        (developer, reasoning, tool_ids, extra_fields, self.detail)
    }

    fn reasoning_back(&self) -> ReasoningBack {
        let Deviations { reasoning, extra_fields, .. } = self.deviations;
        match reasoning {
            // For a DeepSeek model on any server.
            ReasoningBack::No if self.traits.deepseek && *extra_fields => ReasoningBack::Content,
            reasoning => *reasoning,
        }
    }

    /// Returns whether the first call of a turn must be signed.
    fn checks_calls(&self) -> bool {
        self.traits.checks_calls && self.deviations.extra_fields
    }

    fn extra_content<'b>(&self, part: &'b Part) -> Option<ExtraContent<'b>> {
        if !self.deviations.extra_fields {
            return None;
        }
        let metadata = part.metadata();
        if let Some(extra) = metadata.get(EXTRA_CONTENT) {
            return Some(ExtraContent::Given(extra));
        }
        if !self.traits.gemini {
            return None;
        }
        let signature = signature::find_signature(part, GEMINI)?.as_str()?;
        Some(ExtraContent::with_signature(signature))
    }
}

fn is_reasoning(part: &Part) -> bool {
    matches!(part, Part::Reasoning { .. })
}

fn as_reasoning(part: &Part) -> Option<Cow<'_, str>> {
    match part {
        Part::Reasoning { reasoning, .. } => Some(Cow::Borrowed(reasoning)),
        _ => None,
    }
}
