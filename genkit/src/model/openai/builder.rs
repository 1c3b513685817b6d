//! Settings of the provider.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::error::Error as E;
use super::provider::OpenAi;
use super::servers::{KnownServer, SERVERS};
use super::wire::OpenAiSettings;
use crate::error::Result;
use crate::model::Cassette;
use crate::model::http::{ProviderSettings, env_var};

impl OpenAi {
    /// OpenAI with the key in `OPENAI_API_KEY`, at `OPENAI_BASE_URL` if that is set.
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

    /// A server that is known by name, with the key in its environment variable: `GROQ_API_KEY`.
    /// `GROQ_BASE_URL` moves it. Servers on this machine need no key.
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
        let unknown = || E::UnknownServer(crate::suggest::unknown("server", name, names));
        let server = KnownServer::named(name).ok_or_else(unknown)?;
        OpenAiBuilder::of(server).env().build()
    }

    /// A server with settings of your own; the environment is not read.
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

/// Settings of an [`OpenAi`]. See [`OpenAi::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiBuilder {
    /// The one that was given by name.
    server: Option<&'static KnownServer>,
    name: Option<String>,
    pub(super) settings: ProviderSettings,
    strict_tools: Option<bool>,
    strict_output: Option<bool>,
    max_tokens: Option<String>,
    from_env: bool,
}

impl OpenAiBuilder {
    pub(super) fn of(server: &'static KnownServer) -> Self {
        Self { server: Some(server), ..Self::default() }
    }

    /// The server by name or address, else OpenAI.
    fn known(&self) -> &'static KnownServer {
        let at_address = || KnownServer::at(self.settings.base_url.as_deref()?);
        self.server.or_else(at_address).unwrap_or(KnownServer::openai())
    }

    /// Takes what is not given otherwise from the environment: `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL`, or those of the known server at the address that is given.
    pub fn env(mut self) -> Self {
        self.from_env = true;
        self
    }

    /// Adds what the environment has, once it is known whose key is wanted.
    pub(super) fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let server = self.known();
        self.settings.fill(|| variable(server.key), || variable(&server.base_url_variable()));
        if server.name == "openai" {
            for (name, from) in
                [("openai-organization", "OPENAI_ORG_ID"), ("openai-project", "OPENAI_PROJECT_ID")]
            {
                let value = variable(from).filter(|_| !self.settings.has_header(name));
                self.settings.headers.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        self
    }

    /// What its models are called before the `/`. Default is the name of the server that is known
    /// to be at the base URL, else `openai`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The API key; it goes into a header, never into a URL.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.key = Some(key.into());
        self
    }

    /// Where the server is, with the version: `http://localhost:4000/v1`. Default is
    /// `https://api.openai.com/v1`. At the address of a known server its deviations are obeyed.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Some(url.into());
        self
    }

    /// The organization at OpenAI that pays.
    pub fn organization(self, id: impl Into<String>) -> Self {
        self.header("openai-organization", id)
    }

    /// The project at OpenAI that pays.
    pub fn project(self, id: impl Into<String>) -> Self {
        self.header("openai-project", id)
    }

    /// One more header of every call; it replaces one of the same name.
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
        self.settings.headers.push((name.into(), value.into()));
        self
    }

    /// How long one call may take, from sending to the end of the answer. Default is 10 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Whether models are bound strictly to the schemas of tools. A schema that strict mode cannot express,
    /// with a `maxLength` or a map, is sent as it is, and a warning says so once. Default is true at OpenAI, and false at other servers that are known.
    pub fn strict_tools(mut self, yes: bool) -> Self {
        self.strict_tools = Some(yes);
        self
    }

    /// Whether structured output is bound strictly to its schema, as far as strict mode can express that.
    /// Default is true at OpenAI and where a server is known to need it.
    pub fn strict_output(mut self, yes: bool) -> Self {
        self.strict_output = Some(yes);
        self
    }

    /// What the limit on tokens is called. Default is what the server is known to want:
    /// `max_completion_tokens` at OpenAI, `max_tokens` at most others.
    pub fn max_tokens_field(mut self, name: impl Into<String>) -> Self {
        self.max_tokens = Some(name.into());
        self
    }

    /// Records calls to a file, or answers them from there; a replay needs no key.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.settings.interceptor = Some(cassette.interceptor());
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
        let this = if self.from_env { self.with_env(env_var) } else { self };
        this.build_given()
    }

    fn build_given(self) -> Result<OpenAi> {
        let (server, given) = (self.known(), &self.settings);
        let at_url = KnownServer::at(given.base_url.as_deref().unwrap_or(server.base_url));
        let is_moved = at_url.is_none_or(|other| other.name != server.name);
        if given.key().is_none() && server.needs_key && !is_moved && !given.needs_no_key() {
            return Err(E::NoKey { server: server.name, variable: server.key }.into());
        }
        let name = self.name.unwrap_or_else(|| server.name.to_owned());
        let endpoint = given.endpoint(&name, server.base_url)?;
        let mut deviations = at_url.unwrap_or(server).deviations.clone();
        // A gateway that looks like the server may stand before any other.
        deviations.extra_fields |= at_url.is_none();
        if let Some(yes) = self.strict_tools {
            deviations.strict_tools = yes;
        }
        if let Some(yes) = self.strict_output {
            deviations.strict_output = yes;
        }
        if let Some(name) = self.max_tokens {
            deviations.max_tokens = Cow::Owned(name);
        }
        let settings = OpenAiSettings { name, key: given.key_to_send(), deviations };
        Ok(OpenAi { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Does not show the key, nor the values of headers.
impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("name", &self.name)
            .field("has_key", &self.settings.key.is_some())
            .field("timeout", &self.settings.timeout)
            .finish_non_exhaustive()
    }
}
