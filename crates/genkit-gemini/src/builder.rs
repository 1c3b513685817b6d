//! The builder of the Gemini provider.

use std::sync::Arc;

use super::NAME;
use super::error::Error as E;
use super::provider::Gemini;
use super::request::GeminiSettings;
use genkit_core::Result;
use genkit_model::internal::http::{ProviderSettings, env_var};

/// The base URL of the Gemini API.
const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// The version of the API. Default is `v1beta`, because many features are only available there.
const API_VERSION: &str = "v1beta";

impl Gemini {
    /// Creates a provider from environment variables: the API key from `GEMINI_API_KEY` or
    /// `GOOGLE_API_KEY`, and the base URL from `GEMINI_BASE_URL` if it is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if no API key is set or if the base URL is invalid.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Creates a builder for custom settings. It reads environment variables only if you call
    /// [`env`](GeminiBuilder::env).
    ///
    /// ```
    /// use genkit::model::Gemini;
    /// use std::time::Duration;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = Gemini::builder().api_key("AIza…").timeout(Duration::from_secs(60)).build()?;
    /// # let gemini = Gemini::builder().api_key("AIza").timeout(Duration::from_secs(60)).build()?;
    /// assert_eq!(gemini.model("gemini-2.5-flash").name(), "gemini/gemini-2.5-flash");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> GeminiBuilder {
        GeminiBuilder::default()
    }
}

/// A builder for a [`Gemini`] provider. See [`Gemini::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct GeminiBuilder {
    settings: ProviderSettings,
    version: Option<String>,
    openapi: bool,
}

genkit_model::provider_builder! {
    GeminiBuilder { settings: settings, debug: ["version": version] }

    /// Reads missing settings from environment variables: the API key from `GEMINI_API_KEY` or
    /// `GOOGLE_API_KEY`, and the base URL from `GEMINI_BASE_URL`.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().env().timeout(Duration::from_secs(60)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    env;
    api_key;

    /// Sets the base URL, for example of a proxy or a test server. Paths are appended to its path.
    /// Default is `https://generativelanguage.googleapis.com`.
    base_url;
    header;
    timeout;
    cassette;
}

impl GeminiBuilder {
    /// Fills in missing settings from environment variables.
    fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let key = || variable("GEMINI_API_KEY").or_else(|| variable("GOOGLE_API_KEY"));
        self.settings.fill_missing(key, || variable("GEMINI_BASE_URL"));
        self
    }

    /// Sets the API version. Default is `v1beta`.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets whether schemas are sent in the OpenAPI subset, for old models and servers that support
    /// no other format. Default is false: schemas are sent as JSON Schema.
    pub fn openapi_schemas(mut self, yes: bool) -> Self {
        self.openapi = yes;
        self
    }

    /// Builds the provider.
    ///
    /// ```
    /// use genkit::model::Gemini;
    ///
    /// let error = Gemini::builder().build().unwrap_err();
    /// assert!(error.to_string().contains("GEMINI_API_KEY"));
    /// assert!(Gemini::builder().base_url("http://localhost:4000").build().is_ok());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the base URL or a header is invalid, or if no API key is set. No key is needed for a custom
    /// base URL, if an `authorization` header is set, or if a cassette is replayed.
    pub fn build(self) -> Result<Gemini> {
        let this = if self.settings.from_env { self.with_env(env_var) } else { self };
        this.build_provider()
    }

    fn build_provider(self) -> Result<Gemini> {
        let given = &self.settings;
        if given.base_url.is_none() && given.lacks_key() {
            return Err(E::MissingApiKey.into());
        }
        let endpoint = given.build_endpoint(NAME, BASE_URL)?;
        let settings = GeminiSettings {
            key: given.key_to_send(),
            version: self.version.unwrap_or_else(|| API_VERSION.to_owned()),
            openapi: self.openapi,
        };
        Ok(Gemini { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builder_settings_override_the_environment_in_any_order() {
        let environment = |name: &str| Some(format!("https://{}/", name.to_lowercase()));
        let given = |builder: GeminiBuilder| builder.api_key("mine").base_url("https://mine");
        for builder in [given(Gemini::builder()).env(), given(Gemini::builder().env())] {
            assert!(builder.settings.from_env);
            let settings = builder.with_env(environment).settings;
            assert_eq!(settings.key.as_deref(), Some("mine"));
            assert_eq!(settings.base_url.as_deref(), Some("https://mine"));
        }
        let settings = Gemini::builder().env().with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("https://gemini_api_key/"));
        assert_eq!(settings.base_url.as_deref(), Some("https://gemini_base_url/"));
        // A blank key counts as not set.
        let settings = Gemini::builder().api_key(" ").with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("https://gemini_api_key/"));
    }
}
