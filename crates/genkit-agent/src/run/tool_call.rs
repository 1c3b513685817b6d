//! One tool call: approved, run under its limits, and converted into a response for the model.

use std::pin::pin;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::caller::LoopCaller;
use super::env::RunEnv;
use super::max_output::{cut_output, truncate_response};
use super::settings::{Approval, OnToolError, RunSettings};
use crate::middleware::{ToolCall, ToolOutcome};
use genkit_core::Context;
use genkit_core::Tool;
use genkit_core::internal::action::{ToolOutput, failure_for_model};
use genkit_core::internal::context::{ContextParts, Outcome, drive_function};
use genkit_core::internal::error::new_reference;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::Suspended;
use genkit_core::internal::telemetry;
use genkit_core::internal::trace;
use genkit_core::internal::trace::{NewSpan, SpanKind};
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, Result};
use genkit_core::{ToolRequest, ToolResponse};
use genkit_schema::internal::strictness::Strictness;

/// Calls a tool inside all middleware.
pub(super) async fn call(
    env: &RunEnv,
    mut call: ToolCall,
    suspended: Option<&Suspended>,
) -> Result<ToolOutcome> {
    let Some(tool) = call.tool.clone() else {
        let error = E::UnknownTool(env.tools.unknown_tool_text(&call.request.name));
        return convert_failure(env, &call, error.into());
    };
    if env.tools.is_withheld(tool.name()) {
        return convert_failure(env, &call, E::ToolWithheld(call.request.name.clone()).into());
    }
    let approval = match decide_approval(env, &call, &tool) {
        Approval::Allow => None,
        Approval::Ask(message) => {
            Some(message.unwrap_or_else(|| tool.approval_message(&call.request.input)))
        }
        Approval::Deny(reason) => {
            return convert_failure(env, &call, E::CallDenied(reason).into());
        }
    };
    let input = call.request.input.take();
    let shown = clone_span_input(&input);
    let context = call_context(env, &call, &tool, suspended, approval);
    let work = pin!(async {
        // A tool with `needs_approval` asks for approval itself, after it has parsed its arguments. For other tools,
        // approval is requested here.
        if !tool.needs_approval() {
            context.approved_to_run().await?;
        }
        // The tool must run with exactly the arguments that the policy approved, so they are not parsed leniently.
        let judged = env.settings.approval.is_some();
        let how = if judged { Strictness::Exact } else { env.settings.strictness() };
        tool.invoke_tool(&context, input, how).await
    });
    let driven = pin!(async {
        if suspended.is_some() {
            trace::annotate_span("genkit:metadata:resumed", || true.into());
        }
        drive_function(&context, tool.name(), work).await
    });
    let input = || shown.clone().unwrap_or_default();
    let span = NewSpan { name: tool.name(), kind: SpanKind::Action("tool"), input: &input };
    match trace::record_work(span, driven, ToolOutput::to_span_outcome).await {
        Outcome::Finished(Ok(output)) => {
            let limit = tool.max_output().unwrap_or(env.settings.limits.max_output);
            let (response, metadata) = convert_output(call, output, limit);
            Ok(ToolOutcome::from_response(response, metadata))
        }
        Outcome::Finished(Err(error)) => {
            if let Some(journal) = &call.around.journal {
                journal.note_failure(&error);
            }
            convert_failure(env, &call, error)
        }
        Outcome::Suspended(questions, recording) => {
            Ok(ToolOutcome::from_suspended(Suspended::new(questions, recording)))
        }
        Outcome::Cancelled => Err(E::CallCancelled(tool.name().to_owned()).into()),
    }
}

/// Calls a tool from inside another function, with a context derived from the function's context. Questions of the tool
/// become questions of the function, and the limits of the function apply.
pub(crate) async fn call_inside(
    context: &Context,
    tool: &Tool,
    request: ToolRequest,
    settings: &RunSettings,
) -> Result<ToolOutcome> {
    let mut call = ToolCall::from_tool(tool.clone(), request);
    let input = call.request.input.take();
    let shown = clone_span_input(&input);
    let work = async {
        if tool.needs_approval() {
            context.confirm(tool.approval_message(&input)).await?;
        }
        tool.invoke_tool(context, input, settings.strictness()).await
    };
    let input = || shown.clone().unwrap_or_default();
    let span = NewSpan { name: tool.name(), kind: SpanKind::Action("tool"), input: &input };
    match trace::trace_work(span, work, |output| output.clone().into_value()).await {
        Ok(output) => {
            let limit = tool.max_output().unwrap_or(settings.limits.max_output);
            let (response, metadata) = convert_output(call, output, limit);
            Ok(ToolOutcome::from_response(response, metadata))
        }
        Err(error) => failure_outcome(settings, &call, error),
    }
}

/// Clones the input of a call for its span, if spans are exported. The call itself consumes the input.
fn clone_span_input(input: &Value) -> Option<Value> {
    trace::is_on().then(|| input.clone())
}

fn decide_approval(env: &RunEnv, call: &ToolCall, tool: &Tool) -> Approval {
    match &env.settings.approval {
        Some(policy) => policy(call),
        None if tool.needs_approval() => Approval::Ask(None),
        None => Approval::Allow,
    }
}

fn call_context(
    env: &RunEnv,
    call: &ToolCall,
    tool: &Tool,
    suspended: Option<&Suspended>,
    approval: Option<String>,
) -> Context {
    let limits = &env.settings.limits;
    let caller = Arc::new(LoopCaller {
        model: Arc::clone(&env.model),
        budget: Arc::clone(&env.budget),
        tally: Arc::clone(&call.around.tally),
        registry: env.genkit.registry.clone(),
        sink: env.sink.clone(),
        index: call.index,
        limit: limits.model_timeout,
        asker: env.asker,
        request: call.request.clone(),
    });
    // A single call is cancelled by dropping it, so it does not need its own token.
    let (told, cancel) = (Arc::clone(&env.settings.action_context), env.cancel.clone());
    ContextParts {
        states: env.genkit.states.clone(),
        values: env.settings.values.clone(),
        limit: Some(tool.timeout().unwrap_or(limits.tool_timeout)),
        recording: suspended.map(|suspended| suspended.recording.clone()),
        approval,
        journal: call.around.journal.clone(),
        client: env.settings.client,
        ..ContextParts::from_request(caller, told, cancel)
    }
    .build()
}

/// Converts a failure of a call, and records it in the span.
fn convert_failure(env: &RunEnv, call: &ToolCall, error: Error) -> Result<ToolOutcome> {
    telemetry::record_failure(&tracing::Span::current(), telemetry::error_type(error.kind()));
    failure_outcome(&env.settings, call, error)
}

/// Converts a failure of a call into a response for the model, or into the error that ends the run.
fn failure_outcome(settings: &RunSettings, call: &ToolCall, error: Error) -> Result<ToolOutcome> {
    let (name, kind) = (&call.request.name, error.kind());
    let full = error.chain();
    let shown = error.text_for_models();
    let reference = (shown != full).then(new_reference);
    tracing::info!(
        tool = %Logged::name(name), ?kind, error = %Logged::text(&full), reference, "a tool call failed"
    );
    if call.edited && error.is_invalid_arguments() {
        // The caller supplied the arguments, so the caller receives the error, not the model.
        let (name, why) = (name.clone(), error.chain());
        return Err(E::GivenArguments { name, why }.into());
    }
    if settings.on_tool_error == OnToolError::Abort || error.is_fatal() {
        let name = name.clone();
        return Err(Error::from(E::ToolFailed { name, kind }).with_source(error));
    }
    // The causes of errors from other libraries may contain files, hosts or data. They are logged, but not sent to
    // a provider.
    let error = match reference {
        Some(reference) => error.without_causes(format!("{shown} (reference {reference})")),
        None => error,
    };
    let schema = call.tool.as_ref().map(|tool| tool.schemas().portable_input());
    let text = failure_for_model(&error, name, schema);
    let limit = settings.limits.max_output;
    let text = if text.len() > limit { cut_output(&text, limit) } else { text };
    Ok(ToolOutcome::respond(call.request.respond(json!({ "error": text }))))
}

/// Converts the output of a call into a response, truncated to the output limit.
fn convert_output(
    call: ToolCall,
    output: ToolOutput,
    limit: usize,
) -> (ToolResponse, Map<String, Value>) {
    let (value, content, metadata) = output.into_answer();
    let mut response = call.request.into_response(value);
    response.content = content;
    truncate_response(&mut response, limit);
    (response, metadata)
}
