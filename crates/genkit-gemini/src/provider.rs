//! The Gemini provider.

use std::fmt;
use std::sync::Arc;

use super::embedder::GeminiEmbedWire;
use super::request::{self, GeminiSettings, Method};
use super::{NAME, models, response};
use genkit_core::{Error, ModelRequest, ModelResponse, Result};
use genkit_model::internal::http::{ApiEndpoint, HttpEmbedder, HttpModel};
use genkit_model::internal::wire::{HeaderLookup, HttpCall, WireFormat, WireStream};
use genkit_model::{Embedder, Model, Provider};

/// A provider of Google's Gemini models.
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
/// Thought signatures are kept in the metadata of their parts, under `thoughtSignature`. The provider sends them back
/// with the parts, so keep the messages of a conversation unchanged.
///
/// In addition to the common settings, this provider reads these settings from a request's
/// `config`:
///
/// | destination | keys |
/// |---|---|
/// | top level of the request | `safetySettings`, `cachedContent`, `serviceTier`, `labels` |
/// | `tools` | `googleSearch`, `googleSearchRetrieval`, `codeExecution`, `urlContext`, `fileSearch`, `googleMaps`, `enterpriseWebSearch`, `computerUse` (`true` or an object), `tools` (a list, sent unchanged) |
/// | `toolConfig` | `functionCallingConfig`, `retrievalConfig`, `toolConfig` (sent unchanged) |
/// | the call | `version` (the model), `apiVersion`, `apiKey` (sent as a header); `baseUrl` is not sent |
/// | `generationConfig` | every other key, unchanged: `thinkingConfig`, `presencePenalty`, `responseModalities`, … |
///
/// `reasoning` is sent as `thinkingLevel` to Gemini 3 and newer, and as
/// `thinkingBudget` to Gemini 2.5. A `thinkingConfig` with one of these keys takes precedence.
#[derive(Clone)]
pub struct Gemini {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<GeminiSettings>,
}

impl Gemini {
    /// Returns the model with this name, such as `gemini-2.5-flash`, `models/gemini-2.5-flash` or
    /// `tunedModels/mine`. Unknown names are accepted.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().api_key("AIza").build()?;
    /// assert_eq!(gemini.model("models/gemini-9").name(), "gemini/gemini-9");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let model = models::bare_name(name).to_owned();
        let (name, info) = (format!("{NAME}/{model}"), models::model_info(&model));
        let wire = GeminiWire { settings: Arc::clone(&self.settings), model };
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }

    /// Returns the embedder with this name, such as `gemini-embedding-001`. The API truncates inputs
    /// that are longer than the model's limit of 2,048 tokens.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().api_key("AIza").build()?;
    /// assert_eq!(gemini.embedder("gemini-embedding-001").name(), "gemini/gemini-embedding-001");
    /// # Ok(())
    /// # }
    /// ```
    pub fn embedder(&self, name: &str) -> Arc<dyn Embedder> {
        let model = models::bare_name(name).to_owned();
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

/// Omits the key.
impl fmt::Debug for Gemini {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gemini")
            .field("version", &self.settings.version)
            .field("openapi_schemas", &self.settings.openapi)
            .finish_non_exhaustive()
    }
}

/// The wire format of one model.
pub(super) struct GeminiWire {
    pub(super) settings: Arc<GeminiSettings>,
    pub(super) model: String,
}

impl WireFormat for GeminiWire {
    fn encode_request(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let method = if stream { Method::Stream } else { Method::Generate };
        request::encode_request(&self.settings, &self.model, request, method)
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        request::encode_request(&self.settings, &self.model, request, Method::Count).map(Some)
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        response::decode_count(body)
    }

    fn decode_response(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode_response(request, body)
    }

    fn open_stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::GeminiStream::new(request))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        response::decode_error(status, headers, body)
    }
}
