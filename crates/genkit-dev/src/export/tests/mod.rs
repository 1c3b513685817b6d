//! Tests of span trees, as received by a telemetry server over a real socket.

mod durable;
mod ending;
mod form;
mod served;
mod server;
mod trees;

use serde_json::Value;

use genkit_core::ModelResponse;
use genkit_core::ToolRequest;
use genkit_core::{Context, Tool};
use genkit_model::ScriptedModel;

pub(super) use server::is_on_here;

/// Returns a model that requests these tools in its first response, and then responds with "done".
fn model(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ScriptedModel {
    let calls = calls.into_iter().map(|(name, input)| ToolRequest::new(name, input));
    let answers = [ModelResponse::from_tool_requests(calls), ModelResponse::from_text("done")];
    ScriptedModel::new(answers).with_name("lab/m")
}

/// Returns a tool that returns its input.
fn echo() -> Tool {
    Tool::builder("echo", "Repeats its input.")
        .handler(|_: Context, input: Value| async { Ok(input) })
}
