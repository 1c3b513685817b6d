//! The `tracing` spans: names, kinds and times, without contents.

use tracing::Span;

use super::{NewSpan, SpanKind};
use genkit_untrusted::visible::Logged;

/// Creates the `tracing` span that accompanies a span in Genkit's format. The spans of the generate loop have more
/// fields and are created there.
pub(super) fn tracing_span(span: &NewSpan<'_>) -> Span {
    let name = Logged::name(span.name);
    match span.kind {
        SpanKind::Action("flow") => tracing::info_span!("flow", %name),
        SpanKind::Action("tool") => tracing::info_span!(
            "execute_tool",
            otel.name = format!("execute_tool {name}"),
            otel.kind = "internal",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %name,
        ),
        SpanKind::Action("prompt" | "executable-prompt") => tracing::info_span!("prompt", %name),
        SpanKind::Action("resource") => tracing::info_span!("resource", %name),
        SpanKind::Action("evaluator") => tracing::info_span!("evaluator", %name),
        SpanKind::Action(kind) => tracing::info_span!("action", kind, %name),
        SpanKind::Util => tracing::info_span!("util", %name),
        SpanKind::FlowStep => tracing::info_span!("step", %name),
        SpanKind::PromptTemplate => tracing::info_span!("render", %name),
        SpanKind::EvaluatorCase => tracing::info_span!("evaluate", %name),
    }
}
