//! The provider: one server and one key.

use std::fmt;
use std::sync::Arc;

use super::wire::ResponsesWire;
use crate::wire::settings::OpenAiServer;
use genkit_core::Result;
use genkit_model::internal::http::{ApiEndpoint, HttpModel};
use genkit_model::{Model, ModelInfo, Provider, Supports};

/// OpenAI Responses provider: models behind that API, at OpenAI or any server that speaks it.
///
/// ```no_run
/// use genkit::model::OpenAiResponses;
///
/// # async fn run() -> genkit::Result<()> {
/// let openai = OpenAiResponses::from_env()?; // OPENAI_API_KEY
/// let answer = genkit::generate("Why is the sky blue?").model(openai.model("gpt-5-mini")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// Models that have nothing else, as `o1-pro` or `gpt-5-codex`, are reached by it also under the
/// names of [`OpenAi`](crate::chat::provider::OpenAi): `"openai/o1-pro"`.
///
/// Nothing is stored at the server: each request holds the whole conversation, and what a model
/// thought goes back to it encrypted. `config("store", true)` stores answers, and thoughts go back by
/// their ids.
///
/// Settings that this provider reads from a request's `config`, beside Genkit's common ones:
///
/// | key | what it does |
/// |---|---|
/// | `reasoningEffort`, `reasoningSummary` | in `reasoning`; without a summary thoughts are not shown |
/// | `verbosity` | in `text` |
/// | `parallelToolCalls`, `maxToolCalls`, `serviceTier`, `promptCacheKey`, `safetyIdentifier`, `topLogProbs`, `previousResponseId` | sent under the name that the API has |
/// | `maxOutputTokens` | at least 16, which is the least that the API takes |
/// | `tools` | tools of the server, as `{"type": "web_search"}`, beside those of the request |
/// | `include` | what answers hold beside the usual |
/// | `visualDetailLevel` | how closely images are looked at |
/// | `version` | replaces the model's name |
/// | `apiKey` | replaces the key for this call; it never stands in the body |
/// | every other key | sent as it is: `metadata`, `truncation`, `background`, … |
#[derive(Clone)]
pub struct OpenAiResponses {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<OpenAiServer>,
}

impl OpenAiResponses {
    /// The model of that name. One that is not known is made all the same.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAiResponses::builder().api_key("sk-…").build()?;
    /// assert_eq!(openai.model("gpt-5-mini").name(), "openai-responses/gpt-5-mini");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        model(&self.endpoint, &self.settings, name)
    }
}

/// A model of that server, whichever provider it was named by.
pub(crate) fn model(
    endpoint: &Arc<ApiEndpoint>,
    settings: &Arc<OpenAiServer>,
    name: &str,
) -> Arc<dyn Model> {
    let mut info = ModelInfo::default();
    info.supports = Some(Supports::all());
    let wire = ResponsesWire { settings: Arc::clone(settings), model: name.to_owned() };
    let name = format!("{}/{name}", settings.name);
    Arc::new(HttpModel::new(name, info, wire, Arc::clone(endpoint)))
}

impl Provider for OpenAiResponses {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(OpenAiResponses::model(self, name))
    }
}

/// Does not show the key.
impl fmt::Debug for OpenAiResponses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiResponses").field("name", &self.settings.name).finish_non_exhaustive()
    }
}
