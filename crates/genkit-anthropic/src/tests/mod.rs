//! Tests of encoding and decoding, without a server.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod caching;
mod hostile;
mod pausing;
mod requests;
mod responses;
mod searching;
mod thinking;

use serde_json::{Value, json};

use super::provider::MessagesWire;
use super::request::AnthropicSettings;
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::{HttpCall, Next, WireFormat as _};

const SONNET: &str = "claude-sonnet-4-6";

fn wire(model: &str) -> MessagesWire {
    let settings =
        AnthropicSettings { key: Some("sk-ant-1".to_owned()), version: "2023-06-01".to_owned() };
    MessagesWire { settings: settings.into(), model: model.to_owned() }
}

fn read(request: Value) -> ModelRequest {
    serde_json::from_value(request).unwrap()
}

fn call(model: &str, request: Value) -> Result<HttpCall> {
    wire(model).encode_request(&read(request), false)
}

/// Returns the body of a request.
fn body(model: &str, request: Value) -> Value {
    serde_json::from_slice(&call(model, request).unwrap().body).unwrap()
}

/// Returns the encoded form of these messages.
fn messages(messages: Value) -> Value {
    body(SONNET, json!({ "messages": messages }))["messages"].take()
}

/// Decodes a response with these blocks.
fn decode(answer: Value) -> ModelResponse {
    wire(SONNET).decode_response(&ModelRequest::default(), answer.to_string().as_bytes()).unwrap()
}

/// Decodes a stream of these events. Returns the response and its chunks.
fn stream(events: &[Value]) -> (Result<ModelResponse>, Vec<GenerateChunk>) {
    let (wire, request) = (wire(SONNET), ModelRequest::default());
    let mut stream = wire.open_stream(&request);
    let (sink, chunks) = ChunkSink::collect_chunks();
    for event in events {
        let event = SseEvent::Message { event: None, data: event.to_string().into() };
        match stream.read_event(&event, &sink) {
            Ok(Next::More) => {}
            Ok(Next::Done) => break,
            Err(error) => return (Err(error), chunks()),
        }
    }
    (stream.into_response(), chunks())
}

fn begin(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn piece(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "m1", "usage": {"input_tokens": 3}}})
}
