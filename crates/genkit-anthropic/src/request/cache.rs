//! The limit on cache breakpoints.

use serde_json::Value;

use super::messages::Conversation;
use super::tools::ClaudeTool;
use crate::NAME;
use genkit_model::internal::warn_omitted;

/// The maximum number of cache breakpoints in a request.
const MAX_BREAKPOINTS: usize = 4;

/// Removes breakpoints in excess of the limit. A later breakpoint caches more of the prompt, and
/// tools and system blocks come first in the prompt. Therefore the first breakpoints of the
/// conversation are removed first, then those of the tools.
pub(super) fn limit_breakpoints<'a>(
    model: &str,
    tools: &mut [ClaudeTool<'a>],
    conversation: &mut Conversation<'a>,
    is_automatic: bool,
) {
    let given =
        tools.iter().filter(|tool| has_breakpoint(tool)).count() + usize::from(is_automatic);
    let said = conversation.messages.iter_mut().flat_map(|message| &mut message.content);
    let marks = said.map(|block| &mut block.cache);
    let marks = marks.chain(tools.iter_mut().filter_map(ClaudeTool::cache_mut));
    let marks = marks.chain(conversation.system.iter_mut().map(|block| &mut block.cache));
    let mut marks: Vec<&mut Option<&'a Value>> = marks.filter(|mark| mark.is_some()).collect();
    let room = MAX_BREAKPOINTS.saturating_sub(given);
    let too_many = marks.len().saturating_sub(room);
    if too_many > 0 {
        warn_omitted(
            NAME,
            model,
            "cache_control",
            "a request can have at most 4 cache breakpoints",
        );
    }
    for mark in &mut marks[..too_many] {
        **mark = None;
    }
}

/// Returns whether a server tool in the settings has a cache breakpoint.
fn has_breakpoint(tool: &ClaudeTool<'_>) -> bool {
    matches!(tool, ClaudeTool::Given(given) if given.get("cache_control").is_some())
}
