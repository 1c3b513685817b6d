//! The builder of the OpenAI Responses provider.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::provider::OpenAiResponses;
use crate::wire::builder::ServerBuilder;
use genkit_core::Result;
use genkit_model::Cassette;

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

    /// Creates a builder for any server, with custom settings, which does not read environment
    /// variables.
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

/// A builder of an [`OpenAiResponses`] provider. See [`OpenAiResponses::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiResponsesBuilder {
    pub(super) given: ServerBuilder,
}

impl OpenAiResponsesBuilder {
    /// Reads settings that are not set explicitly from the environment: `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL`, or the variables of the known server at the base URL.
    pub fn env(mut self) -> Self {
        self.given.from_env = true;
        self
    }

    /// Sets the name of the provider, which is the prefix of its models' names. Default is
    /// `openai-responses`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.given.name = Some(name.into());
        self
    }

    /// Sets the API key, which is sent in a header and never in a URL.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.given.settings.key = Some(key.into());
        self
    }

    /// Sets the base URL of the server, including the version: `http://localhost:8000/v1`. Default
    /// is `https://api.openai.com/v1`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.given.settings.base_url = Some(url.into());
        self
    }

    /// Sets the OpenAI organization that is billed.
    pub fn organization(self, id: impl Into<String>) -> Self {
        self.header("openai-organization", id)
    }

    /// Sets the OpenAI project that is billed.
    pub fn project(self, id: impl Into<String>) -> Self {
        self.header("openai-project", id)
    }

    /// Adds a header to every call, replacing a header with the same name.
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
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.given.settings.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the timeout of one call, from sending the request to the end of the response. Default
    /// is 10 minutes, which may be too short for the slowest models.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.given.settings.timeout = Some(timeout);
        self
    }

    /// Sets whether to use strict mode for the schemas of tools. A schema that strict mode does not
    /// support, for example with a `maxLength` or a map, is sent unchanged, and a warning is logged
    /// once. Default is true for OpenAI, and false for other known servers.
    pub fn strict_tools(mut self, yes: bool) -> Self {
        self.given.strict_tools = Some(yes);
        self
    }

    /// Sets whether to use strict mode for structured output, if strict mode supports its schema.
    /// Default is true for OpenAI and for servers that are known to need it.
    pub fn strict_output(mut self, yes: bool) -> Self {
        self.given.strict_output = Some(yes);
        self
    }

    /// Sets a cassette, which records calls to a file or replays them. A replay needs no API key.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.given.settings.interceptor = Some(cassette.interceptor());
        self
    }

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
    /// Returns an error if no API key is set, unless a base URL, an `authorization` header or a
    /// replayed cassette makes it unnecessary; or if the base URL or a header is invalid.
    pub fn build(self) -> Result<OpenAiResponses> {
        let (endpoint, settings) =
            self.given.build(Some(NAME), |_| "OpenAiResponses::builder().env()".to_owned())?;
        Ok(OpenAiResponses { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Omits the key and the values of headers.
impl fmt::Debug for OpenAiResponsesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiResponsesBuilder")
            .field("name", &self.given.name)
            .field("has_key", &self.given.settings.key.is_some())
            .field("timeout", &self.given.settings.timeout)
            .finish_non_exhaustive()
    }
}
