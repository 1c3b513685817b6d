//! Tests of the guarantees that operators rely on: no effect happens twice, and no run blocks others.

mod children;
mod leases;
mod nested;
mod operated;
mod poison;
mod promises;
mod queues;
mod remote;
mod retried;
mod scheduled;
mod signals;
mod streamed;
mod unavailable;

use genkit::Role;
use genkit::message::ToolRequest;
use genkit::model::{self, FnModel, ModelResponse};
use serde_json::json;

/// Returns a model that calls `tool` once, regardless of the process that sends the request.
fn calls(tool: &'static str) -> FnModel {
    calls_with(tool, json!({}))
}

fn calls_with(tool: &'static str, input: serde_json::Value) -> FnModel {
    model::from_fn("house/calls", move |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        let call = ToolRequest::new(tool, input.clone());
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([call]),
            }
        }
    })
}
