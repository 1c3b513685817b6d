//! Embeddings with `/embeddings`.

use std::sync::Arc;

use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::wire::builder::OpenAiServer;
use crate::wire::response::error;
use genkit_core::Usage;
use genkit_core::{Error, Result};
use genkit_model::internal::http::{EmbedBatch, EmbedWire, Error as HttpError};
use genkit_model::internal::lenient::deserialize_count;
use genkit_model::internal::warn_omitted;
use genkit_model::internal::wire::HeaderLookup;
use genkit_model::internal::wire::HttpCall;
use genkit_model::{EmbedRequest, EmbedResponse, Embedding};

/// The path of the endpoint, relative to the base URL.
const PATH: &str = "/embeddings";

/// The keys that are not copied from `config` to the body.
const NOT_IN_BODY: [&str; 5] = ["apiKey", "baseUrl", "version", "model", "input"];

pub(super) struct OpenAiEmbedWire {
    pub(super) settings: Arc<OpenAiServer>,
    pub(super) model: String,
}

struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [String],
    request: &'a EmbedRequest,
}

impl Serialize for EmbeddingsRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let config = &self.request.config;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("input", self.input)?;
        for (key, value) in config.iter().filter(|(key, _)| !NOT_IN_BODY.contains(&key.as_str())) {
            map.serialize_entry(key, value)?;
        }
        if let Some(dimensions) = self.request.dimensions
            && !config.contains_key("dimensions")
        {
            map.serialize_entry("dimensions", &dimensions)?;
        }
        map.end()
    }
}

#[derive(Deserialize)]
struct EmbeddingsReply {
    #[serde(default)]
    data: Vec<IndexedVector>,
    #[serde(default)]
    usage: Option<EmbeddingsUsage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct IndexedVector {
    #[serde(default, deserialize_with = "deserialize_count")]
    index: Option<u64>,
    embedding: Vec<f64>,
}

#[derive(Deserialize)]
struct EmbeddingsUsage {
    #[serde(default, deserialize_with = "deserialize_count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    total_tokens: Option<u64>,
}

impl EmbedWire for OpenAiEmbedWire {
    /// OpenAI rejects more than 2,048 texts, and more than 300,000 tokens.
    const BATCH: EmbedBatch = EmbedBatch { texts: 2_048, bytes: 512 * 1024 };

    fn encode_request(&self, request: &EmbedRequest, texts: &[String]) -> Result<HttpCall> {
        if request.task.is_some() {
            let remedy = "describe the task in the texts if the model supports that";
            warn_omitted(&self.settings.name, &self.model, "task", remedy);
        }
        let model = request.config.get("version").and_then(Value::as_str).unwrap_or(&self.model);
        let body = serde_json::to_vec(&EmbeddingsRequest { model, input: texts, request })?;
        Ok(HttpCall {
            path: PATH.to_owned(),
            headers: self.settings.call_headers(&request.config),
            body,
        })
    }

    fn decode_response(&self, body: &[u8]) -> Result<EmbedResponse> {
        let name = &self.settings.name;
        let mut reply: EmbeddingsReply =
            serde_json::from_slice(body).map_err(|error| HttpError::from_json(name, &error))?;
        if let Some(error) = &reply.error {
            return Err(error::error_in_response(name, error));
        }
        // If the vectors have no index, this stable sort keeps their order.
        reply.data.sort_by_key(|vector| vector.index);
        let mut usage = Usage::default();
        if let Some(counts) = reply.usage {
            (usage.input_tokens, usage.total_tokens) = (counts.prompt_tokens, counts.total_tokens);
        }
        let embeddings = reply.data.into_iter().map(|vector| Embedding::new(vector.embedding));
        Ok(EmbedResponse::new(embeddings).with_usage(usage))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        error::decode_error(&self.settings.name, status, headers, body)
    }
}
