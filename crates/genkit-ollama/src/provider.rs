//! The provider: one server.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::NAME;
use super::embedder::OllamaEmbedWire;
use super::wire::{OllamaSettings, OllamaWire};
use genkit_core::BoxFuture;
use genkit_core::ErrorKind;
use genkit_core::Result;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::http::{ApiEndpoint, HttpEmbedder, HttpModel};
use genkit_model::internal::left_out;
use genkit_model::{
    ChunkSink, Constrained, EmbedRequest, EmbedResponse, Embedder, Embedding, Model, ModelInfo,
    Provider, Supports,
};
use genkit_openai::OpenAi;

/// Ollama provider: its models on this machine, another one or ollama.com, by its own API.
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
/// Ollama gives a model a window of as few as 4,096 tokens, and cuts what does not fit without a word, tools too:
/// a warning says where that is to be feared. Output is bound to a schema where a request has no tools.
///
/// Settings that this provider reads from a request's `config`, beside Genkit's common ones:
///
/// | where they go | keys |
/// |---|---|
/// | the top of the request | `think` (`reasoningEffort` is mapped to it), `keep_alive`, `format`, `truncate`, `shift`, `logprobs`, `top_logprobs` |
/// | the call | `version` (the model), `apiKey` |
/// | `options` | `options` (an object), and every other key, as it is: `num_ctx`, `min_p`, `repeat_penalty`, … |
///
/// A server that has no such API but OpenAI's, as a proxy, is gone on with by that where the feature `openai` is on; a
/// warning says so once.
#[derive(Clone)]
pub struct Ollama {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<OllamaSettings>,
    /// The same server by OpenAI's API.
    pub(super) chat: OpenAi,
}

impl Ollama {
    /// The model of that name, as `ollama list` has it: `qwen3`, `gpt-oss:20b`, `hf.co/who/what:Q4_K_M`.
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
        // A grammar for the output keeps a model from calling tools.
        let supports = {
            let mut supports = Supports::all();
            supports.tool_choice = false;
            supports.constrained = Constrained::NoTools;
            supports
        };
        let mut info = ModelInfo::default();
        info.supports = Some(supports);
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

    /// The embedder of that name: `nomic-embed-text`. A text that is too long for it is an error, unless `config` says
    /// `truncate: true`.
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

/// Does not show the key.
impl fmt::Debug for Ollama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ollama").field("num_ctx", &self.settings.num_ctx).finish_non_exhaustive()
    }
}

/// A model by Ollama's own API, else by OpenAI's.
struct OllamaModel {
    native: HttpModel<OllamaWire>,
    model: String,
    settings: Arc<OllamaSettings>,
    chat: Arc<dyn Model>,
}

impl OllamaModel {
    async fn call(&self, request: &ModelRequest, chunks: &ChunkSink) -> Result<ModelResponse> {
        let thinks = !self.settings.is_without_thoughts(&self.model);
        let result = self.native.generate(request, chunks).await;
        let asked =
            request.config.contains_key(REASONING_EFFORT) && !request.config.contains_key("think");
        // Nothing was sent to `chunks`: the server refused the request.
        if result.is_err() && thinks && asked && self.settings.is_without_thoughts(&self.model) {
            left_out(
                NAME,
                &self.model,
                REASONING_EFFORT,
                "the model cannot think; take another one",
            );
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
        let native = by_either(&self.settings, native, || self.chat.generate(request, chunks));
        Box::pin(native)
    }

    fn body(&self, request: &ModelRequest, stream: bool) -> Option<Result<Vec<u8>>> {
        self.native.body(request, stream)
    }
}

/// An embedder by Ollama's own API, else by OpenAI's.
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
        Box::pin(by_either(&self.settings, native, || self.chat.embed_with(request)))
    }
}

/// A call by Ollama's own API; where that is not served, by OpenAI's on the same server.
async fn by_either<'a, T>(
    settings: &OllamaSettings,
    native: impl Future<Output = Result<T>>,
    chat: impl FnOnce() -> BoxFuture<'a, Result<T>>,
) -> Result<T> {
    let is_not_served = &settings.is_not_served;
    if !is_not_served.load(Ordering::Relaxed) {
        let result = native.await;
        if result.is_ok() || !is_not_served.load(Ordering::Relaxed) {
            return result;
        }
        tracing::warn!(
            "ollama: its own API is not at that address, so that OpenAI's at /v1 is used, which has no `num_ctx`, \
             `keep_alive` and `think`; say where Ollama is with OLLAMA_HOST"
        );
    }
    let result = chat().await;
    // That is not there either: the next call asks anew.
    if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        is_not_served.store(false, Ordering::Relaxed);
    }
    result
}
