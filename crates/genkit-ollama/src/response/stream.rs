//! A streamed response, which consists of lines.

use super::whole::{OllamaResponse, parse_reply};
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::{Next, WireStream};

/// The state of a stream that is being read.
pub(crate) struct OllamaStream<'a>(OllamaResponse<'a>);

impl<'a> OllamaStream<'a> {
    pub(crate) fn new(model: &'a str, request: &'a ModelRequest) -> Self {
        Self(OllamaResponse::new(model, request))
    }
}

impl WireStream for OllamaStream<'_> {
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next> {
        let reply = parse_reply(event.data().as_bytes())?;
        let done = reply.done;
        let parts = self.0.add_reply(reply)?;
        if !parts.is_empty() {
            chunks.send(GenerateChunk::new(parts));
        }
        Ok(if done { Next::Done } else { Next::More })
    }

    fn into_response(self: Box<Self>) -> Result<ModelResponse> {
        self.0.build()
    }
}
