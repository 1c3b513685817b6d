//! Runs a tool in its context and within its limits, without middleware.

use std::future::Future;

use serde_json::Value;

use genkit_core::Tool;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{ContextParts, Outcome, drive_function};
use genkit_core::internal::trace;
use genkit_core::internal::trace::{NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

/// A tool that runs for a client, inside all middleware.
pub(super) struct InnermostRun {
    pub(super) tool: Tool,
    pub(super) how: Strictness,
    /// Whether the client is trusted to ask its user for approval itself.
    pub(super) trusts_client: bool,
}

impl InnermostRun {
    /// Runs the tool.
    pub(super) fn start_tool(
        &self,
        mut context: ContextParts,
        input: Value,
    ) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
        let asks = self.tool.needs_approval() && !self.trusts_client;
        context.approval = asks.then(|| self.tool.approval_message(&input));
        let (context, tool, how) = (context.build(), self.tool.clone(), self.how);
        async move {
            let shown = trace::is_on().then(|| input.clone());
            let shown = || shown.clone().unwrap_or_default();
            let span = NewSpan { name: tool.name(), kind: SpanKind::Action("tool"), input: &shown };
            let work =
                drive_function(&context, tool.name(), tool.invoke_tool(&context, input, how));
            trace::traced_as(span, work, ToolOutput::outcome_end).await
        }
    }
}
