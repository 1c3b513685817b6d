//! Embedders over HTTP, which send texts in batches.

use std::ops::Range;
use std::sync::Arc;

use super::endpoint::ApiEndpoint;
use super::error::Error as E;
use crate::wire::HeaderLookup;
use crate::wire::HttpCall;
use crate::{EmbedRequest, EmbedResponse, Embedder, Embedding};
use genkit_core::BoxFuture;
use genkit_core::{Error, Result};

/// The limits of one call.
pub struct EmbedBatch {
    pub texts: usize,
    /// The maximum size of all texts together, in bytes. A single text may exceed it.
    pub bytes: usize,
}

/// A provider's wire format for embeddings.
pub trait EmbedWire: Send + Sync + 'static {
    const BATCH: EmbedBatch;

    /// Encodes the HTTP request for some of the texts of `request`.
    fn encode_request(&self, request: &EmbedRequest, texts: &[String]) -> Result<HttpCall>;

    /// Decodes the vectors of a response, in the order of the texts.
    fn decode_response(&self, body: &[u8]) -> Result<EmbedResponse>;

    /// Decodes the error of a response with a status of 400 or more. `headers` looks up a header by
    /// name.
    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error;
}

/// An embedder called over HTTP.
pub struct HttpEmbedder<W> {
    name: String,
    wire: W,
    endpoint: Arc<ApiEndpoint>,
}

impl<W: EmbedWire> HttpEmbedder<W> {
    pub fn new(name: String, wire: W, endpoint: Arc<ApiEndpoint>) -> Self {
        Self { name, wire, endpoint }
    }

    async fn call(&self, request: &EmbedRequest) -> Result<EmbedResponse> {
        let mut whole = EmbedResponse::default();
        for batch in split_batches(&request.texts, &W::BATCH) {
            let texts = &request.texts[batch];
            let call = self.wire.encode_request(request, texts)?;
            let failure = |status, headers: HeaderLookup<'_>, body: &[u8]| {
                self.wire.decode_error(status, headers, body)
            };
            let read = |answer| self.endpoint.read_body(answer, failure);
            let part = self.wire.decode_response(&self.endpoint.run_exchange(call, read).await?)?;
            if part.embeddings.len() != texts.len() {
                let (texts, vectors) = (texts.len(), part.embeddings.len());
                return Err(
                    E::EmbeddingCount { embedder: self.name.clone(), texts, vectors }.into()
                );
            }
            whole.embeddings.extend(part.embeddings);
            whole.usage.add(&part.usage);
        }
        Ok(whole)
    }
}

impl<W: EmbedWire> Embedder for HttpEmbedder<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>> {
        Box::pin(async move { Ok(self.call(&EmbedRequest::new(texts)).await?.embeddings) })
    }

    fn embed_with(&self, request: EmbedRequest) -> BoxFuture<'_, Result<EmbedResponse>> {
        Box::pin(async move { self.call(&request).await })
    }
}

/// Returns the range of texts for each call.
fn split_batches(texts: &[String], most: &EmbedBatch) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0_usize);
    for (at, text) in texts.iter().enumerate() {
        if at > start && (at - start == most.texts || bytes.saturating_add(text.len()) > most.bytes)
        {
            batches.push(start..at);
            (start, bytes) = (at, 0);
        }
        bytes = bytes.saturating_add(text.len());
    }
    if start < texts.len() {
        batches.push(start..texts.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_is_full_by_texts_or_by_bytes() {
        let most = EmbedBatch { texts: 3, bytes: 10 };
        let of = |lengths: &[usize]| {
            let texts: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
            split_batches(&texts, &most)
                .into_iter()
                .map(|it| (it.start, it.end))
                .collect::<Vec<_>>()
        };
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[1, 1, 1]), [(0, 3)]);
        assert_eq!(of(&[1, 1, 1, 1]), [(0, 3), (3, 4)]);
        assert_eq!(of(&[5, 5, 1]), [(0, 2), (2, 3)]);
        // A text that is too long is sent alone, and the provider decides whether to accept it.
        assert_eq!(of(&[50, 1, 50]), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(of(&[0; 7]), [(0, 3), (3, 6), (6, 7)]);
    }
}
