//! Runs a tool in its context and within its limits, without middleware.

use std::future::Future;

use serde_json::Value;

use crate::settings::ServerSettings;
use genkit_core::Tool;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{ContextParts, Outcome, drive_function};
use genkit_core::internal::trace::{self, NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

/// Runs `tool` itself, as the innermost call. With `trusts_client`, the client is responsible for the user's approval.
pub(super) fn start_tool(
    settings: &ServerSettings,
    mut context: ContextParts,
    trusts_client: bool,
    tool: Tool,
    input: Value,
) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
    let how = if settings.strict_args { Strictness::Exact } else { Strictness::Lenient };
    let asks = tool.needs_approval() && !trusts_client;
    context.approval = asks.then(|| tool.approval_message(&input));
    let context = context.build();
    async move {
        let shown = trace::is_on().then(|| input.clone());
        let shown = || shown.clone().unwrap_or_default();
        let span = NewSpan { name: tool.name(), kind: SpanKind::Action("tool"), input: &shown };
        let work = drive_function(&context, tool.name(), tool.invoke_tool(&context, input, how));
        trace::trace_with_outcome(span, work, ToolOutput::to_span_outcome).await
    }
}
