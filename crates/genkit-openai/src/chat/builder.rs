//! Settings of the provider.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::error::Error as E;
use super::provider::OpenAi;
use crate::wire::servers::{KnownServer, SERVERS};
use crate::wire::settings::ServerBuilder;
use genkit_core::Result;
use genkit_model::Cassette;

impl OpenAi {
    /// Provider with the key in `OPENAI_API_KEY`, at `OPENAI_BASE_URL` if that is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAi::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no key, or the base URL cannot be used.
    pub fn from_env() -> Result<Self> {
        Self::server("openai")
    }

    /// Provider of a server that is known by name, with the key in its environment variable:
    /// `GROQ_API_KEY`. `GROQ_BASE_URL` moves it. Servers on this machine need no key.
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
    /// There is no server of that name, or no key where it needs one.
    pub fn server(name: &str) -> Result<Self> {
        let names = SERVERS.iter().map(|server| server.name);
        let unknown =
            || E::UnknownServer(genkit_core::internal::suggest::unknown("server", name, names));
        let server = KnownServer::named(name).ok_or_else(unknown)?;
        OpenAiBuilder::of(server).env().build()
    }

    /// Builder of a provider for any server, with settings of your own; the environment is not
    /// read.
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

/// Builder of an [`OpenAi`] provider. See [`OpenAi::builder`].
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

    /// Ollama's server, with settings of its own provider.
    pub fn ollama(settings: genkit_model::internal::http::ProviderSettings) -> Self {
        let server = KnownServer::named("ollama");
        let given = ServerBuilder { server, settings, ..ServerBuilder::default() };
        Self { given, ..Self::default() }
    }

    /// Environment: takes what is not given otherwise from it, `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL`, or those of the known server at the address that is given.
    pub fn env(mut self) -> Self {
        self.given.from_env = true;
        self
    }

    /// Name: what its models are called before the `/`. Default is the name of the server that is
    /// known to be at the base URL, else `openai`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.given.name = Some(name.into());
        self
    }

    /// API key; it goes into a header, never into a URL.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.given.settings.key = Some(key.into());
        self
    }

    /// Base URL: where the server is, with the version: `http://localhost:4000/v1`. Default is
    /// `https://api.openai.com/v1`. At the address of a known server its deviations are obeyed.
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

    /// Timeout: how long one call may take, from sending to the end of the answer. Default is 10
    /// minutes.
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

    /// Token limit field: what the limit on tokens is called. Default is what the server is known
    /// to want: `max_completion_tokens` at OpenAI, `max_tokens` at most others.
    pub fn max_tokens_field(mut self, name: impl Into<String>) -> Self {
        self.max_tokens = Some(name.into());
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
    /// use genkit::model::OpenAi;
    ///
    /// let error = OpenAi::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("OPENAI_API_KEY"));
    /// assert!(OpenAi::builder().base_url("http://localhost:4000/v1").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// There is no key, where nothing else makes up for it: a replayed cassette, an address of
    /// your own, an `authorization` header. Or the base URL or a header cannot be used.
    pub fn build(self) -> Result<OpenAi> {
        let (endpoint, mut settings) =
            self.given.build(None, |server| format!("OpenAi::server(\"{server}\")"))?;
        if let Some(name) = self.max_tokens {
            settings.deviations.max_tokens = Cow::Owned(name);
        }
        Ok(OpenAi { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Does not show the key, nor the values of headers.
impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("name", &self.given.name)
            .field("has_key", &self.given.settings.key.is_some())
            .field("timeout", &self.given.settings.timeout)
            .finish_non_exhaustive()
    }
}
