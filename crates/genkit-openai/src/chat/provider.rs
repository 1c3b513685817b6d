//! The provider: one server and one key.

use std::fmt;
use std::sync::Arc;

use super::embedder::OpenAiEmbedWire;
use super::wire::ChatWire;
use crate::wire::models::needs_responses;
use crate::wire::settings::OpenAiServer;
use genkit_core::Result;
use genkit_model::internal::http::{ApiEndpoint, HttpEmbedder, HttpModel};
use genkit_model::{Constrained, Embedder, Model, ModelInfo, Provider, Supports};

/// OpenAI provider: models behind its chat completions, at OpenAI or any server that speaks them.
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
/// `huggingface`, and on this machine `ollama`, `lmstudio`, `vllm`, `llamacpp`. For another one
/// give its address to [`OpenAi::builder`].
///
/// Models of OpenAI that have the Responses API alone, as `o1-pro` or `gpt-5-codex`, are reached by that, which needs
/// the feature `openai-responses`.
///
/// Settings that this provider reads from a request's `config`, beside Genkit's common ones:
///
/// | key | what it does |
/// |---|---|
/// | `presencePenalty`, `frequencyPenalty`, `logProbs`, `topLogProbs`, `logitBias`, `parallelToolCalls`, `serviceTier`, `promptCacheKey` | sent under the name that the API has |
/// | `maxOutputTokens` | as `max_completion_tokens` or `max_tokens`, whichever the server knows |
/// | `topK` | sent where the server takes it, else left out |
/// | `temperature`, `topP`, `stopSequences` | left out for OpenAI's models that refuse them, `o3` or `gpt-5` |
/// | `reasoningEffort` | the nearest that the model has; left out for `gpt-4o` and others without |
/// | `visualDetailLevel` | how closely images are looked at |
/// | `version` | replaces the model's name |
/// | `apiKey` | replaces the key for this call; it never stands in the body |
/// | every other key | sent as it is: `reasoning`, `provider`, `response_format`, … |
#[derive(Clone)]
pub struct OpenAi {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<OpenAiServer>,
}

impl OpenAi {
    /// The model of that name. One that is not known is made all the same.
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
            return crate::responses::model(&self.endpoint, &self.settings, name);
        }
        let deviations = &self.settings.deviations;
        let mut supports = Supports::all();
        supports.tool_choice = deviations.tool_choice;
        supports.constrained = match (deviations.json_schema, deviations.json_with_tools) {
            (false, _) => Constrained::None,
            (true, false) => Constrained::NoTools,
            (true, true) => Constrained::All,
        };
        let mut info = ModelInfo::default();
        info.supports = Some(supports);
        let wire = ChatWire { settings: Arc::clone(&self.settings), model: name.to_owned() };
        let name = format!("{}/{name}", self.settings.name);
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }

    /// The embedder of that name, by the server's `/embeddings`.
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

/// Does not show the key.
impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("name", &self.settings.name).finish_non_exhaustive()
    }
}
