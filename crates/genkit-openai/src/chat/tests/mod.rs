//! Tests of encoding and decoding, without a server.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod builders;
mod embeddings;
mod hostile;
mod requests;
mod responses;
mod streams;

use serde_json::{Value, json};

use super::provider::ChatWire;
use crate::wire::builder::OpenAiServer;
use crate::wire::servers::KnownServer;
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::{Next, WireFormat as _};

/// Returns a model at a known server.
fn at(server: &str, model: &str) -> ChatWire {
    let server = KnownServer::find_named(server).unwrap();
    let settings = OpenAiServer {
        name: server.name.to_owned(),
        server: server.name.to_owned(),
        key: Some("sk-secret".to_owned()),
        deviations: server.deviations.clone(),
    };
    ChatWire { settings: settings.into(), model: model.to_owned() }
}

fn read(request: Value) -> ModelRequest {
    serde_json::from_value(request).unwrap()
}

/// Returns the body of a request.
fn body(server: &str, model: &str, request: Value) -> Value {
    let call = at(server, model).encode_request(&read(request), false).unwrap();
    serde_json::from_slice(&call.body).unwrap()
}

fn decode(request: &ModelRequest, body: &Value) -> Result<ModelResponse> {
    at("openai", "m").decode_response(request, body.to_string().as_bytes())
}

/// Decodes a stream of deltas. Returns the response and its chunks.
fn stream(request: &ModelRequest, deltas: &[Value]) -> (ModelResponse, Vec<GenerateChunk>) {
    let wire = at("openrouter", "m");
    let mut stream = wire.open_stream(request);
    let (sink, chunks) = ChunkSink::collect_chunks();
    for delta in deltas {
        let data = json!({"choices": [delta]}).to_string();
        let event = SseEvent::Message { event: None, data: data.into() };
        assert_eq!(stream.read_event(&event, &sink).unwrap(), Next::More);
    }
    (stream.into_response().unwrap(), chunks())
}
