//! Lazy tools, for providers that search tools.

use std::collections::HashSet;

use genkit_core::{ModelRequest, Part, ToolChoice};

/// Returns the names of the tools whose definitions the provider loads only after its search has found them.
///
/// A lazy tool is not deferred if the request forces a call to it, or if the history contains a call to it for which
/// `is_loaded` returns `false`: another provider found the tool, or the search result is no longer in the history.
pub fn deferred_tools(
    request: &ModelRequest,
    is_loaded: impl Fn(&str, &Part) -> bool,
) -> HashSet<&str> {
    let lazy = request.tools.iter().filter(|tool| tool.lazy).map(|tool| tool.name.as_str());
    let mut deferred: HashSet<&str> = lazy.collect();
    if deferred.is_empty() {
        return deferred;
    }
    if let Some(ToolChoice::Tool(name)) = &request.tool_choice {
        deferred.remove(name.as_str());
    }
    for part in request.messages.iter().flat_map(|message| &message.content) {
        if let Part::ToolRequest { tool_request: call, .. } = part
            && deferred.contains(call.name.as_str())
            && !is_loaded(&call.name, part)
        {
            deferred.remove(call.name.as_str());
        }
    }
    deferred
}
