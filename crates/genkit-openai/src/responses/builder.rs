//! Settings of the provider.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::provider::OpenAiResponses;
use crate::wire::settings::ServerBuilder;
use genkit_core::Result;
use genkit_model::Cassette;

/// What its models are called before the `/`, if nothing else is said.
const NAME: &str = "openai-responses";

impl OpenAiResponses {
    /// Provider with the key in `OPENAI_API_KEY`, at `OPENAI_BASE_URL` if that is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAiResponses::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no key, or the base URL cannot be used.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Builder of a provider for any server, with settings of your own; the environment is not
    /// read.
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

/// Builder of an [`OpenAiResponses`] provider. See [`OpenAiResponses::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiResponsesBuilder {
    pub(super) given: ServerBuilder,
}

impl OpenAiResponsesBuilder {
    /// Environment: takes what is not given otherwise from it, `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL`, or those of the known server at the address that is given.
    pub fn env(mut self) -> Self {
        self.given.from_env = true;
        self
    }

    /// Name: what its models are called before the `/`. Default is `openai-responses`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.given.name = Some(name.into());
        self
    }

    /// API key; it goes into a header, never into a URL.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.given.settings.key = Some(key.into());
        self
    }

    /// Base URL: where the server is, with the version: `http://localhost:8000/v1`. Default is
    /// `https://api.openai.com/v1`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.given.settings.base_url = Some(url.into());
        self
    }

    /// Organization at OpenAI that pays.
    pub fn organization(self, id: impl Into<String>) -> Self {
        self.header("openai-organization", id)
    }

    /// Project at OpenAI that pays.
    pub fn project(self, id: impl Into<String>) -> Self {
        self.header("openai-project", id)
    }

    /// Header: one more of every call; it replaces one of the same name.
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

    /// Timeout: how long one call may take, from sending to the end of the answer. Default is 10
    /// minutes, which the slowest models may need to be longer.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.given.settings.timeout = Some(timeout);
        self
    }

    /// Strict tools: whether models are bound strictly to the schemas of tools. A schema that strict mode cannot
    /// express, with a `maxLength` or a map, is sent as it is, and a warning says so once. Default is true at OpenAI,
    /// and false at other servers that are known.
    pub fn strict_tools(mut self, yes: bool) -> Self {
        self.given.strict_tools = Some(yes);
        self
    }

    /// Strict output: whether structured output is bound strictly to its schema, as far as strict mode
    /// can express that. Default is true at OpenAI and where a server is known to need it.
    pub fn strict_output(mut self, yes: bool) -> Self {
        self.given.strict_output = Some(yes);
        self
    }

    /// Cassette: records calls to a file, or answers them from there; a replay needs no key.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.given.settings.interceptor = Some(cassette.interceptor());
        self
    }

    /// The provider with these settings.
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
    /// There is no key, where nothing else makes up for it: a replayed cassette, an address of
    /// your own, an `authorization` header. Or the base URL or a header cannot be used.
    pub fn build(self) -> Result<OpenAiResponses> {
        let (endpoint, settings) =
            self.given.build(Some(NAME), |_| "OpenAiResponses::builder().env()".to_owned())?;
        Ok(OpenAiResponses { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Does not show the key, nor the values of headers.
impl fmt::Debug for OpenAiResponsesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiResponsesBuilder")
            .field("name", &self.given.name)
            .field("has_key", &self.given.settings.key.is_some())
            .field("timeout", &self.given.settings.timeout)
            .finish_non_exhaustive()
    }
}
