//! The provider: one address and one key.

use std::fmt;
use std::sync::Arc;

use super::request::AnthropicSettings;
use super::wire::MessagesWire;
use super::{NAME, models};
use genkit_core::Result;
use genkit_model::internal::http::{ApiEndpoint, HttpModel};
use genkit_model::{Model, Provider};

/// Anthropic provider: the Claude models.
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
/// Thoughts keep their signatures in the metadata of their parts, under `thoughtSignature`, and encrypted ones are
/// custom parts, as is what tools at Anthropic did and found: keep the messages of a conversation as they are, and all
/// of it goes back unchanged. An answer that pauses for such a tool goes on by itself, up to 5 times.
///
/// Where a request says no `maxOutputTokens` an answer may have 16,000 tokens, 64,000 with the most of effort, and less
/// where the model has less; a budget for thoughts comes on top.
///
/// A prompt is cached up to a mark: [`Part::with_cache`](genkit_core::Part::with_cache).
///
/// Settings that this provider reads from a request's `config`, beside Genkit's common ones:
///
/// | key | what it is |
/// |---|---|
/// | `thinking` | as the API has it, or `{"enabled": true, "budgetTokens": 2048}`, `{"adaptive": true}`; `reasoning(..)` is simpler |
/// | `effort` | a word of the API; `output_config` beside it goes through |
/// | `disableParallelToolUse` | one call at a time |
/// | `tools` | tools at Anthropic, a list, as it is: `{"type": "web_search_20250305", "name": "web_search"}` |
/// | `betas` | what goes into the header `anthropic-beta`; that of files is said by itself |
/// | `version`, `apiVersion`, `apiKey` | of the call: the model, the version of the API, another key |
/// | `metadata`, `service_tier`, `container`, `mcp_servers`, `cache_control`, … | the body, as they are |
#[derive(Clone)]
pub struct Anthropic {
    pub(super) endpoint: Arc<ApiEndpoint>,
    pub(super) settings: Arc<AnthropicSettings>,
}

impl Anthropic {
    /// The model of that name: `claude-sonnet-4-6`. One that is not known is made all the same.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let anthropic = genkit::model::Anthropic::builder().api_key("sk-ant").build()?;
    /// assert_eq!(anthropic.model("claude-opus-9").name(), "anthropic/claude-opus-9");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let model = models::bare(name).to_owned();
        let (name, info) = (format!("{NAME}/{model}"), models::info(&model));
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

/// Does not show the key.
impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic").field("version", &self.settings.version).finish_non_exhaustive()
    }
}
