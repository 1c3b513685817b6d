//! The Anthropic provider.

use std::fmt;
use std::sync::Arc;

use super::request::{self, AnthropicSettings};
use super::{NAME, models, response};
use genkit_core::{Error, Message, ModelRequest, ModelResponse, Result};
use genkit_model::internal::http::{ApiEndpoint, HttpModel};
use genkit_model::internal::wire::{HeaderLookup, HttpCall, WireFormat, WireStream};
use genkit_model::{Model, Provider};

/// A provider of Anthropic's Claude models.
///
/// ```no_run
/// use genkit::model::Anthropic;
///
/// # async fn run() -> genkit::Result<()> {
/// let anthropic = Anthropic::from_env()?; // ANTHROPIC_API_KEY
/// let answer = genkit::generate("Why is the sky blue?").model(anthropic.model("claude-sonnet-4-6")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// The signatures of thoughts are stored in the metadata of their parts, under `thoughtSignature`.
/// Encrypted thoughts, and the calls and results of server tools, are custom parts. All are sent
/// back unchanged, so do not modify the messages of a conversation. A response that is paused for a
/// server tool is continued automatically, up to 5 times.
///
/// If a request does not set `maxOutputTokens`, the limit is 16,000 tokens, or 64,000 with the effort `xhigh` or `max`,
/// plus the thinking budget. It is never higher than the limit of the model.
///
/// A prompt is cached up to a cache breakpoint; see
/// [`Part::with_cache`](genkit_core::Part::with_cache).
///
/// Claude 4.5 and newer find [lazy](genkit_core::ToolDefinition::lazy) tools with Anthropic's tool search
/// (`tool_search_tool_bm25_20251119`). The blocks of a search are also custom parts. They are not sent back if a tool
/// that a search found is no longer offered.
///
/// In addition to the common settings, this provider reads these settings from a request's
/// `config`:
///
/// | key | meaning |
/// |---|---|
/// | `thinking` | in the API's format, or `{"enabled": true, "budgetTokens": 2048}` or `{"adaptive": true}`; `reasoning(..)` is simpler |
/// | `effort` | an effort of the API; the other fields of `output_config` are kept |
/// | `disableParallelToolUse` | whether to allow only one call at a time |
/// | `tools` | a list of server tools, sent unchanged: `{"type": "web_search_20250305", "name": "web_search"}` |
/// | `betas` | the values of the header `anthropic-beta`; the value for files is added automatically |
/// | `version`, `apiVersion`, `apiKey` | the model, the version of the API and the API key of this call |
/// | `metadata`, `service_tier`, `container`, `mcp_servers`, `cache_control`, … | fields of the body, sent unchanged |
#[derive(Clone)]
pub struct Anthropic {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<AnthropicSettings>,
}

impl Anthropic {
    /// Returns the model with this name, such as `claude-sonnet-4-6`. Unknown names are accepted.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let anthropic = genkit::model::Anthropic::builder().api_key("sk-ant").build()?;
    /// assert_eq!(anthropic.model("claude-opus-9").name(), "anthropic/claude-opus-9");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let model = models::bare_name(name).to_owned();
        let (name, info) = (format!("{NAME}/{model}"), models::model_info(&model));
        let wire = MessagesWire { settings: Arc::clone(&self.settings), model };
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(Anthropic::model(self, name))
    }
}

/// Omits the key.
impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic").field("version", &self.settings.version).finish_non_exhaustive()
    }
}

/// The wire format of one model.
pub(super) struct MessagesWire {
    pub(super) settings: Arc<AnthropicSettings>,
    pub(super) model: String,
}

impl WireFormat for MessagesWire {
    fn encode_request(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        request::encode_request(&self.settings, &self.model, request, stream)
    }

    fn decode_response(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode_response(request, body)
    }

    fn open_stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(response::MessageStream::new(request))
    }

    fn continue_request(
        &self,
        request: &ModelRequest,
        paused: &ModelResponse,
    ) -> Option<ModelRequest> {
        let message = paused.message.as_ref().filter(|_| response::is_paused(paused))?;
        let mut request = request.clone();
        request.messages.push(Message::new(message.role, message.content.iter().cloned()));
        Some(request)
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        request::encode_count(&self.settings, &self.model, request).map(Some)
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        response::decode_count(body)
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        response::decode_error(status, headers, body)
    }
}
