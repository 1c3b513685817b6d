//! Tests of encoding and decoding, without a server.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod builders;
mod hostile;
mod requests;
mod rounds;
mod searching;
mod streams;

use serde_json::{Value, json};

use super::provider::ResponsesWire;
use crate::wire::builder::OpenAiServer;
use crate::wire::servers::KnownServer;
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::{Next, WireFormat as _};

/// Returns a model at a known server.
fn at(server: &str, model: &str) -> ResponsesWire {
    let server = KnownServer::find_named(server).unwrap();
    let settings = OpenAiServer {
        name: "openai-responses".to_owned(),
        server: server.name.to_owned(),
        key: Some("sk-secret".to_owned()),
        deviations: server.deviations.clone(),
    };
    ResponsesWire { settings: settings.into(), model: model.to_owned() }
}

fn read(request: Value) -> ModelRequest {
    serde_json::from_value(request).unwrap()
}

fn user() -> Value {
    json!({"role": "user", "content": [{"text": "hi"}]})
}

/// Returns the body of a request to OpenAI.
fn body(model: &str, request: Value) -> Value {
    let call = at("openai", model).encode_request(&read(request), false).unwrap();
    serde_json::from_slice(&call.body).unwrap()
}

fn decode(body: &Value) -> Result<ModelResponse> {
    at("openai", "o3").decode_response(&ModelRequest::default(), body.to_string().as_bytes())
}

/// Decodes a stream of events. Returns the response and its chunks.
fn stream(events: &[Value]) -> Result<(ModelResponse, Vec<GenerateChunk>)> {
    let (wire, request) = (at("openai", "o3"), ModelRequest::default());
    let mut stream = wire.open_stream(&request);
    let (sink, chunks) = ChunkSink::collect_chunks();
    for event in events {
        let event = SseEvent::Message { event: None, data: event.to_string().into() };
        if stream.read_event(&event, &sink)? == Next::Done {
            break;
        }
    }
    Ok((stream.into_response()?, chunks()))
}
