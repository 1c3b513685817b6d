//! Rules for `#[prompt]` only: a chosen tool must be offered.

use crate::error::Errors;
use crate::parse::{Options, Setting, ToolChoice, ToolSource, format_path};

/// Rejects a tool choice that names a function the prompt does not offer.
pub(super) fn check_tool_choice(options: &Options, errors: &mut Errors) {
    let Some(Setting::ToolChoice(ToolChoice::Function(chosen))) = options.setting("tool_choice")
    else {
        return;
    };
    let offered = match options.setting("tools") {
        Some(Setting::Tools(tools)) => &tools[..],
        _ => &[],
    };
    let is_chosen = |tool: &ToolSource| matches!(tool, ToolSource::Function(path) if format_path(path) == format_path(chosen));
    if !offered.iter().any(is_chosen) {
        let what = "the chosen tool is not among the `tools` of the prompt";
        errors.add_at(chosen, what, "add it to `tools = [..]` with the same path");
    }
}
