//! The provider: one address and one key.

use std::fmt;
use std::sync::Arc;

use super::embedder::GeminiEmbedWire;
use super::request::GeminiSettings;
use super::wire::GeminiWire;
use super::{NAME, models};
use genkit_core::Result;
use genkit_model::internal::http::{ApiEndpoint, HttpEmbedder, HttpModel};
use genkit_model::{Embedder, Model, Provider};

/// Gemini provider: Google's Gemini models.
///
/// ```no_run
/// use genkit::model::Gemini;
///
/// # async fn run() -> genkit::Result<()> {
/// let gemini = Gemini::from_env()?; // GEMINI_API_KEY
/// let answer = genkit::generate("Why is the sky blue?").model(gemini.model("gemini-2.5-flash")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// Thought signatures stay in the metadata of the parts that they came with, under
/// `thoughtSignature`, and go back with them: keep the messages of a conversation as they are.
///
/// Settings that this provider reads from a request's `config`, beside Genkit's common ones:
///
/// | where they go | keys |
/// |---|---|
/// | the top of the request | `safetySettings`, `cachedContent`, `serviceTier`, `labels` |
/// | `tools` | `googleSearch`, `googleSearchRetrieval`, `codeExecution`, `urlContext`, `fileSearch`, `googleMaps`, `enterpriseWebSearch`, `computerUse` (`true` or an object), `tools` (a list, as it is) |
/// | `toolConfig` | `functionCallingConfig`, `retrievalConfig`, `toolConfig` (as it is) |
/// | the call | `version` (the model), `apiVersion`; `apiKey` and `baseUrl` are never sent |
/// | `generationConfig` | every other key, as it is: `thinkingConfig`, `presencePenalty`, `responseModalities`, … |
///
/// `reasoning` becomes `thinkingLevel` since Gemini 3, and `thinkingBudget` at 2.5;
/// a `thinkingConfig` of your own wins.
#[derive(Clone)]
pub struct Gemini {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<GeminiSettings>,
}

impl Gemini {
    /// The model of that name: `gemini-2.5-flash`, `models/gemini-2.5-flash`, `tunedModels/mine`.
    /// One that is not known is made all the same.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().api_key("AIza").build()?;
    /// assert_eq!(gemini.model("models/gemini-9").name(), "gemini/gemini-9");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let model = models::bare(name).to_owned();
        let (name, info) = (format!("{NAME}/{model}"), models::info(&model));
        let wire = GeminiWire { settings: Arc::clone(&self.settings), model };
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }

    /// The embedder of that name: `gemini-embedding-001`. A text of more tokens than it reads (2,048) is cut by the API.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().api_key("AIza").build()?;
    /// assert_eq!(gemini.embedder("gemini-embedding-001").name(), "gemini/gemini-embedding-001");
    /// # Ok(())
    /// # }
    /// ```
    pub fn embedder(&self, name: &str) -> Arc<dyn Embedder> {
        let model = models::bare(name).to_owned();
        let name = format!("{NAME}/{model}");
        let wire = GeminiEmbedWire { settings: Arc::clone(&self.settings), model };
        Arc::new(HttpEmbedder::new(name, wire, Arc::clone(&self.endpoint)))
    }
}

impl Provider for Gemini {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(Gemini::model(self, name))
    }

    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>> {
        Ok(Gemini::embedder(self, name))
    }
}

/// Does not show the key.
impl fmt::Debug for Gemini {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gemini")
            .field("version", &self.settings.version)
            .field("openapi_schemas", &self.settings.openapi)
            .finish_non_exhaustive()
    }
}
