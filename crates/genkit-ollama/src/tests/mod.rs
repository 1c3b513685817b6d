//! Tests of encoding and decoding, without a server.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod answers;
mod embeddings;
mod errors;
mod hostile;
mod requests;
mod schemas;
mod servers;

use serde_json::Value;

use super::Ollama;
use super::builder::OllamaBuilder;
use super::provider::OllamaWire;
use super::response::error;
use genkit_core::ModelRequest;
use genkit_model::internal::wire::WireFormat as _;

fn wire_of(builder: OllamaBuilder, model: &str) -> OllamaWire {
    OllamaWire { settings: builder.build().unwrap().settings, model: model.to_owned() }
}

fn wire(model: &str) -> OllamaWire {
    wire_of(Ollama::builder(), model)
}

fn read(request: Value) -> ModelRequest {
    serde_json::from_value(request).unwrap()
}

/// Returns the body of a request.
fn body(model: &str, request: Value) -> Value {
    let call = wire(model).encode_request(&read(request), false).unwrap();
    assert_eq!(call.path, "/api/chat");
    serde_json::from_slice(&call.body).unwrap()
}
