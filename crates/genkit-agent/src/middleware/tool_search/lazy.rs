//! Lazy tools: a run with lazy tools provides `search_tools`, unless the provider of its model searches tools itself.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{SEARCH, ToolSearch, is_chosen, opened_names, tool_search};
use crate::middleware::chain::impl_model_middleware;
use crate::middleware::{NextModel, NextTool, ToolCall, ToolOutcome};
use crate::tools::{Toolbox, tool_definition};
use genkit_core::{BoxFuture, ModelRequest, ModelResponse, Result, Tool, ToolDefinition};
use genkit_model::{ChunkSink, ModelInfo};

/// The innermost middleware of every run that has or may get lazy tools, so that it wraps the model that is actually
/// called. A provider with its own tool search receives all definitions, marked as lazy; other models find the tools
/// with `search_tools`.
pub(crate) struct LazyTools {
    search: ToolSearch,
    is_logged: AtomicBool,
}

impl LazyTools {
    /// Returns the middleware for a run with these tools, or `None` if it is not needed or if other middleware of the
    /// run provides a tool search.
    pub(crate) fn for_run(tools: &Toolbox) -> Option<Self> {
        let may_get_some = || tools.is_live() && !tools.has_tool(SEARCH);
        let is_needed = (tools.has_lazy() || may_get_some()) && !tools.is_fixed(SEARCH);
        is_needed.then(|| Self { search: lazy_tool_search(), is_logged: AtomicBool::new(false) })
    }

    /// Returns the tool that finds lazy tools.
    pub(crate) fn search_tool(&self) -> Tool {
        self.search.tool.clone()
    }

    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let lazy = request.tools.iter().filter(|tool| tool.lazy).count();
        if lazy == 0 {
            return next.run(request, chunks).await;
        }
        let info = next.model_info();
        if !has_tool_search(&info) && !self.is_logged.swap(true, Ordering::AcqRel) {
            let model = next.model_name();
            tracing::info!(model, lazy, "offering `{SEARCH}` to find lazy tools");
        }
        let Some(tools) = self.search.offer_lazy_tools(request, &info) else {
            return next.run(request, chunks).await;
        };
        let mut request = request.clone();
        request.tools = tools;
        next.run(&request, chunks).await
    }
}

impl_model_middleware!(LazyTools, {
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        self.search.tool(call, next)
    }
});

impl ToolSearch {
    /// Returns the tools to offer to a model with these capabilities, or `None` to offer the tools of the request.
    fn offer_lazy_tools(
        &self,
        request: &ModelRequest,
        info: &ModelInfo,
    ) -> Option<Vec<ToolDefinition>> {
        if has_tool_search(info) {
            return complete_opened_tools(request);
        }
        let search = std::iter::once(tool_definition(&self.tool));
        let all: Vec<ToolDefinition> = search.chain(request.tools.iter().cloned()).collect();
        Some(self.offered_tools(&all, request))
    }
}

/// Returns the request with the tools that a run offers to a model with these capabilities. Only requests with lazy
/// tools change.
pub(crate) fn show_lazy_tools(mut request: ModelRequest, info: &ModelInfo) -> ModelRequest {
    if request.tools.iter().any(|tool| tool.lazy)
        && let Some(tools) = lazy_tool_search().offer_lazy_tools(&request, info)
    {
        request.tools = tools;
    }
    request
}

/// Returns a tool search that covers only lazy tools. All other tools are always offered.
fn lazy_tool_search() -> ToolSearch {
    ToolSearch { only_lazy: true, threshold: 0, ..tool_search() }
}

/// Returns the tools for a provider that searches lazy tools itself. Tools that the model opened earlier with another
/// provider, or must call, are no longer marked as lazy. Returns `None` if there are no such tools.
fn complete_opened_tools(request: &ModelRequest) -> Option<Vec<ToolDefinition>> {
    let opened = opened_names(&request.messages, false);
    let is_open = |tool: &ToolDefinition| {
        tool.lazy && (is_chosen(request, &tool.name) || opened.contains(&tool.name.as_str()))
    };
    if !request.tools.iter().any(is_open) {
        return None;
    }
    let complete = |tool: &ToolDefinition| tool.clone().with_lazy(tool.lazy && !is_open(tool));
    Some(request.tools.iter().map(complete).collect())
}

fn has_tool_search(info: &ModelInfo) -> bool {
    info.supports.as_ref().is_some_and(|supports| supports.tool_search)
}
