//! Cache marks: no more of them than the API takes.

use serde_json::Value;

use super::tools::ClaudeTool;
use super::turns::Conversation;
use crate::NAME;
use genkit_model::internal::left_out;

/// How many cache marks a request may have.
const MAX_MARKS: usize = 4;

/// Leaves out the marks that are too many. What is later keeps more of the prompt, and tools and system stand before
/// all else: so the first of the conversation go first, then those of the tools.
pub(super) fn limit<'a>(
    model: &str,
    tools: &mut [ClaudeTool<'a>],
    conversation: &mut Conversation<'a>,
    is_automatic: bool,
) {
    let given = tools.iter().filter(|tool| is_marked(tool)).count() + usize::from(is_automatic);
    let said = conversation.messages.iter_mut().flat_map(|message| &mut message.content);
    let marks = said.map(|block| &mut block.cache);
    let marks = marks.chain(tools.iter_mut().filter_map(own_mark));
    let marks = marks.chain(conversation.system.iter_mut().map(|block| &mut block.cache));
    let mut marks: Vec<&mut Option<&'a Value>> = marks.filter(|mark| mark.is_some()).collect();
    let room = MAX_MARKS.saturating_sub(given);
    let too_many = marks.len().saturating_sub(room);
    if too_many > 0 {
        left_out(NAME, model, "cache_control", "a request takes 4 marks: set fewer of them");
    }
    for mark in &mut marks[..too_many] {
        **mark = None;
    }
}

fn own_mark<'b, 'a>(tool: &'b mut ClaudeTool<'a>) -> Option<&'b mut Option<&'a Value>> {
    match tool {
        ClaudeTool::Own(own) => Some(&mut own.cache),
        ClaudeTool::Given(_) => None,
    }
}

/// Whether a tool of Anthropic's has a mark in the settings.
fn is_marked(tool: &ClaudeTool<'_>) -> bool {
    matches!(tool, ClaudeTool::Given(given) if given.get("cache_control").is_some())
}
