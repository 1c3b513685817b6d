//! The Ollama provider.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::Value;

use super::NAME;
use super::embedder::OllamaEmbedWire;
use super::request::{self, OllamaSettings};
use super::response::{self, error};
use genkit_core::BoxFuture;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_core::internal::sync::lock;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::http::{ApiEndpoint, HttpEmbedder, HttpModel};
use genkit_model::internal::warn_omitted;
use genkit_model::internal::wire::{HeaderLookup, HttpCall, StreamFormat, WireFormat, WireStream};
use genkit_model::{
    ChunkSink, Constrained, EmbedRequest, EmbedResponse, Embedder, Embedding, Model, ModelInfo,
    Provider, Supports,
};
use genkit_openai::OpenAi;

/// The path after the root of the server.
const PATH: &str = "/api/chat";

/// A provider of Ollama models on this machine, on another machine or on ollama.com, through
/// Ollama's own API.
///
/// ```no_run
/// use genkit::model::Ollama;
///
/// # async fn run() -> genkit::Result<()> {
/// let ollama = Ollama::builder().env().num_ctx(16_384).build()?;
/// let answer = genkit::generate("Why is the sky blue?").model(ollama.model("qwen3")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// Ollama's default context window may be as small as 4,096 tokens, and Ollama silently truncates a
/// request that exceeds the context window, including its tools. The provider logs a warning if a truncation is likely.
/// Output is constrained to a schema only if the request has no tools.
///
/// In addition to the common settings, this provider reads these settings from a request's
/// `config`:
///
/// | destination | keys |
/// |---|---|
/// | top level of the request | `think` (`reasoningEffort` is mapped to it), `keep_alive`, `format`, `truncate`, `shift`, `logprobs`, `top_logprobs` |
/// | this call only | `version` (replaces the model name), `apiKey` (replaces the key) |
/// | `options` | `options` (an object), and every other key, unchanged: `num_ctx`, `min_p`, `repeat_penalty`, … |
///
/// If the server (for example a proxy) supports only the OpenAI-compatible API and the feature `openai` is enabled, the
/// provider uses that API and logs one warning.
#[derive(Clone)]
pub struct Ollama {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<OllamaSettings>,
    /// The OpenAI-compatible API of the same server.
    pub(super) chat: OpenAi,
}

impl Ollama {
    /// Returns the model with this name, as shown by `ollama list`: `qwen3`, `gpt-oss:20b`,
    /// `hf.co/who/what:Q4_K_M`.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let ollama = genkit::model::Ollama::builder().build()?;
    /// assert_eq!(ollama.model("qwen3:8b").name(), "ollama/qwen3:8b");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let model = name.strip_prefix("ollama/").unwrap_or(name);
        // A grammar for the output would prevent the model from calling tools.
        let supports =
            Supports::all().with_tool_choice(false).with_constrained(Constrained::NoTools);
        let info = ModelInfo::default().with_supports(supports);
        let wire = OllamaWire { settings: Arc::clone(&self.settings), model: model.to_owned() };
        let full = format!("{NAME}/{model}");
        let native = HttpModel::new(full, info, wire, Arc::clone(&self.endpoint));
        Arc::new(OllamaModel {
            native,
            model: model.to_owned(),
            settings: Arc::clone(&self.settings),
            chat: self.chat.model(model),
        })
    }

    /// Returns the embedder with this name, such as `nomic-embed-text`. The embedder returns an error for an input that
    /// is too long, unless `config` sets `truncate: true`.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let ollama = genkit::model::Ollama::builder().build()?;
    /// assert_eq!(ollama.embedder("nomic-embed-text").name(), "ollama/nomic-embed-text");
    /// # Ok(())
    /// # }
    /// ```
    pub fn embedder(&self, name: &str) -> Arc<dyn Embedder> {
        let model = name.strip_prefix("ollama/").unwrap_or(name);
        let wire =
            OllamaEmbedWire { settings: Arc::clone(&self.settings), model: model.to_owned() };
        let full = format!("{NAME}/{model}");
        Arc::new(OllamaEmbedder {
            native: HttpEmbedder::new(full, wire, Arc::clone(&self.endpoint)),
            settings: Arc::clone(&self.settings),
            chat: self.chat.embedder(model),
        })
    }
}

impl Provider for Ollama {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(Ollama::model(self, name))
    }

    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>> {
        Ok(Ollama::embedder(self, name))
    }
}

/// Omits the key.
impl fmt::Debug for Ollama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ollama").field("num_ctx", &self.settings.num_ctx).finish_non_exhaustive()
    }
}

/// A model that is called through Ollama's own API, or through the OpenAI-compatible API.
struct OllamaModel {
    native: HttpModel<OllamaWire>,
    model: String,
    settings: Arc<OllamaSettings>,
    chat: Arc<dyn Model>,
}

impl OllamaModel {
    async fn call(&self, request: &ModelRequest, chunks: &ChunkSink) -> Result<ModelResponse> {
        let thinks = !self.settings.rejects_thinking(&self.model);
        let result = self.native.generate(request, chunks).await;
        let asked =
            request.config.contains_key(REASONING_EFFORT) && !request.config.contains_key("think");
        // Nothing was sent to `chunks`, because the server rejected the request.
        if result.is_err() && thinks && asked && self.settings.rejects_thinking(&self.model) {
            warn_omitted(NAME, &self.model, REASONING_EFFORT, "use a model that can think");
            return self.native.generate(request, chunks).await;
        }
        result
    }
}

impl Model for OllamaModel {
    fn name(&self) -> &str {
        self.native.name()
    }

    fn info(&self) -> ModelInfo {
        self.native.info()
    }

    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        let native = self.call(request, chunks);
        let native =
            call_with_fallback(&self.settings, native, || self.chat.generate(request, chunks));
        Box::pin(native)
    }

    fn body(&self, request: &ModelRequest, stream: bool) -> Option<Result<Vec<u8>>> {
        self.native.body(request, stream)
    }
}

/// An embedder that is called through Ollama's own API, or through the OpenAI-compatible API.
struct OllamaEmbedder {
    native: HttpEmbedder<OllamaEmbedWire>,
    settings: Arc<OllamaSettings>,
    chat: Arc<dyn Embedder>,
}

impl Embedder for OllamaEmbedder {
    fn name(&self) -> &str {
        self.native.name()
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>> {
        Box::pin(async move { Ok(self.embed_with(EmbedRequest::new(texts)).await?.embeddings) })
    }

    fn embed_with(&self, request: EmbedRequest) -> BoxFuture<'_, Result<EmbedResponse>> {
        let native = self.native.embed_with(request.clone());
        Box::pin(call_with_fallback(&self.settings, native, || self.chat.embed_with(request)))
    }
}

/// Makes a call through Ollama's own API, or through the OpenAI-compatible API of the same server if Ollama's API
/// does not exist there.
async fn call_with_fallback<'a, T>(
    settings: &OllamaSettings,
    native: impl Future<Output = Result<T>>,
    chat: impl FnOnce() -> BoxFuture<'a, Result<T>>,
) -> Result<T> {
    let is_api_missing = &settings.is_api_missing;
    if !is_api_missing.load(Ordering::Relaxed) {
        let result = native.await;
        if result.is_ok() || !is_api_missing.load(Ordering::Relaxed) {
            return result;
        }
        tracing::warn!(
            "ollama: the server has no `/api/chat`; using its OpenAI-compatible API at `/v1`, which does not support `num_ctx`, \
             `keep_alive` and `think`; to use Ollama's own API, set OLLAMA_HOST to the URL of Ollama"
        );
    }
    let result = chat().await;
    // The OpenAI-compatible API does not exist either, so the next call tries both again.
    if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        is_api_missing.store(false, Ordering::Relaxed);
    }
    result
}

/// The wire format of one model.
pub(super) struct OllamaWire {
    pub(super) settings: Arc<OllamaSettings>,
    pub(super) model: String,
}

impl WireFormat for OllamaWire {
    fn encode_request(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let own = request.config.get("apiKey").and_then(Value::as_str);
        let body = request::encode_body(&self.settings, &self.model, request, stream)?;
        Ok(HttpCall { path: PATH.to_owned(), headers: self.settings.call_headers(own), body })
    }

    fn decode_response(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode_response(&self.model, request, body)
    }

    fn framing(&self) -> StreamFormat {
        StreamFormat::Ndjson
    }

    fn open_stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::OllamaStream::new(&self.model, request))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        self.settings.record_api_missing(status, body);
        if error::rejects_thinking(status, body) {
            lock(&self.settings.models_without_thinking).insert(self.model.clone());
        }
        error::decode_error(&self.model, status, headers, body)
    }
}
