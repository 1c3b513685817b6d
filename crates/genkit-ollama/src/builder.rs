//! Settings of the provider.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::error::Error as E;
use super::provider::Ollama;
use super::window::{DEFAULT_WINDOW, Window};
use super::wire::OllamaSettings;
use super::{NAME, address};
use genkit_core::Result;
use genkit_model::Cassette;
use genkit_model::internal::http::{ProviderSettings, env_var};

/// Where Ollama is by itself.
const BASE_URL: &str = "http://localhost:11434";

/// What mends that nobody answers.
const START: &str = "start it with `ollama serve`, or say where it is with OLLAMA_HOST";

impl Ollama {
    /// Provider at `OLLAMA_BASE_URL`, else at `OLLAMA_HOST` as Ollama's own programs read that, else on this machine;
    /// with the key in `OLLAMA_API_KEY` if there is one, which ollama.com wants.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let ollama = genkit::model::Ollama::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The address cannot be used, or is that of ollama.com and there is no key.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Builder of the provider, with settings of your own; the environment is not read.
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

/// Builder of an [`Ollama`] provider. See [`Ollama::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OllamaBuilder {
    settings: ProviderSettings,
    num_ctx: Option<u64>,
    keep_alive: Option<Value>,
    /// What the environment says of the server's window.
    default_window: Option<u64>,
    from_env: bool,
}

impl OllamaBuilder {
    /// Environment: takes what is not given otherwise from it, the address from `OLLAMA_BASE_URL`, else
    /// `OLLAMA_HOST`, the key from `OLLAMA_API_KEY`. `OLLAMA_CONTEXT_LENGTH` is what the server is taken to have as
    /// its window.
    pub fn env(mut self) -> Self {
        self.from_env = true;
        self
    }

    /// Adds what the environment has, where nothing is given.
    pub(super) fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let host = || variable("OLLAMA_HOST").map(|host| address::of_host(&host));
        let base_url = || variable("OLLAMA_BASE_URL").or_else(host);
        self.settings.fill(|| variable("OLLAMA_API_KEY"), base_url);
        self.default_window =
            variable("OLLAMA_CONTEXT_LENGTH").and_then(|it| it.trim().parse().ok());
        self
    }

    /// API key of ollama.com, or of a proxy; it goes into a header, never into a URL. Default is
    /// none.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.key = Some(key.into());
        self
    }

    /// Base URL: where the server is; a `/v1` or `/api` at its end is not needed. Default is
    /// `http://localhost:11434`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Some(url.into());
        self
    }

    /// Context window (`num_ctx`) of each model, in tokens, where a request's `config` has none. Default is the
    /// server's, which may be as small as 4,096. A larger one takes more memory, and another one loads the model
    /// anew.
    pub fn num_ctx(mut self, tokens: u32) -> Self {
        self.num_ctx = Some(tokens.into());
        self
    }

    /// Keep-alive: how long a model stays in memory after a call, where a request's `config` has no `keep_alive`.
    /// Default is the server's: 5 minutes. `Duration::MAX` is for ever, `Duration::ZERO` not at all.
    pub fn keep_alive(mut self, time: Duration) -> Self {
        let forever = time == Duration::MAX;
        self.keep_alive = Some(if forever { (-1).into() } else { time.as_secs_f64().into() });
        self
    }

    /// Header: one more of every call; it replaces one of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.headers.push((name.into(), value.into()));
        self
    }

    /// Timeout: how long one call may take, from sending to the end of the answer: also the time that a model takes
    /// to load. Default is 10 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Cassette: records calls to a file, or answers them from there; a replay needs no server.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.settings.interceptor = Some(cassette.interceptor());
        self
    }

    /// The provider with these settings.
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
    /// The base URL or a header cannot be used, or the address is that of ollama.com and there is no key.
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

/// Does not show the key, nor the values of headers.
impl fmt::Debug for OllamaBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OllamaBuilder")
            .field("has_key", &self.settings.key.is_some())
            .field("num_ctx", &self.num_ctx)
            .field("timeout", &self.settings.timeout)
            .finish_non_exhaustive()
    }
}
