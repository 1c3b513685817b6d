//! Settings of the provider.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::NAME;
use super::error::Error as E;
use super::provider::Gemini;
use super::request::GeminiSettings;
use genkit_core::Result;
use genkit_model::Cassette;
use genkit_model::internal::http::{ProviderSettings, env_var};

/// Where the Gemini API is.
const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// The version of the API. Default is `v1beta`: much of what models can do is only there.
const API_VERSION: &str = "v1beta";

impl Gemini {
    /// Provider with the key in `GEMINI_API_KEY`, else in `GOOGLE_API_KEY`, at `GEMINI_BASE_URL` if
    /// that is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no key, or the base URL cannot be used.
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Builder of the provider, with settings of your own; the environment is not read.
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

/// Builder of a [`Gemini`] provider. See [`Gemini::builder`].
#[derive(Clone, Default)]
#[must_use]
pub struct GeminiBuilder {
    settings: ProviderSettings,
    version: Option<String>,
    openapi: bool,
    from_env: bool,
}

impl GeminiBuilder {
    /// Environment: takes what is not given otherwise from it, the key from `GEMINI_API_KEY`, else
    /// `GOOGLE_API_KEY`, and the base URL from `GEMINI_BASE_URL`.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # fn main() -> genkit::Result<()> {
    /// let gemini = genkit::model::Gemini::builder().env().timeout(Duration::from_secs(60)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn env(mut self) -> Self {
        self.from_env = true;
        self
    }

    /// Adds what the environment has, where nothing is given.
    fn with_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let key = || variable("GEMINI_API_KEY").or_else(|| variable("GOOGLE_API_KEY"));
        self.settings.fill(key, || variable("GEMINI_BASE_URL"));
        self
    }

    /// API key; it goes into a header, never into a URL.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.key = Some(key.into());
        self
    }

    /// Base URL: another address, whose path stays in front: a proxy, a server in a test. Default
    /// is `https://generativelanguage.googleapis.com`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Some(url.into());
        self
    }

    /// API version. Default is `v1beta`.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Header: one more of every call; it replaces one of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.headers.push((name.into(), value.into()));
        self
    }

    /// Timeout: how long one call may take, from sending to the end of the answer. Default is 10
    /// minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// OpenAPI schemas: whether schemas are sent in its older subset, for old models and servers
    /// that know no other. Default is false: they are sent as JSON schemas.
    pub fn openapi_schemas(mut self, yes: bool) -> Self {
        self.openapi = yes;
        self
    }

    /// Cassette: records calls to a file, or answers them from there; a replay needs no key.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.settings.interceptor = Some(cassette.interceptor());
        self
    }

    /// The provider with these settings.
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
    /// There is no key, where nothing else makes up for it: a replayed cassette, an address of
    /// your own, an `authorization` header. Or the base URL or a header cannot be used.
    pub fn build(self) -> Result<Gemini> {
        let this = if self.from_env { self.with_env(env_var) } else { self };
        this.build_given()
    }

    fn build_given(self) -> Result<Gemini> {
        let given = &self.settings;
        if given.base_url.is_none() && given.lacks_key() {
            return Err(E::NoKey.into());
        }
        let endpoint = given.endpoint(NAME, BASE_URL)?;
        let settings = GeminiSettings {
            key: given.key_to_send(),
            version: self.version.unwrap_or_else(|| API_VERSION.to_owned()),
            openapi: self.openapi,
        };
        Ok(Gemini { endpoint: Arc::new(endpoint), settings: Arc::new(settings) })
    }
}

/// Does not show the key, nor the values of headers.
impl fmt::Debug for GeminiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiBuilder")
            .field("has_key", &self.settings.key.is_some())
            .field("version", &self.version)
            .field("timeout", &self.settings.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_wins_over_the_environment_in_any_order() {
        let environment = |name: &str| Some(format!("https://{}/", name.to_lowercase()));
        let given = |builder: GeminiBuilder| builder.api_key("mine").base_url("https://mine");
        for builder in [given(Gemini::builder()).env(), given(Gemini::builder().env())] {
            assert!(builder.from_env);
            let settings = builder.with_env(environment).settings;
            assert_eq!(settings.key.as_deref(), Some("mine"));
            assert_eq!(settings.base_url.as_deref(), Some("https://mine"));
        }
        let settings = Gemini::builder().env().with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("https://gemini_api_key/"));
        assert_eq!(settings.base_url.as_deref(), Some("https://gemini_base_url/"));
        // A key that is blank is none.
        let settings = Gemini::builder().api_key(" ").with_env(environment).settings;
        assert_eq!(settings.key.as_deref(), Some("https://gemini_api_key/"));
    }
}
