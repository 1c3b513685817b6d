//! Lazy tools: a run that has some searches them, unless the provider of its model does.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{SEARCH, ToolSearch, is_chosen, opened_names, tool_search};
use crate::middleware::chain::impl_model_middleware;
use crate::middleware::{NextModel, NextTool, ToolCall, ToolOutcome};
use crate::tools::Toolbox;
use genkit_core::{BoxFuture, ModelRequest, ModelResponse, Result, Tool, ToolDefinition};
use genkit_model::{ChunkSink, ModelInfo};

/// Middleware of every run with lazy tools, the innermost one, so that it is around the model that is called. A provider
/// with its own search receives the definitions with their marks; for other models, the tools are found with
/// `search_tools`.
pub(crate) struct LazyTools {
    search: ToolSearch,
    is_logged: AtomicBool,
}

impl LazyTools {
    /// Returns the middleware for a run with these tools; `None` if no tool is lazy, or if other middleware of the run
    /// searches tools.
    pub(crate) fn for_run(tools: &Toolbox) -> Option<Self> {
        let is_needed = tools.has_lazy() && !tools.is_fixed(SEARCH);
        is_needed.then(|| Self { search: search(), is_logged: AtomicBool::new(false) })
    }

    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let info = next.model_info();
        if !searches(&info) && !self.is_logged.swap(true, Ordering::AcqRel) {
            let lazy = request.tools.iter().filter(|tool| tool.lazy).count();
            let model = next.model_name();
            tracing::info!(model, lazy, "the model finds lazy tools with `{SEARCH}`");
        }
        next.run(&self.search.with_lazy_tools(request, &info), chunks).await
    }
}

impl_model_middleware!(LazyTools, {
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        self.search.tool(call, next)
    }

    fn tools(&self) -> Vec<Tool> {
        self.search.tools()
    }
});

impl ToolSearch {
    /// Returns `request` with the tools that a model with these capabilities is offered.
    fn with_lazy_tools(&self, request: &ModelRequest, info: &ModelInfo) -> ModelRequest {
        let mut request = request.clone();
        request.tools = match searches(info) {
            true => mark_tools(&request),
            false => self.offered_tools(&request.tools, &request),
        };
        request
    }
}

/// Returns the request that is sent to a model with these capabilities if its run has lazy tools.
pub(crate) fn show_lazy_tools(request: ModelRequest, info: &ModelInfo) -> ModelRequest {
    match request.tools.iter().any(|tool| tool.lazy) {
        true => search().with_lazy_tools(&request, info),
        false => request,
    }
}

/// Returns the search of lazy tools. All other tools are always offered.
fn search() -> ToolSearch {
    ToolSearch { only_lazy: true, threshold: 0, ..tool_search() }
}

/// Returns the tools for a provider that searches the lazy ones. Tools that the model opened before, with another
/// provider, are no longer lazy.
fn mark_tools(request: &ModelRequest) -> Vec<ToolDefinition> {
    let opened = opened_names(&request.messages, false);
    let is_open = |tool: &ToolDefinition| {
        is_chosen(request, &tool.name) || opened.contains(&tool.name.as_str())
    };
    let tools = request.tools.iter().filter(|tool| tool.name != SEARCH).cloned();
    tools
        .map(|tool| match is_open(&tool) {
            true => tool.with_lazy(false),
            false => tool,
        })
        .collect()
}

fn searches(info: &ModelInfo) -> bool {
    info.supports.as_ref().is_some_and(|supports| supports.tool_search)
}
