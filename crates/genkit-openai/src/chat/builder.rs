//! The builder of the OpenAI provider.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::error::Error as E;
use super::provider::OpenAi;
use crate::wire::builder::ServerBuilder;
use crate::wire::servers::{KnownServer, SERVERS};
use genkit_core::Result;
use genkit_model::Cassette;

impl OpenAi {
    /// Creates a provider from environment variables: the API key from `OPENAI_API_KEY`, and the
    /// base URL from `OPENAI_BASE_URL` if it is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAi::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if no API key is set or if the base URL is invalid.
    pub fn from_env() -> Result<Self> {
        Self::server("openai")
    }

    /// Creates a provider for a server that is known by name, with the API key in the server's
    /// environment variable, such as `GROQ_API_KEY`. A variable such as `GROQ_BASE_URL` overrides
    /// the base URL. Local servers need no key.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let ollama = genkit::model::OpenAi::server("ollama")?;
    /// assert_eq!(ollama.model("qwen3").name(), "ollama/qwen3");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no known server with this name, or if the server needs an API
    /// key and none is set.
    pub fn server(name: &str) -> Result<Self> {
        let names = SERVERS.iter().map(|server| server.name);
        let unknown =
            || E::UnknownServer(genkit_core::internal::suggest::unknown("server", name, names));
        let server = KnownServer::named(name).ok_or_else(unknown)?;
        OpenAiBuilder::of(server).env().build()
    }

    /// Creates a builder for any server, with custom settings, which does not read environment
    /// variables.
    ///
    /// ```
    /// use genkit::model::OpenAi;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let proxy = OpenAi::builder().name("proxy").base_url("http://localhost:4000/v1").build()?;
    /// assert_eq!(proxy.model("gpt-4o-mini").name(), "proxy/gpt-4o-mini");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> OpenAiBuilder {
        OpenAiBuilder::default()
    }
}

/// A builder of an [`OpenAi`] provider. See [`OpenAi::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiBuilder {
    pub(super) given: ServerBuilder,
    max_tokens: Option<String>,
}

impl OpenAiBuilder {
    pub(super) fn of(server: &'static KnownServer) -> Self {
        let given = ServerBuilder { server: Some(server), ..ServerBuilder::default() };
        Self { given, ..Self::default() }
    }

    /// Creates a builder for Ollama's server with the settings of the Ollama provider.
    pub fn ollama(settings: genkit_model::internal::http::ProviderSettings) -> Self {
        let server = KnownServer::named("ollama");
        let given = ServerBuilder { server, settings, ..ServerBuilder::default() };
        Self { given, ..Self::default() }
    }

    /// Reads settings that are not set explicitly from the environment: `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL`, or the variables of the known server at the base URL.
    pub fn env(mut self) -> Self {
        self.given.from_env = true;
        self
    }

    /// Sets the name of the provider, which is the prefix of its models' names. Default is the name
    /// of the known server at the base URL, or `openai`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.given.name = Some(name.into());
        self
    }

    /// Sets the API key, which is sent in a header and never in a URL.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.given.settings.key = Some(key.into());
        self
    }

    /// Sets the base URL of the server, including the version: `http://localhost:4000/v1`. Default
    /// is `https://api.openai.com/v1`. If it is the address of a known server, its deviations
    /// apply.
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
    /// use genkit::model::OpenAi;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let azure = OpenAi::builder()
    ///     .name("azure")
    ///     .base_url("https://me.openai.azure.com/openai/v1")
    ///     .header("api-key", "…")
    ///     .build();
    /// # let azure = OpenAi::builder()
    /// #     .name("azure").base_url("https://me.openai.azure.com/openai/v1").header("api-key", "k")
    /// #     .build()?;
    /// assert_eq!(azure.model("gpt-4o").name(), "azure/gpt-4o");
    /// # Ok(())
    /// # }
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.given.settings.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the timeout of one call, from sending the request to the end of the response. Default
    /// is 10 minutes.
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

    /// Sets the name of the token limit field. Default is the one that the server is known to use:
    /// `max_completion_tokens` for OpenAI, `max_tokens` for most others.
    pub fn max_tokens_field(mut self, name: impl Into<String>) -> Self {
        self.max_tokens = Some(name.into());
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
    /// use genkit::model::OpenAi;
    ///
    /// let error = OpenAi::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("OPENAI_API_KEY"));
    /// assert!(OpenAi::builder().base_url("http://localhost:4000/v1").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// Returns an error if no API key is set, unless a base URL, an `authorization` header or a
    /// replayed cassette makes it unnecessary; or if the base URL or a header is invalid.
    pub fn build(self) -> Result<OpenAi> {
        let (endpoint, mut settings) =
            self.given.build(None, |server| format!("OpenAi::server(\"{server}\")"))?;
        if let Some(name) = self.max_tokens {
            settings.deviations.max_tokens = Cow::Owned(name);
        }
        Ok(OpenAi { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Omits the key and the values of headers.
impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("name", &self.given.name)
            .field("has_key", &self.given.settings.key.is_some())
            .field("timeout", &self.given.settings.timeout)
            .finish_non_exhaustive()
    }
}
