//! The loop as the caller of a tool: questions interrupt the run, samples are its model's.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::budget::Budget;
use super::model_call::call_counted;
use crate::context::{
    Asker, Caller, CallerAnswer, Capability, ClientInfo, LogLevel, Progress, Question,
    QuestionKind, SampleRequest,
};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::generate::middleware::Tally;
use crate::message::ToolRequest;
use crate::model::{ChunkSink, GenerateChunk, Model, sampling};
use crate::registry::Registry;
use crate::sync::lock;
use crate::visible::{self, Logged};

/// One tool call, as the tool sees its caller.
pub(super) struct LoopCaller {
    pub(super) model: Arc<dyn Model>,
    pub(super) budget: Arc<Budget>,
    /// What each model call of the tool used.
    pub(super) tally: Tally,
    pub(super) registry: Registry,
    pub(super) sink: ChunkSink,
    /// Of the tool message that is being produced.
    pub(super) index: usize,
    /// Of a model call that samples for the tool.
    pub(super) limit: Duration,
    /// The run.
    #[cfg_attr(
        not(feature = "mcp-host"),
        allow(dead_code, reason = "asked for by calls of servers")
    )]
    pub(super) asker: Asker,
    /// The call.
    pub(super) request: ToolRequest,
}

impl LoopCaller {
    /// Sends a chunk to whoever reads the stream; the model does not see it.
    fn send(&self, what: &str, value: Value) {
        if !self.sink.is_read() {
            return;
        }
        let chunk = GenerateChunk::of_tool(&self.request, self.index, what, value);
        self.sink.send(chunk);
    }

    async fn sample(&self, request: &SampleRequest) -> Result<CallerAnswer> {
        let request = sampling::model_request(request);
        let sink = ChunkSink::none();
        let (budget, limit) = (&self.budget, self.limit);
        let answer = call_counted(budget, limit, &*self.model, &request, &sink).await?;
        lock(&self.tally).push(answer.usage.clone());
        Ok(CallerAnswer::from_json(sampling::message_result(self.model.name(), &answer)?))
    }
}

impl Caller for LoopCaller {
    fn can(&self, capability: Capability) -> bool {
        capability != Capability::Roots
    }

    fn takes_interrupts(&self) -> bool {
        true
    }

    fn answer<'a>(&'a self, question: &'a Question) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        match &question.kind {
            QuestionKind::Sampling(request) => Some(Box::pin(self.sample(request))),
            // The run stops, and whoever called it answers.
            _ => None,
        }
    }

    fn progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        let Progress { done, total, message } = progress;
        let tool = Logged::name(&self.request.name);
        let words = message.as_ref().map(Logged::text);
        tracing::debug!(%tool, done, total, message = words.map(tracing::field::display), "progress");
        let message = message.as_deref().map(visible::text);
        self.send("progress", json!({ "progress": done, "total": total, "message": message }));
        Box::pin(std::future::ready(()))
    }

    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        let (tool, data) = (Logged::name(&self.request.name), Logged::text(data));
        match level {
            LogLevel::Debug => tracing::debug!(%tool, %data, "log of a tool"),
            LogLevel::Info | LogLevel::Notice => tracing::info!(%tool, %data, "log of a tool"),
            LogLevel::Warning => tracing::warn!(%tool, %data, "log of a tool"),
            _ => tracing::error!(%tool, %data, "log of a tool"),
        }
        Box::pin(std::future::ready(()))
    }

    fn chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        self.send("chunk", chunk);
        Box::pin(std::future::ready(()))
    }

    fn resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn client(&self) -> Option<ClientInfo> {
        None
    }

    fn asker(&self) -> Option<Asker> {
        Some(self.asker)
    }
}
