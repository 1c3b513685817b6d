//! The builder of the OpenAI Responses provider.

use std::sync::Arc;

use super::provider::OpenAiResponses;
use crate::wire::builder::{ServerBuilder, openai_builder};
use genkit_core::Result;

/// The default name of the provider, which is the prefix of its models' names.
const NAME: &str = "openai-responses";

impl OpenAiResponses {
    /// Creates a provider from environment variables: the API key from `OPENAI_API_KEY`, and the
    /// base URL from `OPENAI_BASE_URL` if it is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAiResponses::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if no API key is set or if the base URL is invalid.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Creates a builder, for custom settings or another server. It does not read environment
    /// variables unless [`env`](OpenAiResponsesBuilder::env) is called.
    ///
    /// ```
    /// use genkit::model::OpenAiResponses;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let local = OpenAiResponses::builder().name("local").base_url("http://localhost:8000/v1").build()?;
    /// assert_eq!(local.model("gpt-oss").name(), "local/gpt-oss");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> OpenAiResponsesBuilder {
        OpenAiResponsesBuilder::default()
    }
}

/// A builder for an [`OpenAiResponses`] provider. See [`OpenAiResponses::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiResponsesBuilder {
    pub(super) common: ServerBuilder,
}

openai_builder! {
    OpenAiResponsesBuilder

    /// Sets the name of the provider, which is the prefix of its models' names. Default is
    /// `openai-responses`.
    name;

    /// Sets the base URL of the server, including the version: `http://localhost:8000/v1`. Default
    /// is `https://api.openai.com/v1`.
    base_url;

    ///
    /// ```
    /// use genkit::model::OpenAiResponses;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let azure = OpenAiResponses::builder()
    ///     .name("azure")
    ///     .base_url("https://me.openai.azure.com/openai/v1")
    ///     .header("api-key", "k")
    ///     .build()?;
    /// assert_eq!(azure.model("gpt-5-pro").name(), "azure/gpt-5-pro");
    /// # Ok(())
    /// # }
    /// ```
    header;

    /// This may be too short for the slowest models.
    timeout;
}

impl OpenAiResponsesBuilder {
    /// Builds the provider.
    ///
    /// ```
    /// use genkit::model::OpenAiResponses;
    ///
    /// let error = OpenAiResponses::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("OPENAI_API_KEY"));
    /// assert!(OpenAiResponses::builder().base_url("http://localhost:8000/v1").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the base URL or a header is invalid, or if no API key is set. No key is needed
    /// for a local or unknown server, if an `authorization` header is set, or if a cassette is replayed.
    pub fn build(self) -> Result<OpenAiResponses> {
        let (endpoint, settings) = self
            .common
            .build_server(Some(NAME), |_| "OpenAiResponses::builder().env()".to_owned())?;
        Ok(OpenAiResponses { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}
