//! Tracing: one span for each run, turn, model call and tool call, with the attributes that
//! OpenTelemetry gives generative AI. What was said is recorded only where it was asked for.

use tracing::{Span, field};

use super::env::RunEnv;
use crate::generate::data::GenerateResponse;
use crate::generate::middleware::ToolCall;
use crate::model::{FinishReason, Model, ModelRequest, ModelResponse, Usage};
use crate::visible::Logged;

pub(super) fn run(env: &RunEnv, request: &ModelRequest) -> Span {
    let span = tracing::info_span!(
        "generate",
        gen_ai.operation.name = "invoke_agent",
        genkit.step = env.name,
        gen_ai.request.model = env.model.name(),
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.input.messages = field::Empty,
    );
    record(env, &span, "gen_ai.input.messages", &request.messages);
    span
}

pub(super) fn turn(round: usize) -> Span {
    tracing::info_span!("turn", index = round)
}

pub(super) fn model(env: &RunEnv, model: &dyn Model, request: &ModelRequest) -> Span {
    let (provider, name) = model.name().split_once('/').unwrap_or(("custom", model.name()));
    let span = tracing::info_span!(
        "chat",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = name,
        gen_ai.request.temperature = request.config.get("temperature").and_then(|t| t.as_f64()),
        gen_ai.request.max_tokens = request.config.get("maxOutputTokens").and_then(|t| t.as_u64()),
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.input.messages = field::Empty,
        gen_ai.output.messages = field::Empty,
    );
    record(env, &span, "gen_ai.input.messages", &request.messages);
    span
}

/// Records a model's answer in the span of its call.
pub(super) fn answered(env: &RunEnv, answer: &ModelResponse) {
    let span = Span::current();
    used(&span, answer.finish_reason, &answer.usage);
    record(env, &span, "gen_ai.output.messages", &answer.message);
}

pub(super) fn output_check() -> Span {
    tracing::info_span!("check_output", fits = field::Empty, reason = field::Empty)
}

/// Records whether an answer fits, and where contents are recorded, why it does not.
pub(super) fn checked(env: &RunEnv, span: &Span, verdict: &Result<(), String>) {
    span.record("fits", verdict.is_ok());
    if let Err(why) = verdict {
        record(env, span, "reason", why);
    }
}

/// Records the end of a run in its span.
pub(super) fn ended(response: &GenerateResponse) {
    used(&Span::current(), response.finish_reason, &response.usage);
}

fn used(span: &Span, reason: Option<FinishReason>, usage: &Usage) {
    if span.is_disabled() {
        return;
    }
    span.record("gen_ai.response.finish_reasons", json(&reason));
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
}

pub(super) fn tool(env: &RunEnv, call: &ToolCall) -> Span {
    let span = tracing::info_span!(
        "execute_tool",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = %Logged::name(&call.request.name),
        gen_ai.tool.call.id = call.request.id.as_ref().map(|id| field::display(Logged::name(id))),
        gen_ai.tool.call.arguments = field::Empty,
    );
    record(env, &span, "gen_ai.tool.call.arguments", &call.request.input);
    span
}

/// Records what was said, where it was asked for.
fn record(env: &RunEnv, span: &Span, field: &str, value: &impl serde::Serialize) {
    if env.settings.trace_contents && !span.is_disabled() {
        span.record(field, json(value));
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
