//! Embeddings with `/api/embed`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::NAME;
use super::request::OllamaSettings;
use super::response::error;
use genkit_core::Usage;
use genkit_core::{Error, Result};
use genkit_model::internal::http::{EmbedBatch, EmbedWire, Error as HttpError};
use genkit_model::internal::lenient::deserialize_count;
use genkit_model::internal::warn_omitted;
use genkit_model::internal::wire::HeaderLookup;
use genkit_model::internal::wire::HttpCall;
use genkit_model::{EmbedRequest, EmbedResponse, Embedding};

/// The path after the root of the server.
const PATH: &str = "/api/embed";

/// Settings at the top level of the body instead of in `options`.
const TOP: [&str; 3] = ["truncate", "keep_alive", "dimensions"];

/// The keys that are not copied from `config` to the body.
const ELSEWHERE: [&str; 6] = ["apiKey", "baseUrl", "version", "model", "input", "options"];

pub(super) struct OllamaEmbedWire {
    pub(super) settings: Arc<OllamaSettings>,
    pub(super) model: String,
}

#[derive(Deserialize)]
struct EmbedReply {
    #[serde(default)]
    embeddings: Vec<Vec<f64>>,
    #[serde(default, deserialize_with = "deserialize_count")]
    prompt_eval_count: Option<u64>,
}

impl EmbedWire for OllamaEmbedWire {
    /// The server has no limit, but the time of a call is limited, and the server may run on this machine.
    const BATCH: EmbedBatch = EmbedBatch { texts: 256, bytes: 4 * 1024 * 1024 };

    fn encode_request(&self, request: &EmbedRequest, texts: &[String]) -> Result<HttpCall> {
        if request.task.is_some() {
            let remedy =
                "describe the task in the texts as documented for the model (`search_query: ..`)";
            warn_omitted(NAME, &self.model, "task", remedy);
        }
        let text = |key| request.config.get(key).and_then(Value::as_str);
        let model = text("version").unwrap_or(&self.model);
        // By default, reject a text that is too long instead of silently truncating it.
        let mut body = Map::from_iter([
            ("model".to_owned(), model.into()),
            ("input".to_owned(), json!(texts)),
            ("truncate".to_owned(), false.into()),
        ]);
        let mut options =
            request.config.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(size) = self.settings.num_ctx {
            options.entry("num_ctx").or_insert(size.into());
        }
        if let Some(time) = &self.settings.keep_alive {
            body.insert("keep_alive".to_owned(), time.clone());
        }
        if let Some(dimensions) = request.dimensions {
            body.insert("dimensions".to_owned(), dimensions.into());
        }
        for (key, value) in
            request.config.iter().filter(|(key, _)| !ELSEWHERE.contains(&key.as_str()))
        {
            let map = if TOP.contains(&key.as_str()) { &mut body } else { &mut options };
            map.insert(key.clone(), value.clone());
        }
        if !options.is_empty() {
            body.insert("options".to_owned(), options.into());
        }
        let headers = self.settings.call_headers(text("apiKey"));
        Ok(HttpCall { path: PATH.to_owned(), headers, body: serde_json::to_vec(&body)? })
    }

    fn decode_response(&self, body: &[u8]) -> Result<EmbedResponse> {
        let reply: EmbedReply =
            serde_json::from_slice(body).map_err(|error| HttpError::from_json(NAME, &error))?;
        let mut usage = Usage::default();
        (usage.input_tokens, usage.total_tokens) =
            (reply.prompt_eval_count, reply.prompt_eval_count);
        Ok(EmbedResponse::new(reply.embeddings.into_iter().map(Embedding::new)).with_usage(usage))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        self.settings.record_api_missing(status, body);
        error::decode_error(&self.model, status, headers, body)
    }
}
