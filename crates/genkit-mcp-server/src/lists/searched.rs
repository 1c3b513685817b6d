//! The lists for clients that search lazy tools with a tool of this server.

use std::sync::Arc;

use super::{Items, Lists};
use crate::tool_search::{CALL, SEARCH, call_tool, search_tool};
use genkit_core::{Tool, ToolDefinition};

impl Lists {
    /// Returns the lists with a search tool and a call tool in place of the lazy tools, or the lists themselves if no
    /// tool is lazy.
    pub(crate) fn with_search(self: &Arc<Self>) -> Arc<Self> {
        let searched = self.searched.get_or_init(|| {
            let lazy = self.lazy_tools();
            if lazy.is_empty() {
                return None;
            }
            // If the program registers a tool named `search_tools` or `call_tool` later, it cannot be called.
            let is_listed =
                |tool: &&Tool| !is_searched(tool) && !matches!(tool.name(), SEARCH | CALL);
            let tools = self.items.tools.iter().filter(is_listed).cloned();
            let items = Items {
                tools: tools.chain([search_tool(lazy), call_tool()]).collect(),
                prompts: self.items.prompts.clone(),
                resources: self.items.resources.clone(),
                skills: self.items.skills.clone(),
            };
            let names = Arc::clone(&self.names);
            Some(Arc::new(Self::from_items(self.version, items, names, self.is_private)))
        });
        Arc::clone(searched.as_ref().unwrap_or(self))
    }

    /// Returns the definitions of the lazy tools, with their client names.
    pub(crate) fn lazy_tools(&self) -> Vec<ToolDefinition> {
        let lazy = self.items.tools.iter().filter(|tool| is_searched(tool));
        let define = |tool: &Tool| {
            let name = self.names.tools.shown_name(tool.name());
            let schema = serde_json::Value::Object((*tool.schemas().served_input()).clone());
            ToolDefinition::new(name, tool.description()).with_input_schema(schema)
        };
        lazy.map(define).collect()
    }
}

/// Returns whether models must search for the tool. The pages of MCP Apps cannot search, so their tools are always
/// listed.
fn is_searched(tool: &Tool) -> bool {
    tool.is_lazy() && !tool.is_for_apps_only()
}
