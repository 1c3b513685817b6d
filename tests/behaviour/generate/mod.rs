//! Tests of each guarantee of the agent loop.

mod by_hand;
mod calls;
mod chat;
mod closures;
mod declared;
mod embedding;
mod ending;
mod interrupts;
mod middleware;
mod output;
mod ported;
mod resuming;
mod retrieval;
mod rules;
mod sampling;
mod settings;
mod specs;
mod streaming;
mod telemetry;
mod tracing;

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{GenerateResponse, Part, Role};
use serde_json::Value;

/// Returns a model that requests these calls, and then returns "done".
pub(super) fn calls<const N: usize>(calls: [(&str, Value); N]) -> ScriptedModel {
    let requests = calls.map(|(name, input)| ToolRequest::new(name, input));
    ScriptedModel::new([
        ModelResponse::from_tool_requests(requests),
        ModelResponse::from_text("done"),
    ])
}

/// Returns the outputs of all tool messages, in their order.
pub(super) fn outputs(response: &GenerateResponse) -> Vec<Value> {
    let messages = response.messages();
    let of_tools = messages.iter().filter(|message| message.role == Role::Tool);
    let answers = of_tools.flat_map(|message| &message.content).filter_map(Part::as_tool_response);
    answers.map(|answer| answer.output.clone()).collect()
}
