//! Sampling: a tool or an MCP server calls the model of the current run.

use serde_json::{Value, json};

use genkit_core::Message;
use genkit_core::SampleRequest;
use genkit_core::internal::error::Topic;
use genkit_core::{ErrorKind, Result};
use genkit_core::{FinishReason, ModelRequest, ModelResponse};

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the model returned no message")]
    MissingMessage,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Unavailable
    }
}

/// Converts a sampling request into a model request.
pub fn model_request(request: &SampleRequest) -> ModelRequest {
    let system = request.system.as_ref().map(|text| Message::system(text.as_str()));
    let mut built = ModelRequest::new(system.into_iter().chain(request.messages.iter().cloned()));
    built.config.insert("maxOutputTokens".to_owned(), request.max_tokens.into());
    if let Some(temperature) = request.temperature {
        built.config.insert("temperature".to_owned(), temperature.into());
    }
    if !request.stop.is_empty() {
        built.config.insert("stopSequences".to_owned(), request.stop.clone().into());
    }
    built
}

/// Converts a model's response into MCP's `CreateMessageResult`.
pub fn message_result(model: &str, response: &ModelResponse) -> Result<Value> {
    let message = response.message.as_ref().ok_or(Error::MissingMessage)?;
    let reason = match response.finish_reason {
        Some(FinishReason::Length) => "maxTokens",
        _ => "endTurn",
    };
    Ok(json!({
        "role": "assistant",
        "content": { "type": "text", "text": message.text() },
        "model": model,
        "stopReason": reason,
    }))
}
