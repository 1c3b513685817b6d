//! Embeddings with `batchEmbedContents`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::NAME;
use super::models;
use super::request::{self, GeminiSettings, Method};
use super::response;
use genkit_core::Usage;
use genkit_core::{Error, Result};
use genkit_model::internal::http::{EmbedBatch, EmbedWire, Error as HttpError};
use genkit_model::internal::wire::HeaderLookup;
use genkit_model::internal::wire::HttpCall;
use genkit_model::{EmbedRequest, EmbedResponse, EmbedTask, Embedding};

/// Settings that are not part of the body.
const ELSEWHERE: [&str; 4] = ["version", "apiVersion", "apiKey", "baseUrl"];

pub(super) struct GeminiEmbedWire {
    pub(super) settings: Arc<GeminiSettings>,
    pub(super) model: String,
}

#[derive(Serialize)]
struct BatchRequest<'a> {
    requests: Vec<TextRequest<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextRequest<'a> {
    model: &'a str,
    content: EmbedContent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimensionality: Option<u32>,
    #[serde(flatten)]
    config: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct EmbedContent<'a> {
    parts: [EmbedPart<'a>; 1],
}

#[derive(Serialize)]
struct EmbedPart<'a> {
    text: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BatchReply {
    #[serde(default)]
    embeddings: Vec<Values>,
    #[serde(default)]
    usage_metadata: Option<EmbedUsage>,
}

#[derive(Deserialize)]
struct Values {
    #[serde(default)]
    values: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EmbedUsage {
    #[serde(default)]
    prompt_token_count: Option<u64>,
    #[serde(default)]
    total_token_count: Option<u64>,
}

impl EmbedWire for GeminiEmbedWire {
    /// The API rejects more than 100 texts, and more than 20 MB.
    const BATCH: EmbedBatch = EmbedBatch { texts: 100, bytes: 8 * 1024 * 1024 };

    fn encode_request(&self, request: &EmbedRequest, texts: &[String]) -> Result<HttpCall> {
        let text = |key| request.config.get(key).and_then(Value::as_str);
        let model = text("version").map_or(self.model.as_str(), models::bare_name);
        let full = format!("{}{model}", request::model_folder(model));
        let mut config = request.config.clone();
        let given = |key: &str| request.config.contains_key(key);
        config.retain(|key, _| !ELSEWHERE.contains(&key.as_str()));
        let task_type = request.task.filter(|_| !given("taskType")).map(task_type);
        let output_dimensionality = request.dimensions.filter(|_| !given("outputDimensionality"));
        let one = |text| TextRequest {
            model: &full,
            content: EmbedContent { parts: [EmbedPart { text }] },
            task_type,
            output_dimensionality,
            config: &config,
        };
        let body = BatchRequest { requests: texts.iter().map(|text| one(text)).collect() };
        let version = text("apiVersion").unwrap_or(&self.settings.version);
        Ok(HttpCall {
            path: request::call_path(version, model, Method::Embed)?,
            headers: request::call_headers(&self.settings, text("apiKey"), false),
            body: serde_json::to_vec(&body)?,
        })
    }

    fn decode_response(&self, body: &[u8]) -> Result<EmbedResponse> {
        let reply: BatchReply =
            serde_json::from_slice(body).map_err(|error| HttpError::from_json(NAME, &error))?;
        let mut usage = Usage::default();
        if let Some(counts) = reply.usage_metadata {
            usage.input_tokens = counts.prompt_token_count;
            usage.total_tokens = counts.total_token_count.or(counts.prompt_token_count);
        }
        let embeddings = reply.embeddings.into_iter().map(|one| Embedding::new(one.values));
        Ok(EmbedResponse::new(embeddings).with_usage(usage))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        response::decode_error(status, headers, body)
    }
}

fn task_type(task: EmbedTask) -> &'static str {
    match task {
        EmbedTask::Query => "RETRIEVAL_QUERY",
        EmbedTask::Document => "RETRIEVAL_DOCUMENT",
        EmbedTask::Similarity => "SEMANTIC_SIMILARITY",
        EmbedTask::Classification => "CLASSIFICATION",
        EmbedTask::Clustering => "CLUSTERING",
        EmbedTask::Question => "QUESTION_ANSWERING",
        EmbedTask::Fact => "FACT_VERIFICATION",
        EmbedTask::CodeQuery => "CODE_RETRIEVAL_QUERY",
        _ => "TASK_TYPE_UNSPECIFIED",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wire() -> GeminiEmbedWire {
        let settings =
            GeminiSettings { key: Some("k".into()), version: "v1beta".into(), openapi: false };
        GeminiEmbedWire { settings: settings.into(), model: "gemini-embedding-001".into() }
    }

    #[test]
    fn each_text_is_a_request_of_the_batch() {
        let request = EmbedRequest::new(["a", "b"])
            .with_task(EmbedTask::Query)
            .with_dimensions(256)
            .with_config("title", "t")
            .with_config("apiKey", "other");
        let call = wire().encode_request(&request, &request.texts).unwrap();
        assert_eq!(call.path, "/v1beta/models/gemini-embedding-001:batchEmbedContents");
        assert!(call.headers.contains(&("x-goog-api-key", "other".into())));
        let one = |text: &str| {
            json!({"model": "models/gemini-embedding-001", "content": {"parts": [{"text": text}]},
                "taskType": "RETRIEVAL_QUERY", "outputDimensionality": 256, "title": "t"})
        };
        let body: Value = serde_json::from_slice(&call.body).unwrap();
        assert_eq!(body, json!({"requests": [one("a"), one("b")]}));
        // The API's own key takes precedence, and is sent once.
        let request = request.with_config("taskType", "CLUSTERING");
        let call = wire().encode_request(&request, &request.texts[..1]).unwrap();
        let body = String::from_utf8(call.body).unwrap();
        assert_eq!(body.matches("taskType").count(), 1);
        assert!(body.contains("CLUSTERING"), "{body}");
    }

    #[test]
    fn vectors_are_read() {
        let body = json!({"embeddings": [{"values": [0.5, -1]}, {"values": [1, 0]}],
            "usageMetadata": {"promptTokenCount": 7}});
        let response = wire().decode_response(body.to_string().as_bytes()).unwrap();
        assert_eq!(response.usage.input_tokens, Some(7));
        assert_eq!(response.into_iter().next().unwrap().values(), [0.5, -1.0]);
        for odd in ["{", r#"{"embeddings": [{"values": ["x"]}]}"#, r#"{"embeddings": 7}"#] {
            assert!(wire().decode_response(odd.as_bytes()).is_err(), "{odd}");
        }
    }
}
