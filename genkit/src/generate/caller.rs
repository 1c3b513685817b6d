//! The loop as the caller of a tool.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::context::{
    Answering, Caller, ClientInfo, Level, Need, Progress, Question, QuestionKind, SampleRequest,
    Telling,
};
use crate::error::{Error, ErrorKind, Result};
use crate::message::Role;
use crate::model::{ChunkSink, GenerateChunk, Model, sample};
use crate::registry::Registry;

/// One tool call, as the tool sees its caller.
pub(super) struct LoopCaller {
    pub(super) model: Arc<dyn Model>,
    pub(super) registry: Registry,
    pub(super) sink: ChunkSink,
    /// Of the tool message that is being produced.
    pub(super) index: usize,
    /// For a call of the model that the tool borrows.
    pub(super) limit: Duration,
    pub(super) tool: String,
    pub(super) reference: Option<String>,
}

impl LoopCaller {
    /// Tells whoever reads the stream; the model does not see it.
    fn tell(&self, what: &str, value: Value) {
        if !self.sink.is_wanted() {
            return;
        }
        let mut told = json!({ "name": self.tool, what: value });
        if let Some(reference) = &self.reference {
            told["ref"] = json!(reference);
        }
        let mut chunk = GenerateChunk::new([]);
        chunk.role = Some(Role::Tool);
        chunk.index = Some(self.index);
        chunk.custom = Map::from_iter([("tool".to_owned(), told)]);
        self.sink.send(chunk);
    }

    async fn sample(&self, request: &SampleRequest) -> Result<Value> {
        let request = sample::model_request(request);
        let sink = ChunkSink::none();
        let asked = self.model.generate(&request, &sink);
        let answer = tokio::time::timeout(self.limit, asked).await.map_err(|_| {
            let said = format!("the model did not answer a tool within {:?}", self.limit);
            Error::new(ErrorKind::DeadlineExceeded, said)
        })??;
        sample::answer(self.model.name(), &answer)
    }
}

impl Caller for LoopCaller {
    fn can(&self, need: Need) -> bool {
        need != Need::Roots
    }

    fn answer<'a>(&'a self, question: &'a Question) -> Option<Answering<'a>> {
        match &question.kind {
            QuestionKind::Sample(request) => Some(Box::pin(self.sample(request))),
            // The run stops, and whoever called it answers.
            _ => None,
        }
    }

    fn progress(&self, progress: Progress) -> Telling<'_> {
        let Progress { done, total, message } = progress;
        tracing::debug!(tool = self.tool, done, total, message, "progress");
        self.tell("progress", json!({ "progress": done, "total": total, "message": message }));
        Box::pin(std::future::ready(()))
    }

    fn log(&self, level: Level, data: Value) -> Telling<'_> {
        let tool = &self.tool;
        match level {
            Level::Debug => tracing::debug!(tool, %data, "log of a tool"),
            Level::Info | Level::Notice => tracing::info!(tool, %data, "log of a tool"),
            Level::Warning => tracing::warn!(tool, %data, "log of a tool"),
            _ => tracing::error!(tool, %data, "log of a tool"),
        }
        Box::pin(std::future::ready(()))
    }

    fn chunk(&self, chunk: Value) -> Telling<'_> {
        self.tell("chunk", chunk);
        Box::pin(std::future::ready(()))
    }

    fn resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn client(&self) -> Option<ClientInfo> {
        None
    }
}
