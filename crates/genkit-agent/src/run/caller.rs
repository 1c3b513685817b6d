//! The run as the caller of its tools: questions interrupt the run, and sampling requests use its model.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::budget::{Budget, CallBudget};
use super::model_call::call_counted;
use crate::middleware::Tally;
use genkit_core::BoxFuture;
use genkit_core::GenerateChunk;
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::ToolRequest;
use genkit_core::internal::context::{
    Caller, CallerAnswer, Capability, Question, QuestionChannel, QuestionKind,
};
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible;
use genkit_core::internal::visible::Logged;
use genkit_core::{ClientInfo, LogLevel, Progress, SampleRequest};
use genkit_model::internal::sampling;
use genkit_model::{ChunkSink, Model};

/// The caller of one tool call.
pub(super) struct LoopCaller {
    pub(super) model: Arc<dyn Model>,
    pub(super) budget: Arc<Budget>,
    /// The usage of each model call that the tool requested.
    pub(super) tally: Tally,
    pub(super) registry: Registry,
    pub(super) sink: ChunkSink,
    /// The index of the tool message that is being produced.
    pub(super) index: usize,
    /// The timeout of a sampling request of the tool.
    pub(super) limit: Duration,
    /// Identifies the run that receives the questions.
    pub(super) asker: QuestionChannel,
    /// The tool call.
    pub(super) request: ToolRequest,
}

impl LoopCaller {
    /// Sends a chunk to the reader of the stream, but not to the model.
    fn send_chunk_of_tool(&self, what: &str, value: Value) {
        if !self.sink.is_read() {
            return;
        }
        let chunk = GenerateChunk::from_tool(&self.request, self.index, what, value);
        self.sink.send(chunk);
    }

    async fn sample_model(&self, request: &SampleRequest) -> Result<CallerAnswer> {
        let request = sampling::model_request(request);
        let sink = ChunkSink::none();
        let (budget, limit) = (&self.budget, self.limit);
        let answer = call_counted(budget, limit, &*self.model, &request, &sink).await?;
        lock(&self.tally).push(answer.usage.clone());
        Ok(CallerAnswer::from_json(sampling::message_result(self.model.name(), &answer)?))
    }
}

impl Caller for LoopCaller {
    fn has_capability(&self, capability: Capability) -> bool {
        capability != Capability::Roots
    }

    fn accepts_interrupts(&self) -> bool {
        true
    }

    fn answer_question<'a>(
        &'a self,
        question: &'a Question,
    ) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        match &question.kind {
            QuestionKind::Sampling(request) => Some(Box::pin(self.sample_model(request))),
            // The run is interrupted, and its caller answers.
            _ => None,
        }
    }

    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        let Progress { done, total, message } = progress;
        let tool = Logged::name(&self.request.name);
        let words = message.as_ref().map(Logged::text);
        tracing::debug!(%tool, done, total, message = words.map(tracing::field::display), "progress");
        let message = message.as_deref().map(visible::escape_prose);
        self.send_chunk_of_tool(
            "progress",
            json!({ "progress": done, "total": total, "message": message }),
        );
        Box::pin(std::future::ready(()))
    }

    fn send_log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        let (tool, data) = (Logged::name(&self.request.name), Logged::text(data));
        match level {
            LogLevel::Debug => tracing::debug!(%tool, %data, "log message from a tool"),
            LogLevel::Info | LogLevel::Notice => {
                tracing::info!(%tool, %data, "log message from a tool")
            }
            LogLevel::Warning => tracing::warn!(%tool, %data, "log message from a tool"),
            _ => tracing::error!(%tool, %data, "log message from a tool"),
        }
        Box::pin(std::future::ready(()))
    }

    fn send_chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        self.send_chunk_of_tool("chunk", chunk);
        Box::pin(std::future::ready(()))
    }

    fn notify_resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn client_info(&self) -> Option<ClientInfo> {
        None
    }

    fn budget(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let (budget, tally) = (Arc::clone(&self.budget), Arc::clone(&self.tally));
        Some(Arc::new(CallBudget { budget, tally }))
    }

    fn question_channel(&self) -> Option<QuestionChannel> {
        Some(self.asker)
    }
}
