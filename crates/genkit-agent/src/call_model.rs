//! Calling a model by itself, without the loop: as Genkit's developer tools try one out.

use super::request::check_capabilities;
use super::run::{MODEL_TIMEOUT, call_within};
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_model::{ChunkSink, Model};

/// Calls `model` once: what it cannot do is an error before the call, and a model that does not stream is
/// seen by `chunks` all the same.
pub async fn call_model(
    model: &dyn Model,
    request: &ModelRequest,
    chunks: &ChunkSink,
) -> Result<ModelResponse> {
    check_capabilities(model, request)?;
    let answer = call_within(MODEL_TIMEOUT, model, request, chunks).await?;
    if let Some(message) = &answer.message
        && chunks.is_wanted()
        && chunks.count() == 0
    {
        chunks.send(GenerateChunk::new(message.content.clone()));
    }
    Ok(answer)
}
