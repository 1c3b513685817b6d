//! The OpenAI Responses provider.

use std::fmt;
use std::sync::Arc;

use super::{request, response};
use crate::wire::builder::OpenAiServer;
use crate::wire::models;
use crate::wire::response::error;
use genkit_core::{Error, ModelRequest, ModelResponse, Result};
use genkit_model::internal::http::{ApiEndpoint, HttpModel};
use genkit_model::internal::wire::{HeaderLookup, HttpCall, WireFormat, WireStream};
use genkit_model::{Model, ModelInfo, Provider, Supports};

/// The path of the endpoint, relative to the base URL.
const PATH: &str = "/responses";

/// The path of the endpoint that counts tokens.
const COUNT_PATH: &str = "/responses/input_tokens";

/// A provider that uses the Responses API of OpenAI or of a compatible server.
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
/// Models that are only available in this API, such as `o1-pro` and `gpt-5-codex`, can also be
/// named with the prefix of [`OpenAi`](crate::chat::provider::OpenAi): `"openai/o1-pro"`.
///
/// By default, nothing is stored on the server: each request contains the whole conversation, and a
/// model's thoughts are sent back encrypted. With `config("store", true)`, the server stores
/// responses, and thoughts are sent back by id.
///
/// GPT-5.4 and newer find [lazy](genkit_core::ToolDefinition::lazy) tools with the API's own tool search. The tools are
/// sent in namespaces of up to 10 tools: one or more for each prefix `key/` of their names. The items of a search are
/// custom parts, which are sent back unchanged.
///
/// In addition to the common settings, this provider reads these settings from a request's
/// `config`:
///
/// | key | effect |
/// |---|---|
/// | `reasoningEffort`, `reasoningSummary` | sent in `reasoning`; without a summary, thoughts are not returned |
/// | `verbosity` | sent in `text` |
/// | `parallelToolCalls`, `maxToolCalls`, `serviceTier`, `promptCacheKey`, `safetyIdentifier`, `topLogProbs`, `previousResponseId` | sent under the API's name, such as `parallel_tool_calls` |
/// | `maxOutputTokens` | raised to 16, the minimum of the API, if it is lower |
/// | `tools` | server tools such as `{"type": "web_search"}`, in addition to the request's tools |
/// | `include` | additional data to include in responses |
/// | `visualDetailLevel` | the level of detail of images |
/// | `version` | replaces the model's name |
/// | `apiKey` | replaces the key for this call; never part of the body |
/// | every other key | sent unchanged, except `seed` and `logitBias`, which this API does not support: `metadata`, `truncation`, `background`, … |
#[derive(Clone)]
pub struct OpenAiResponses {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<OpenAiServer>,
}

impl OpenAiResponses {
    /// Returns the model with this name. Unknown names are accepted.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAiResponses::builder().api_key("sk-…").build()?;
    /// assert_eq!(openai.model("gpt-5-mini").name(), "openai-responses/gpt-5-mini");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        responses_model(&self.endpoint, &self.settings, name)
    }
}

/// Returns a model of this server that uses the Responses API. `name` has no prefix; the prefix of the model's full
/// name is the name in `settings`.
pub(crate) fn responses_model(
    endpoint: &Arc<ApiEndpoint>,
    settings: &Arc<OpenAiServer>,
    name: &str,
) -> Arc<dyn Model> {
    let searches = settings.is_openai() && models::searches_tools(name);
    let info = ModelInfo::default().with_supports(Supports::all().with_tool_search(searches));
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

/// Omits the key.
impl fmt::Debug for OpenAiResponses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiResponses").field("name", &self.settings.name).finish_non_exhaustive()
    }
}

/// The wire format of one model.
pub(super) struct ResponsesWire {
    pub(super) settings: Arc<OpenAiServer>,
    pub(super) model: String,
}

impl ResponsesWire {
    fn build_call(&self, path: &str, request: &ModelRequest, body: Vec<u8>) -> HttpCall {
        HttpCall {
            path: path.to_owned(),
            headers: self.settings.call_headers(&request.config),
            body,
        }
    }
}

impl WireFormat for ResponsesWire {
    fn encode_request(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let body = request::encode_body(&self.settings, &self.model, request, stream)?;
        Ok(self.build_call(PATH, request, body))
    }

    fn decode_response(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode_response(&self.settings, request, body)
    }

    fn open_stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::ResponsesStream::new(&self.settings, request))
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        let body = request::count_body(&self.settings, &self.model, request)?;
        Ok(Some(self.build_call(COUNT_PATH, request, body)))
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        response::decode_count(&self.settings, body)
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        error::decode_error(&self.settings.name, status, headers, body)
    }
}
