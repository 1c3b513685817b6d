//! Runs a client's tool call in its context and within its limits, through all middleware.

use std::future::Future;

#[cfg(feature = "generate")]
use futures_util::future::Either;
use serde_json::Value;

use super::run::Admitted;
#[cfg(feature = "generate")]
use super::tool_middleware::ServedCall;
use genkit_core::Tool;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{Outcome, Recording, drive};
use genkit_core::internal::trace;
use genkit_core::internal::trace::{NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

/// Runs `tool` inside the program's middleware.
#[cfg(feature = "generate")]
pub(super) fn call(
    admitted: Admitted,
    tool: Tool,
    input: Value,
    how: Strictness,
    recording: Recording,
) -> impl Future<Output = Outcome<ToolOutput>> {
    if admitted.shared.genkit.middleware.is_empty() {
        return Either::Left(run(&admitted, &tool, input, how, recording));
    }
    Either::Right(ServedCall::run(admitted, tool, input, how, recording))
}

/// Runs `tool`. Middleware requires the feature `generate`.
#[cfg(not(feature = "generate"))]
pub(super) fn call(
    admitted: Admitted,
    tool: Tool,
    input: Value,
    how: Strictness,
    recording: Recording,
) -> impl Future<Output = Outcome<ToolOutput>> {
    run(&admitted, &tool, input, how, recording)
}

/// Runs the tool without middleware.
pub(super) fn run(
    admitted: &Admitted,
    tool: &Tool,
    input: Value,
    how: Strictness,
    recording: Recording,
) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
    let asks = tool.needs_approval() && !admitted.trusts_client;
    let approval = asks.then(|| tool.approval_message(&input));
    let (context, tool) = (admitted.context(recording, approval), tool.clone());
    async move {
        let shown = trace::is_on().then(|| input.clone());
        let shown = || shown.clone().unwrap_or_default();
        let span = NewSpan { name: tool.name(), kind: SpanKind::Action("tool"), input: &shown };
        let work = drive(&context, tool.name(), tool.invoke(&context, input, how));
        trace::traced_as(span, work, ToolOutput::ended).await
    }
}
