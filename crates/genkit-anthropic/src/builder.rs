//! The builder of the Anthropic provider.

use std::sync::Arc;

use super::NAME;
use super::error::Error as E;
use super::provider::Anthropic;
use super::request::AnthropicSettings;
use genkit_core::Result;
use genkit_model::internal::http::{ProviderSettings, env_var};

/// The base URL of the Messages API.
const BASE_URL: &str = "https://api.anthropic.com";

/// The version of the API. Default is `2023-06-01`, which every model supports.
const API_VERSION: &str = "2023-06-01";

impl Anthropic {
    /// Creates a provider from environment variables: the API key from `ANTHROPIC_API_KEY`, and the
    /// base URL from `ANTHROPIC_BASE_URL` if it is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let anthropic = genkit::model::Anthropic::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if neither an API key nor a base URL is set, or if the base URL is invalid.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Creates a builder. It reads environment variables only if you call [`env`](AnthropicBuilder::env).
    ///
    /// ```
    /// use genkit::model::Anthropic;
    /// use std::time::Duration;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let anthropic = Anthropic::builder().api_key("sk-ant-…").timeout(Duration::from_secs(60)).build()?;
    /// # let anthropic = Anthropic::builder().api_key("sk-ant").timeout(Duration::from_secs(60)).build()?;
    /// assert_eq!(anthropic.model("claude-sonnet-4-6").name(), "anthropic/claude-sonnet-4-6");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> AnthropicBuilder {
        AnthropicBuilder::default()
    }
}

/// A builder for an [`Anthropic`] provider. See [`Anthropic::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct AnthropicBuilder {
    settings: ProviderSettings,
    version: Option<String>,
}

genkit_model::provider_builder! {
    AnthropicBuilder { settings: settings, debug: ["version": version] }

    /// Reads missing settings from environment variables: the API key from `ANTHROPIC_API_KEY`, and the base URL from
    /// `ANTHROPIC_BASE_URL`.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # fn main() -> genkit::Result<()> {
    /// let anthropic = genkit::model::Anthropic::builder().env().timeout(Duration::from_secs(60)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    env;
    api_key;

    /// Sets the base URL, for example of a proxy or a test server. API paths are appended to it; a trailing `/v1` is
    /// optional. Default is `https://api.anthropic.com`.
    base_url;
    header;
    timeout;
    cassette;
}

impl AnthropicBuilder {
    /// Fills in missing settings from environment variables.
    fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        self.settings
            .fill_missing(|| variable("ANTHROPIC_API_KEY"), || variable("ANTHROPIC_BASE_URL"));
        self
    }

    /// Sets the API version. Default is `2023-06-01`, which sends the key as `x-api-key`. From version `2026-10-21` on,
    /// the key is sent as a bearer token, and `temperature`, `topP` and `topK` are not supported.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Builds the provider.
    ///
    /// ```
    /// use genkit::model::Anthropic;
    ///
    /// let error = Anthropic::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("ANTHROPIC_API_KEY"));
    /// assert!(Anthropic::builder().base_url("http://localhost:4000").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the base URL or a header is invalid, or if no API key is set. The key is optional with a
    /// custom base URL, an `authorization` header or a replayed cassette.
    pub fn build(self) -> Result<Anthropic> {
        let this = if self.settings.from_env { self.with_env(env_var) } else { self };
        this.build_provider()
    }

    fn build_provider(self) -> Result<Anthropic> {
        let given = &self.settings;
        if given.base_url.is_none() && given.lacks_key() {
            return Err(E::MissingApiKey.into());
        }
        let mut given = self.settings;
        let url = given.base_url.take();
        given.base_url = url.map(|url| without_version(&url).to_owned());
        let endpoint = given.build_endpoint(NAME, BASE_URL)?;
        let settings = AnthropicSettings {
            key: given.key_to_send(),
            version: self.version.unwrap_or_else(|| API_VERSION.to_owned()),
        };
        Ok(Anthropic { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Returns the URL without a trailing `/v1`, because the paths of calls start with it.
fn without_version(url: &str) -> &str {
    let url = url.trim().trim_end_matches('/');
    url.strip_suffix("/v1").unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_suffix_of_the_base_url_is_not_duplicated() {
        for url in ["https://a.b/v1", "https://a.b/v1/", "https://a.b/", " https://a.b"] {
            assert_eq!(without_version(url), "https://a.b");
        }
        assert_eq!(without_version("https://a.b/claude"), "https://a.b/claude");
    }

    #[test]
    fn builder_settings_override_the_environment_in_any_order() {
        let environment = |name: &str| Some(format!("https://{}/", name.to_lowercase()));
        let given = |builder: AnthropicBuilder| builder.api_key("mine").base_url("https://mine");
        for builder in [given(Anthropic::builder()).env(), given(Anthropic::builder().env())] {
            assert!(builder.settings.from_env);
            let settings = builder.with_env(environment).settings;
            assert_eq!(settings.key.as_deref(), Some("mine"));
            assert_eq!(settings.base_url.as_deref(), Some("https://mine"));
        }
        let settings = Anthropic::builder().env().with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("https://anthropic_api_key/"));
        assert_eq!(settings.base_url.as_deref(), Some("https://anthropic_base_url/"));
        // A blank key counts as not set.
        let settings = Anthropic::builder().api_key(" ").with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("https://anthropic_api_key/"));
    }
}
