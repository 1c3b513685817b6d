//! One model call: checks the request, applies limits, records metrics, and adds ids to chunks and tool calls.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument as _;

use super::budget::Budget;
use super::env::RunEnv;
use super::references::StreamedReferences;
use super::trace;
use crate::middleware::{Innermost, NextModel};
use crate::request::check_capabilities;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::redact::without_account_settings;
use genkit_core::internal::trace::{NewSpan, SpanKind, SpanOutcome, record_work, to_json};
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_core::{Message, Part, Role};
use genkit_model::{ChunkSink, Model};

/// Calls the model for the message at `index`, through the middleware.
pub(super) async fn ask_model(
    env: &RunEnv,
    run: &Arc<impl Innermost + 'static>,
    model: Arc<dyn Model>,
    request: &ModelRequest,
    index: usize,
) -> Result<ModelResponse> {
    let references = StreamedReferences::default();
    let sink = number_chunks(&env.sink, index, &references);
    let mut answer = match env.settings.middleware.is_empty() {
        true => call(env, &*model, request, &sink).await?,
        false => NextModel::new(run.clone(), model.clone()).run(request, &sink).await?,
    };
    if let Some(message) = &mut answer.message {
        references.add_to_message(message);
        use_own_names(env, message);
        // If the model does not stream, the stream receives the whole message.
        if sink.is_read() && sink.count() == 0 {
            sink.send(GenerateChunk::new(message.content.clone()));
        }
    }
    Ok(answer)
}

/// Returns a sink that sets the index and role of each chunk and assigns an id to each call. If the chunks are not
/// read, returns the sink unchanged.
fn number_chunks(sink: &ChunkSink, index: usize, references: &StreamedReferences) -> ChunkSink {
    if !sink.is_read() {
        return sink.clone();
    }
    let (outer, references) = (sink.clone(), references.clone());
    sink.before(move |mut chunk| {
        chunk.index = Some(index);
        chunk.role = Some(Role::Model);
        references.add_to_chunk(&mut chunk);
        outer.send(chunk);
    })
}

/// Replaces the tool names that the model wrote with the tools' own names, for policies and middleware.
fn use_own_names(env: &RunEnv, message: &mut Message) {
    for part in &mut message.content {
        if let Part::ToolRequest { tool_request, .. } = part
            && let Some(tool) = env.tools.find_tool(&tool_request.name)
            && tool.name() != tool_request.name
        {
            tool_request.name = tool.name().to_owned();
        }
    }
}

/// Calls the model inside all middleware. Returns an error before the call if the model does not support the request.
pub(super) async fn call(
    env: &RunEnv,
    model: &dyn Model,
    request: &ModelRequest,
    chunks: &ChunkSink,
) -> Result<ModelResponse> {
    let span = trace::model_span(env, model, request);
    let calling = pin!(async {
        check_capabilities(model, request)?;
        env.tools.note_offered(&request.tools);
        let limit = env.settings.limits.model_timeout;
        let answer = call_counted(&env.budget, limit, model, request, chunks).await?;
        trace::record_response(env, &answer);
        Ok(answer)
    });
    let answer = calling.instrument(span.clone()).await;
    trace::record_failure(&span, &answer);
    answer
}

/// Calls a model with a time limit, and counts the call in the budget of the run.
pub(super) async fn call_counted(
    budget: &Budget,
    limit: Duration,
    model: &dyn Model,
    request: &ModelRequest,
    chunks: &ChunkSink,
) -> Result<ModelResponse> {
    budget.begin_call()?;
    let answer = call_within(limit, model, request, chunks).await?;
    budget.add(model.name(), request, &answer);
    Ok(answer)
}

/// Calls a model with a time limit, and measures the call.
pub(crate) async fn call_within(
    limit: Duration,
    model: &dyn Model,
    request: &ModelRequest,
    chunks: &ChunkSink,
) -> Result<ModelResponse> {
    let work = pin!(async {
        let started = Instant::now();
        let answer = tokio::time::timeout(limit, model.generate(request, chunks)).await;
        let late = |_| E::ModelTimeout { model: model.name().to_owned(), limit };
        let mut answer = answer.map_err(late)??;
        answer.latency_ms.get_or_insert_with(|| started.elapsed().as_secs_f64() * 1000.0);
        Ok(answer)
    });
    let input = || without_account_settings(request);
    let span = NewSpan { name: model.name(), kind: SpanKind::Action("model"), input: &input };
    let began = Instant::now();
    let answer = record_work(span, work, |answer| SpanOutcome::from_result(answer, to_json)).await;
    trace::measure_call(model, began, &answer);
    answer
}
