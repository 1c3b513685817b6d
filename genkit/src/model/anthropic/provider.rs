//! The provider: one address and one key.

use std::fmt;
use std::sync::Arc;

use super::wire::{AnthropicSettings, MessagesWire};
use super::{NAME, models};
use crate::error::Result;
use crate::model::http::{ApiEndpoint, HttpModel};
use crate::model::{Model, Provider};

/// Anthropic's Claude models.
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
        let model = name.strip_prefix("anthropic/").unwrap_or(name).to_owned();
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
