//! The builder of the Ollama provider.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::error::Error as E;
use super::provider::Ollama;
use super::request::OllamaSettings;
use super::window::{DEFAULT_WINDOW, Window};
use super::{NAME, address};
use genkit_core::Result;
use genkit_model::internal::http::{ProviderSettings, env_var};

/// The default base URL.
const BASE_URL: &str = "http://localhost:11434";

/// The hint shown when the server is unreachable.
const START: &str = "start the server with `ollama serve`, or set OLLAMA_HOST to its address";

impl Ollama {
    /// Creates a provider from environment variables. The base URL comes from `OLLAMA_BASE_URL`, or from `OLLAMA_HOST`,
    /// which has the format that Ollama's own programs use. The API key comes from `OLLAMA_API_KEY`; only ollama.com
    /// requires it. If no address is set, the provider connects to this machine.
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

    /// Creates a builder for custom settings. It reads environment variables only if you call
    /// [`env`](OllamaBuilder::env).
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

/// A builder for an [`Ollama`] provider. See [`Ollama::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OllamaBuilder {
    settings: ProviderSettings,
    num_ctx: Option<u64>,
    keep_alive: Option<Value>,
    /// The server's context window, if an environment variable sets it.
    default_window: Option<u64>,
}

genkit_model::provider_builder! {
    OllamaBuilder { settings: settings, debug: ["num_ctx": num_ctx] }

    /// Reads missing settings from environment variables: the base URL from `OLLAMA_BASE_URL` or
    /// `OLLAMA_HOST`, and the API key from `OLLAMA_API_KEY`. `OLLAMA_CONTEXT_LENGTH` sets the assumed
    /// context window of the server.
    env;

    /// Only ollama.com and proxies require one. Default is none.
    api_key;

    /// Sets the base URL of the server; a trailing `/v1` or `/api` is optional. Default is
    /// `http://localhost:11434`.
    base_url;
    header;

    /// The timeout includes the time to load the model.
    timeout;

    /// A replay does not need a server.
    cassette;
}

impl OllamaBuilder {
    /// Fills in missing settings from environment variables.
    pub(super) fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let host = || variable("OLLAMA_HOST").map(|host| address::of_host(&host));
        let base_url = || variable("OLLAMA_BASE_URL").or_else(host);
        self.settings.fill_missing(|| variable("OLLAMA_API_KEY"), base_url);
        self.default_window =
            variable("OLLAMA_CONTEXT_LENGTH").and_then(|it| it.trim().parse().ok());
        self
    }

    /// Sets the context window (`num_ctx`) of each model, in tokens, for requests whose `config`
    /// does not set it. Default is the server's context window, which may be as small as 4,096. A larger window
    /// uses more memory. A change of the window reloads the model.
    pub fn num_ctx(mut self, tokens: u32) -> Self {
        self.num_ctx = Some(tokens.into());
        self
    }

    /// Sets the keep-alive time: how long a model stays in memory after a call, for requests whose
    /// `config` does not set `keep_alive`. Default is the server's setting, usually 5 minutes. `Duration::MAX`
    /// means forever, and `Duration::ZERO` unloads the model immediately.
    pub fn keep_alive(mut self, time: Duration) -> Self {
        let forever = time == Duration::MAX;
        self.keep_alive = Some(if forever { (-1).into() } else { time.as_secs_f64().into() });
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
        let this = if self.settings.from_env { self.with_env(env_var) } else { self };
        this.build_provider()
    }

    pub(super) fn build_provider(mut self) -> Result<Ollama> {
        let root = address::server_root(self.settings.base_url.as_deref().unwrap_or(BASE_URL));
        let is_cloud = address::is_cloud(&root);
        if is_cloud && self.settings.lacks_key() {
            return Err(E::MissingApiKey.into());
        }
        self.settings.base_url = Some(root);
        let endpoint = self.settings.build_endpoint(NAME, BASE_URL)?.with_remedy(START);
        let default_window = self.default_window.unwrap_or(DEFAULT_WINDOW);
        let settings = OllamaSettings {
            key: self.settings.key_to_send(),
            num_ctx: self.num_ctx,
            keep_alive: self.keep_alive,
            default_window: (!is_cloud).then_some(default_window),
            window: Window::default(),
            is_api_missing: false.into(),
            models_without_thinking: Default::default(),
        };
        let chat = {
            let mut settings = self.settings;
            settings.base_url = settings.base_url.map(|root| address::v1_root(&root));
            settings.from_env = false;
            genkit_openai::OpenAiBuilder::for_ollama(settings).build()?
        };
        Ok(Ollama { endpoint: Arc::new(endpoint), settings: Arc::new(settings), chat })
    }
}
