//! A model lent to a tool or to an MCP server: MCP's sampling, both ways.

use serde_json::{Value, json};

use crate::context::SampleRequest;
use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;
use crate::model::{FinishReason, ModelRequest, ModelResponse};

/// What a model is asked.
pub(crate) fn model_request(request: &SampleRequest) -> ModelRequest {
    let system = request.system.as_ref().map(|text| Message::system(text.as_str()));
    let mut asked = ModelRequest::new(system.into_iter().chain(request.messages.iter().cloned()));
    asked.config.insert("maxOutputTokens".to_owned(), request.max_tokens.into());
    if let Some(temperature) = request.temperature {
        asked.config.insert("temperature".to_owned(), temperature.into());
    }
    if !request.stop.is_empty() {
        asked.config.insert("stopSequences".to_owned(), request.stop.clone().into());
    }
    asked
}

/// A model's answer as MCP's `CreateMessageResult`.
pub(crate) fn answer(model: &str, said: &ModelResponse) -> Result<Value> {
    let Some(message) = &said.message else {
        return Err(Error::new(ErrorKind::Unavailable, "the model answered without a message"));
    };
    let reason = match said.finish_reason {
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
