//! Tracing: one span for each run, turn, model call and tool call, with the attributes that OpenTelemetry defines for
//! generative AI. Contents are recorded only if enabled.

use tokio::time::Instant;
use tracing::{Span, field};

use super::env::RunEnv;
use crate::middleware::{ToolCall, ToolOutcome};
use genkit_core::Error;
use genkit_core::GenerateResponse;
use genkit_core::Metric;
use genkit_core::internal::telemetry;
use genkit_core::internal::telemetry::error_type;
use genkit_core::internal::visible::Logged;
use genkit_core::{FinishReason, ModelRequest, ModelResponse, Usage};
use genkit_model::Model;

pub(super) fn run_span(env: &RunEnv, request: &ModelRequest) -> Span {
    let name = env.name.as_deref();
    let span = tracing::info_span!(
        "generate",
        otel.name = name.map_or_else(|| "invoke_agent".into(), |name| format!("invoke_agent {name}")),
        otel.kind = "internal",
        otel.status_code = field::Empty,
        error.type = field::Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = name,
        genkit.step = name,
        gen_ai.request.model = env.model.name(),
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.input.messages = field::Empty,
    );
    record_value(env, &span, "gen_ai.input.messages", &request.messages);
    span
}

pub(super) fn turn_span(round: usize) -> Span {
    tracing::info_span!("turn", index = round)
}

pub(super) fn model_span(env: &RunEnv, model: &dyn Model, request: &ModelRequest) -> Span {
    // A closure, because the fields are evaluated only if the span is enabled.
    let named = || provider_and_name(model);
    let span = tracing::info_span!(
        "chat",
        otel.name = format!("chat {}", named().1),
        otel.kind = "client",
        otel.status_code = field::Empty,
        error.type = field::Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = named().0,
        gen_ai.request.model = named().1,
        gen_ai.request.temperature = request.config.get("temperature").and_then(|t| t.as_f64()),
        gen_ai.request.max_tokens = request.config.get("maxOutputTokens").and_then(|t| t.as_u64()),
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.input.messages = field::Empty,
        gen_ai.output.messages = field::Empty,
    );
    record_value(env, &span, "gen_ai.input.messages", &request.messages);
    span
}

/// Records a model's response in the span of its call.
pub(super) fn record_response(env: &RunEnv, answer: &ModelResponse) {
    let span = Span::current();
    record_usage(&span, answer.finish_reason, &answer.usage);
    record_value(env, &span, "gen_ai.output.messages", &answer.message);
}

/// Records in `span` that its work failed, if it did.
pub(super) fn record_failure<T>(span: &Span, result: &Result<T, Error>) {
    if let Err(error) = result {
        telemetry::record_failure(span, error_type(error.kind()));
    }
}

/// Records metrics of a model call, if telemetry is installed.
pub(super) fn measure_call(
    model: &dyn Model,
    started: Instant,
    answer: &Result<ModelResponse, Error>,
) {
    let Some(telemetry) = telemetry::installed_telemetry() else { return };
    let (provider, name) = provider_and_name(model);
    let mut labels = vec![
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", telemetry::metric_label(provider)),
        ("gen_ai.request.model", telemetry::metric_label(name)),
    ];
    if let Ok(ModelResponse { usage, .. }) = answer {
        let tokens = [("input", usage.input_tokens), ("output", usage.output_tokens)];
        for (kind, tokens) in tokens {
            #[allow(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
            if let Some(tokens) = tokens.map(|tokens| tokens as f64) {
                labels.push(("gen_ai.token.type", kind));
                telemetry.record(Metric::GenAiTokens, tokens, &labels);
                labels.pop();
            }
        }
    }
    labels.extend(answer.as_ref().err().map(|error| ("error.type", error_type(error.kind()))));
    telemetry.record(Metric::GenAiDuration, started.elapsed().as_secs_f64(), &labels);
}

/// Splits the name of a model into the provider and the provider's name for the model.
fn provider_and_name(model: &dyn Model) -> (&str, &str) {
    model.name().split_once('/').unwrap_or(("custom", model.name()))
}

/// Returns the name of a tool's span. An unknown tool name, which the model made up, is recorded only as an attribute.
fn tool_span_name(known: Option<&str>) -> String {
    known.map_or_else(|| "execute_tool".into(), |name| format!("execute_tool {name}"))
}

pub(super) fn output_check() -> Span {
    tracing::info_span!("check_output", fits = field::Empty, reason = field::Empty)
}

/// Records whether the output was accepted, and the reason if contents are recorded.
pub(super) fn record_verdict(env: &RunEnv, span: &Span, verdict: &Result<(), String>) {
    span.record("fits", verdict.is_ok());
    if let Err(why) = verdict {
        record_value(env, span, "reason", why);
    }
}

/// Records the end of a run in its span.
pub(super) fn record_end(response: &GenerateResponse) {
    record_usage(&Span::current(), response.finish_reason, &response.usage);
}

fn record_usage(span: &Span, reason: Option<FinishReason>, usage: &Usage) {
    if span.is_disabled() {
        return;
    }
    span.record("gen_ai.response.finish_reasons", to_json_text(&reason));
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
}

pub(super) fn tool_span(env: &RunEnv, call: &ToolCall) -> Span {
    let span = tracing::info_span!(
        "execute_tool",
        otel.name = tool_span_name(call.tool.as_ref().map(|tool| tool.name())),
        otel.kind = "internal",
        otel.status_code = field::Empty,
        error.type = field::Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = %Logged::name(&call.request.name),
        gen_ai.tool.call.id = call.request.id.as_ref().map(|id| field::display(Logged::name(id))),
        gen_ai.tool.call.arguments = field::Empty,
        gen_ai.tool.call.result = field::Empty,
    );
    record_value(env, &span, "gen_ai.tool.call.arguments", &call.request.input);
    span
}

/// Records the outcome of a tool call in its span.
pub(super) fn tool_ended(env: &RunEnv, span: &Span, outcome: &Result<ToolOutcome, Error>) {
    record_failure(span, outcome);
    if let Some(response) = outcome.as_ref().ok().and_then(ToolOutcome::response) {
        record_value(env, span, "gen_ai.tool.call.result", &response.output);
    }
}

/// Records contents, if enabled.
fn record_value(env: &RunEnv, span: &Span, field: &str, value: &impl serde::Serialize) {
    if env.settings.trace_contents && !span.is_disabled() {
        span.record(field, to_json_text(value));
    }
}

fn to_json_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
