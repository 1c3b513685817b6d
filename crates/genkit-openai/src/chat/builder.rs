//! The builder of the OpenAI provider.

use std::borrow::Cow;
use std::sync::Arc;

use super::error::Error as E;
use super::provider::OpenAi;
use crate::wire::builder::{ServerBuilder, openai_builder};
use crate::wire::servers::{KnownServer, SERVERS};
use genkit_core::Result;

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

    /// Creates a provider for a server with a known name. The API key comes from the server's
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
        let unknown = || {
            E::UnknownServer(genkit_core::internal::suggest::unknown_name("server", name, names))
        };
        let server = KnownServer::find_named(name).ok_or_else(unknown)?;
        OpenAiBuilder::for_server(server).env().build()
    }

    /// Creates a builder for any server, with custom settings. It reads environment variables only if
    /// you call [`env`](OpenAiBuilder::env).
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

/// A builder for an [`OpenAi`] provider. See [`OpenAi::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct OpenAiBuilder {
    pub(super) common: ServerBuilder,
    max_tokens: Option<String>,
}

openai_builder! {
    OpenAiBuilder

    /// Sets the name of the provider, which is the prefix of its models' names. Default is the name
    /// of the known server at the base URL, or `openai`.
    name;

    /// Sets the base URL of the server, including the version: `http://localhost:4000/v1`. Default
    /// is `https://api.openai.com/v1`. Requests to a known server are adapted to its deviations from
    /// OpenAI's API.
    base_url;

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
    header;
    timeout;
}

impl OpenAiBuilder {
    pub(super) fn for_server(server: &'static KnownServer) -> Self {
        let common = ServerBuilder { server: Some(server), ..ServerBuilder::default() };
        Self { common, ..Self::default() }
    }

    /// Creates a builder for an Ollama server with the settings of the Ollama provider.
    #[doc(hidden)]
    pub fn for_ollama(settings: genkit_model::internal::http::ProviderSettings) -> Self {
        let server = KnownServer::find_named("ollama");
        let common = ServerBuilder { server, settings, ..ServerBuilder::default() };
        Self { common, ..Self::default() }
    }

    /// Sets the name of the request field that limits the output tokens. Default depends on the server:
    /// `max_completion_tokens` for OpenAI, `max_tokens` for most others.
    pub fn max_tokens_field(mut self, name: impl Into<String>) -> Self {
        self.max_tokens = Some(name.into());
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
    /// Returns an error if the base URL or a header is invalid, or if no API key is set. No key is needed for a local
    /// or unknown server, if an `authorization` header is set, or if a cassette is replayed.
    pub fn build(self) -> Result<OpenAi> {
        let (endpoint, mut settings) =
            self.common.build_server(None, |server| format!("OpenAi::server(\"{server}\")"))?;
        if let Some(name) = self.max_tokens {
            settings.deviations.max_tokens = Cow::Owned(name);
        }
        Ok(OpenAi { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}
