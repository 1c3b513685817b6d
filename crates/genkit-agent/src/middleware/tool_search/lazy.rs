//! Lazy tools: a run that has some searches them, unless the provider of its model does.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{SEARCH, ToolSearch, is_chosen, opened_names, tool_search};
use crate::middleware::chain::impl_model_middleware;
use crate::middleware::{NextModel, NextTool, ToolCall, ToolOutcome};
use crate::tools::{Toolbox, tool_definition};
use genkit_core::{BoxFuture, ModelRequest, ModelResponse, Result, Tool, ToolDefinition};
use genkit_model::{ChunkSink, ModelInfo};

/// Middleware of every run that has lazy tools or may get some, the innermost one, so that it is around the model that is
/// called. A provider with its own search receives the definitions with their marks; for other models, the tools are
/// found with `search_tools`.
pub(crate) struct LazyTools {
    search: ToolSearch,
    is_logged: AtomicBool,
}

impl LazyTools {
    /// Returns the middleware for a run with these tools; `None` if it is not needed, or if other middleware of the run
    /// searches tools.
    pub(crate) fn for_run(tools: &Toolbox) -> Option<Self> {
        let may_get_some = || tools.is_live() && !tools.has_tool(SEARCH);
        let is_needed = (tools.has_lazy() || may_get_some()) && !tools.is_fixed(SEARCH);
        is_needed.then(|| Self { search: search(), is_logged: AtomicBool::new(false) })
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
        if !searches(&info) && !self.is_logged.swap(true, Ordering::AcqRel) {
            let model = next.model_name();
            tracing::info!(model, lazy, "the model finds lazy tools with `{SEARCH}`");
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
    /// Returns the tools that a model with these capabilities is offered, unless they are those of the request.
    fn offer_lazy_tools(
        &self,
        request: &ModelRequest,
        info: &ModelInfo,
    ) -> Option<Vec<ToolDefinition>> {
        if searches(info) {
            return complete_opened_tools(request);
        }
        let search = std::iter::once(tool_definition(&self.tool));
        let all: Vec<ToolDefinition> = search.chain(request.tools.iter().cloned()).collect();
        Some(self.offered_tools(&all, request))
    }
}

/// Returns the request that is sent to a model with these capabilities if its run has lazy tools.
pub(crate) fn show_lazy_tools(mut request: ModelRequest, info: &ModelInfo) -> ModelRequest {
    if request.tools.iter().any(|tool| tool.lazy)
        && let Some(tools) = search().offer_lazy_tools(&request, info)
    {
        request.tools = tools;
    }
    request
}

/// Returns the search of lazy tools. All other tools are always offered.
fn search() -> ToolSearch {
    ToolSearch { only_lazy: true, threshold: 0, ..tool_search() }
}

/// Returns the tools for a provider that searches the lazy ones, if some are no longer lazy, because the model found them
/// earlier with another provider, or must call one.
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

fn searches(info: &ModelInfo) -> bool {
    info.supports.as_ref().is_some_and(|supports| supports.tool_search)
}
