//! The conversation as chat completions has it.

use std::borrow::Cow;

use serde_json::Value;

use super::parts::{Content, Piece, piece};
use super::refs::Refs;
use super::servers::{Deviations, ReasoningBack};
use super::turn::{Call, Extra, Function, Signature, Turn};
use super::{EXTRA_CONTENT, Family, REASONING_DETAILS, SIGNATURE};
use crate::error::Result;
use crate::message::{Message, Part, Role, ToolRequest, ToolResponse};
use crate::model::{ModelRequest, Names, documents};

/// What shapes the messages of one request.
pub(super) struct Shape<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) deviations: &'a Deviations,
    pub(super) family: Family,
    /// How closely images are looked at, where they do not say so themselves.
    pub(super) detail: Option<&'a str>,
}

/// The messages of `request`.
pub(super) fn turns<'a>(request: &'a ModelRequest, shape: &'a Shape<'a>) -> Result<Vec<Turn<'a>>> {
    let mut turns = Turns {
        shape,
        reasoning: shape.reasoning_back(),
        thinks: request.messages.iter().flat_map(|message| &message.content).any(is_reasoning),
        refs: Refs::default(),
        made: Vec::with_capacity(request.messages.len() + 1),
        shown: Vec::new(),
    };
    let mut context = documents::as_text(&request.docs);
    let last_user = request.messages.iter().rposition(|message| message.role == Role::User);
    for (at, message) in request.messages.iter().enumerate() {
        if message.role != Role::Tool {
            turns.show();
        }
        match message.role {
            Role::System => turns.system(message),
            Role::User => {
                let context = if last_user == Some(at) { context.take() } else { None };
                turns.user(message, context)?;
            }
            Role::Model => turns.model(message),
            Role::Tool => turns.answers(message)?,
        }
    }
    turns.show();
    Ok(turns.made)
}

struct Turns<'a> {
    shape: &'a Shape<'a>,
    reasoning: ReasoningBack,
    /// Whether there are thoughts in the history at all.
    thinks: bool,
    refs: Refs<'a>,
    made: Vec<Turn<'a>>,
    /// What tools showed: only a user message can hold it, after the last answer.
    shown: Vec<Piece<'a>>,
}

impl<'a> Turns<'a> {
    fn system(&mut self, message: &'a Message) {
        let developer = self.shape.deviations.developer && self.shape.family.reasons;
        let role = if developer { "developer" } else { "system" };
        self.made.push(Turn::new(role, Some(Content::Text(text(message)))));
    }

    fn user(&mut self, message: &'a Message, context: Option<String>) -> Result<()> {
        let mut pieces = Vec::with_capacity(message.content.len() + 1);
        for part in &message.content {
            match part {
                Part::ToolResponse { tool_response, .. } => self.answer(tool_response)?,
                _ => pieces.extend(piece(part, self.shape.detail)?),
            }
        }
        pieces.extend(context.map(|text| Piece::Text { text: Cow::Owned(text) }));
        self.made.push(Turn::new("user", Some(Content::of(pieces))));
        Ok(())
    }

    fn answers(&mut self, message: &'a Message) -> Result<()> {
        for part in &message.content {
            match part {
                Part::ToolResponse { tool_response, .. } => self.answer(tool_response)?,
                _ => self.shown.extend(piece(part, self.shape.detail)?),
            }
        }
        Ok(())
    }

    fn answer(&mut self, answer: &'a ToolResponse) -> Result<()> {
        let id = self.refs.of_answer(answer, self.shape.deviations.tool_ids);
        let mut said = match &answer.output {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            Value::Null if !answer.content.is_empty() => Cow::Borrowed(""),
            output => Cow::Owned(output.to_string()),
        };
        let mut shown = Vec::new();
        for part in &answer.content {
            match piece(part, self.shape.detail)? {
                Some(Piece::Text { text }) if said.is_empty() => said = text,
                Some(Piece::Text { text }) => {
                    let said = said.to_mut();
                    said.push('\n');
                    said.push_str(&text);
                }
                other => shown.extend(other),
            }
        }
        if !shown.is_empty() {
            let text = Cow::Owned(format!("The tool `{}` ({id}) shows:", answer.name));
            self.shown.push(Piece::Text { text });
            self.shown.append(&mut shown);
        }
        let mut turn = Turn::new("tool", Some(Content::Text(said)));
        turn.tool_call_id = Some(id);
        self.made.push(turn);
        Ok(())
    }

    /// Ends a round of answers.
    fn show(&mut self) {
        if !self.shown.is_empty() {
            let shown = std::mem::take(&mut self.shown);
            self.made.push(Turn::new("user", Some(Content::of(shown))));
        }
    }

    fn model(&mut self, message: &'a Message) {
        let mut calls = Vec::new();
        let mut extra = None;
        for part in &message.content {
            match part {
                Part::ToolRequest { tool_request, .. } if tool_request.partial => {}
                Part::ToolRequest { tool_request, .. } => calls.push(self.call(part, tool_request)),
                Part::Text { .. } => extra = extra.or_else(|| self.shape.extra(part)),
                _ => {}
            }
        }
        let text = text(message);
        if text.is_empty() && calls.is_empty() {
            return; // several servers refuse an assistant who says nothing
        }
        let content = if text.is_empty() { None } else { Some(Content::Text(text)) };
        let mut turn = Turn::new("assistant", content);
        self.think(message, !calls.is_empty(), &mut turn);
        turn.extra_content = extra;
        turn.tool_calls = calls;
        self.made.push(turn);
    }

    fn call(&mut self, part: &'a Part, call: &'a ToolRequest) -> Call<'a> {
        Call {
            id: self.refs.of_call(call, self.shape.deviations.tool_ids),
            r#type: "function",
            function: Function { name: self.shape.names.sent(&call.name), arguments: &call.input },
            extra_content: self.shape.extra(part),
        }
    }

    fn think(&self, message: &'a Message, calls: bool, turn: &mut Turn<'a>) {
        let text = || joined(message.content.iter().filter_map(as_reasoning));
        match self.reasoning {
            ReasoningBack::No => {}
            // DeepSeek refuses a call without thoughts in a conversation that has some.
            ReasoningBack::Content if calls && self.thinks => turn.reasoning_content = Some(text()),
            ReasoningBack::Content => {
                turn.reasoning_content = Some(text()).filter(|text| !text.is_empty());
            }
            ReasoningBack::Details => {
                let details = |part: &'a Part| part.metadata().get(REASONING_DETAILS);
                turn.reasoning_details = message.content.iter().find_map(details);
                if turn.reasoning_details.is_none() {
                    turn.reasoning = Some(text()).filter(|text| !text.is_empty());
                }
            }
        }
    }
}

impl Shape<'_> {
    fn reasoning_back(&self) -> ReasoningBack {
        let Deviations { reasoning, extra_fields, .. } = self.deviations;
        match reasoning {
            // Wherever a DeepSeek model is served.
            ReasoningBack::No if self.family.deepseek && *extra_fields => ReasoningBack::Content,
            reasoning => *reasoning,
        }
    }

    fn extra<'b>(&self, part: &'b Part) -> Option<Extra<'b>> {
        if !self.deviations.extra_fields {
            return None;
        }
        let metadata = part.metadata();
        if let Some(extra) = metadata.get(EXTRA_CONTENT) {
            return Some(Extra::Given(extra));
        }
        let signature = metadata.get(SIGNATURE)?.as_str()?;
        let google = Signature { thought_signature: signature };
        self.family.gemini.then_some(Extra::Signature { google })
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

/// The text of a message; data is JSON.
fn text(message: &Message) -> Cow<'_, str> {
    joined(message.content.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(Cow::Borrowed(text.as_str())),
        Part::Data { data, .. } if !data.is_null() => Some(Cow::Owned(data.to_string())),
        _ => None,
    }))
}

/// One text of several; the usual one is lent.
fn joined<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> Cow<'a, str> {
    let mut all = Cow::Borrowed("");
    for text in texts.filter(|text| !text.is_empty()) {
        if all.is_empty() { all = text } else { all.to_mut().push_str(&text) }
    }
    all
}
