//! The conversation from the user's last message on.

use serde_json::Value;

use super::text::Text;
use crate::message::{Message, Part, Role, ToolRequest, ToolResponse};
use crate::model::ModelRequest;

/// What was asked last, and what came of it.
pub(super) struct Run<'r> {
    prompt: String,
    /// The calls that were made for it.
    pub(super) made: Vec<&'r ToolRequest>,
    /// The results, where the tools spoke last.
    pub(super) results: Vec<&'r ToolResponse>,
}

impl<'r> Run<'r> {
    pub(super) fn of(request: &'r ModelRequest) -> Self {
        let messages = &request.messages;
        let asked = messages.iter().rposition(|message| message.role == Role::User);
        let since = &messages[asked.map_or(0, |at| at + 1)..];
        let tools_spoke = since.last().is_some_and(|message| message.role == Role::Tool);
        let answered = if tools_spoke { since } else { &[] };
        Self {
            prompt: asked.map(|at| said(&messages[at])).unwrap_or_default(),
            made: since.iter().flat_map(Message::tool_requests).collect(),
            results: answered
                .iter()
                .filter(|message| message.role == Role::Tool)
                .flat_map(|message| &message.content)
                .filter_map(Part::as_tool_response)
                .collect(),
        }
    }

    /// The user's words, taken apart.
    pub(super) fn text(&self) -> Text<'_> {
        Text::new(&self.prompt)
    }

    /// The places of the user's words that went into calls as they are.
    pub(super) fn spent(&self) -> Vec<std::ops::Range<usize>> {
        let inputs = self.made.iter().filter_map(|call| call.input.as_object());
        let texts = inputs.flat_map(|input| input.values()).filter_map(Value::as_str);
        let place = |text: &str| self.prompt.find(text).map(|at| at..at + text.len());
        texts.filter(|text| text.len() > 1).take(MAX_SPENT).filter_map(place).collect()
    }
}

/// How many texts of calls are looked for.
const MAX_SPENT: usize = 64;

/// A message's text, without what the library added: documents and the form of the output.
fn said(message: &Message) -> String {
    let own = |part: &&Part| {
        let purpose = part.metadata().get("purpose").and_then(Value::as_str);
        !matches!(purpose, Some("context" | "output"))
    };
    let texts: Vec<&str> = message.content.iter().filter(own).filter_map(Part::as_text).collect();
    texts.join("\n")
}
