//! The builder of the Ollama provider.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::error::Error as E;
use super::provider::Ollama;
use super::request::OllamaSettings;
use super::window::{DEFAULT_WINDOW, Window};
use super::{NAME, address};
use genkit_core::Result;
use genkit_model::Cassette;
use genkit_model::internal::http::{ProviderSettings, env_var};

/// The default base URL.
const BASE_URL: &str = "http://localhost:11434";

/// The hint shown when the server is unreachable.
const START: &str = "start it with `ollama serve`, or set OLLAMA_HOST to its address";

impl Ollama {
    /// Creates a provider from environment variables: the base URL from `OLLAMA_BASE_URL`, or from
    /// `OLLAMA_HOST` in the format of Ollama's own programs, and the API key, which ollama.com
    /// requires, from `OLLAMA_API_KEY`. Without them, it connects to this machine.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let ollama = genkit::model::Ollama::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the address is invalid, or if it is ollama.com and no API key is set.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Creates a builder with custom settings, which does not read environment variables.
    ///
    /// ```
    /// use genkit::model::Ollama;
    /// use std::time::Duration;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let gpu = Ollama::builder().base_url("http://gpu:11434").num_ctx(32_768).build()?;
    /// assert_eq!(gpu.model("qwen3").name(), "ollama/qwen3");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> OllamaBuilder {
        OllamaBuilder::default()
    }
}

/// A builder of an [`Ollama`] provider. See [`Ollama::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OllamaBuilder {
    settings: ProviderSettings,
    num_ctx: Option<u64>,
    keep_alive: Option<Value>,
    /// The server's context window according to the environment.
    default_window: Option<u64>,
    from_env: bool,
}

impl OllamaBuilder {
    /// Reads settings that are not set explicitly from the environment: the base URL from
    /// `OLLAMA_BASE_URL` or `OLLAMA_HOST`, and the API key from `OLLAMA_API_KEY`.
    /// `OLLAMA_CONTEXT_LENGTH` is taken as the server's context window.
    pub fn env(mut self) -> Self {
        self.from_env = true;
        self
    }

    /// Fills in settings that are not set from the environment.
    pub(super) fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let host = || variable("OLLAMA_HOST").map(|host| address::of_host(&host));
        let base_url = || variable("OLLAMA_BASE_URL").or_else(host);
        self.settings.fill(|| variable("OLLAMA_API_KEY"), base_url);
        self.default_window =
            variable("OLLAMA_CONTEXT_LENGTH").and_then(|it| it.trim().parse().ok());
        self
    }

    /// Sets the API key of ollama.com or a proxy, which is sent in a header and never in a URL.
    /// Default is none.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.key = Some(key.into());
        self
    }

    /// Sets the base URL of the server; a trailing `/v1` or `/api` is optional. Default is
    /// `http://localhost:11434`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Some(url.into());
        self
    }

    /// Sets the context window (`num_ctx`) of each model, in tokens, for requests whose `config`
    /// does not set it. Default is the server's, which may be as small as 4,096. A larger window
    /// uses more memory, and changing it reloads the model.
    pub fn num_ctx(mut self, tokens: u32) -> Self {
        self.num_ctx = Some(tokens.into());
        self
    }

    /// Sets the keep-alive time: how long a model stays in memory after a call, for requests whose
    /// `config` does not set `keep_alive`. Default is the server's: 5 minutes. `Duration::MAX`
    /// means forever, `Duration::ZERO` unloads the model immediately.
    pub fn keep_alive(mut self, time: Duration) -> Self {
        let forever = time == Duration::MAX;
        self.keep_alive = Some(if forever { (-1).into() } else { time.as_secs_f64().into() });
        self
    }

    /// Adds a header to every call, replacing a header with the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the timeout of one call, from sending the request to the end of the response, including
    /// the time to load the model. Default is 10 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Sets a cassette, which records calls to a file or replays them. A replay needs no server.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.settings.interceptor = Some(cassette.interceptor());
        self
    }

    /// Builds the provider.
    ///
    /// ```
    /// use genkit::model::Ollama;
    ///
    /// assert!(Ollama::builder().build().is_ok());
    /// let error = Ollama::builder().base_url("https://ollama.com").build().unwrap_err();
    /// assert!(error.to_string().contains("OLLAMA_API_KEY"));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the base URL or a header is invalid, or if the base URL is ollama.com
    /// and no API key is set.
    pub fn build(self) -> Result<Ollama> {
        let this = if self.from_env { self.with_env(env_var) } else { self };
        this.build_given()
    }

    pub(super) fn build_given(mut self) -> Result<Ollama> {
        let root = address::root(self.settings.base_url.as_deref().unwrap_or(BASE_URL));
        let is_cloud = address::is_cloud(&root);
        if is_cloud && self.settings.lacks_key() {
            return Err(E::NoKey.into());
        }
        self.settings.base_url = Some(root);
        let endpoint = self.settings.endpoint(NAME, BASE_URL)?.with_remedy(START);
        let default_window = self.default_window.unwrap_or(DEFAULT_WINDOW);
        let settings = OllamaSettings {
            key: self.settings.key_to_send(),
            num_ctx: self.num_ctx,
            keep_alive: self.keep_alive,
            default_window: (!is_cloud).then_some(default_window),
            window: Window::default(),
            is_not_served: false.into(),
            without_thoughts: Default::default(),
        };
        let chat = {
            let mut settings = self.settings;
            settings.base_url = settings.base_url.map(|root| address::v1(&root));
            genkit_openai::OpenAiBuilder::ollama(settings).build()?
        };
        Ok(Ollama { endpoint: Arc::new(endpoint), settings: Arc::new(settings), chat })
    }
}

/// Omits the key and the values of headers.
impl fmt::Debug for OllamaBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OllamaBuilder")
            .field("has_key", &self.settings.key.is_some())
            .field("num_ctx", &self.num_ctx)
            .field("timeout", &self.settings.timeout)
            .finish_non_exhaustive()
    }
}
