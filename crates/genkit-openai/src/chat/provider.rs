//! The OpenAI provider.

use std::fmt;
use std::sync::Arc;

use super::embedder::OpenAiEmbedWire;
use super::{request, response};
use crate::wire::builder::OpenAiServer;
use crate::wire::models::{Target, needs_responses};
use crate::wire::response::error;
use genkit_core::{Error, ModelRequest, ModelResponse, Result};
use genkit_model::internal::http::{ApiEndpoint, HttpEmbedder, HttpModel};
use genkit_model::internal::wire::{HeaderLookup, HttpCall, WireFormat, WireStream};
use genkit_model::{Constrained, Embedder, Model, ModelInfo, Provider, Supports};

/// The path of the endpoint, relative to the base URL.
const PATH: &str = "/chat/completions";

/// A provider that uses the chat completions API of OpenAI or of a compatible server.
///
/// ```no_run
/// use genkit::model::OpenAi;
///
/// # async fn run() -> genkit::Result<()> {
/// let openai = OpenAi::from_env()?; // OPENAI_API_KEY
/// let local = OpenAi::server("ollama")?;
/// let answer = genkit::generate("Why is the sky blue?").model(local.model("qwen3")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// Known servers: `openai`, `openrouter`, `groq`, `mistral`, `deepseek`, `xai`, `gemini-openai`,
/// `together`, `fireworks`, `cerebras`, `moonshot`, `perplexity`, `deepinfra`, `nvidia`,
/// `huggingface`, and the local servers `ollama`, `lmstudio`, `vllm` and `llamacpp`. For another
/// server, pass its base URL to [`OpenAi::builder`].
///
/// Models that OpenAI offers only in the Responses API, such as `o1-pro` and `gpt-5-codex`, are called through that
/// API.
///
/// In addition to the common settings, this provider reads these settings from a request's
/// `config`:
///
/// | key | effect |
/// |---|---|
/// | `presencePenalty`, `frequencyPenalty`, `logProbs`, `topLogProbs`, `logitBias`, `parallelToolCalls`, `serviceTier`, `promptCacheKey` | sent under the API's name, such as `presence_penalty` |
/// | `maxOutputTokens` | sent as `max_completion_tokens` or `max_tokens`, depending on the server |
/// | `topK` | sent if the server supports it |
/// | `temperature`, `topP`, `stopSequences` | omitted for OpenAI's models that reject them, such as `o3` and `gpt-5` |
/// | `reasoningEffort` | the nearest effort that the model supports; omitted for models without reasoning, such as `gpt-4o` |
/// | `visualDetailLevel` | the level of detail of images |
/// | `version` | replaces the model's name |
/// | `apiKey` | replaces the key for this call; never part of the body |
/// | every other key | sent unchanged: `reasoning`, `provider`, `response_format`, … |
#[derive(Clone)]
pub struct OpenAi {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<OpenAiServer>,
}

impl OpenAi {
    /// Returns the model with this name. Unknown names are accepted.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAi::builder().api_key("sk-…").build()?;
    /// assert_eq!(openai.model("gpt-4o-mini").name(), "openai/gpt-4o-mini");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        if self.settings.is_openai() && needs_responses(name) {
            return crate::responses::responses_model(&self.endpoint, &self.settings, name);
        }
        let deviations = &self.settings.deviations;
        let constrained = match (deviations.json_schema, deviations.json_with_tools) {
            (false, _) => Constrained::None,
            (true, false) => Constrained::NoTools,
            (true, true) => Constrained::All,
        };
        let supports =
            Supports::all().with_tool_choice(deviations.tool_choice).with_constrained(constrained);
        let info = ModelInfo::default().with_supports(supports);
        let wire = ChatWire { settings: Arc::clone(&self.settings), model: name.to_owned() };
        let name = format!("{}/{name}", self.settings.name);
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }

    /// Returns the embedder with this name. The embedder calls the server's `/embeddings` endpoint.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAi::builder().api_key("sk-…").build()?;
    /// assert_eq!(openai.embedder("text-embedding-3-small").name(), "openai/text-embedding-3-small");
    /// # Ok(())
    /// # }
    /// ```
    pub fn embedder(&self, name: &str) -> Arc<dyn Embedder> {
        let wire = OpenAiEmbedWire { settings: Arc::clone(&self.settings), model: name.to_owned() };
        let name = format!("{}/{name}", self.settings.name);
        Arc::new(HttpEmbedder::new(name, wire, Arc::clone(&self.endpoint)))
    }
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(OpenAi::model(self, name))
    }

    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>> {
        Ok(OpenAi::embedder(self, name))
    }
}

/// Omits the key.
impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("name", &self.settings.name).finish_non_exhaustive()
    }
}

/// The wire format of one model.
pub(super) struct ChatWire {
    pub(super) settings: Arc<OpenAiServer>,
    pub(super) model: String,
}

impl ChatWire {
    fn call_target(&self) -> Target<'_> {
        let OpenAiServer { name, deviations, .. } = &*self.settings;
        Target { provider: name, model: &self.model, deviations }
    }
}

impl WireFormat for ChatWire {
    fn encode_request(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let headers = self.settings.call_headers(&request.config);
        let body = request::encode_body(&self.call_target(), request, stream)?;
        Ok(HttpCall { path: PATH.to_owned(), headers, body })
    }

    fn decode_response(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode_response(&self.call_target(), request, body)
    }

    fn open_stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::ChatStream::new(self.call_target(), request))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        error::decode_error(&self.settings.name, status, headers, body)
    }
}
