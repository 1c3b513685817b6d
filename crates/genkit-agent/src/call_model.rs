//! Single model calls without the tool loop, for Genkit's developer tools.

use super::request::check_capabilities;
use super::run::{MODEL_TIMEOUT, call_within};
use genkit_core::Result;
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_model::{ChunkSink, Model};

/// Calls `model` once. Returns an error before the call if the request uses a feature that the model does not support.
/// If the model does not stream, `chunks` receives the whole response as one chunk.
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
