//! The settings that the builders of all providers share.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::endpoint::ApiEndpoint;
use super::intercept::Interceptor;
use genkit_core::Result;

/// Returns an environment variable if it is set and not blank.
pub fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the headers of a JSON call, with the key as a bearer token.
pub fn bearer_headers(key: Option<&str>) -> Vec<(&'static str, Cow<'static, str>)> {
    let mut headers = Vec::with_capacity(2);
    headers.push(("content-type", "application/json".into()));
    headers.extend(key.map(|key| ("authorization", format!("Bearer {key}").into())));
    headers
}

#[derive(Clone, Default)]
pub struct ProviderSettings {
    pub key: Option<String>,
    pub base_url: Option<String>,
    /// The headers in insertion order. A later header replaces an earlier header with the same name.
    pub headers: Vec<(String, String)>,
    /// The timeout of a whole call. Default is 10 minutes.
    pub timeout: Option<Duration>,
    pub interceptor: Option<Arc<dyn Interceptor>>,
    /// Whether settings that are not set are read from the environment.
    pub from_env: bool,
}

impl ProviderSettings {
    /// Fills in the key and the base URL if they are not set. A blank key counts as not set.
    pub fn fill_missing(
        &mut self,
        key: impl Fn() -> Option<String>,
        base_url: impl Fn() -> Option<String>,
    ) {
        if self.configured_key().is_none() {
            self.key = key();
        }
        self.base_url = self.base_url.take().or_else(base_url);
    }

    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Returns whether calls would reach the network without a key and without an `authorization`
    /// header.
    pub fn lacks_key(&self) -> bool {
        let is_offline = || self.interceptor.as_ref().is_some_and(|it| it.is_offline());
        self.configured_key().is_none() && !self.has_header("authorization") && !is_offline()
    }

    /// Returns the key, unless it is blank.
    pub(crate) fn configured_key(&self) -> Option<&str> {
        self.key.as_deref().map(str::trim).filter(|key| !key.is_empty())
    }

    /// Returns the key to send. Returns `None` if there is an `authorization` header, because some servers reject two
    /// credentials.
    pub fn key_to_send(&self) -> Option<String> {
        self.configured_key().filter(|_| !self.has_header("authorization")).map(str::to_owned)
    }

    /// Creates the endpoint at the base URL, or at `default_url` if none is set.
    pub fn build_endpoint(&self, provider: &str, default_url: &str) -> Result<ApiEndpoint> {
        let url = self.base_url.as_deref().unwrap_or(default_url);
        let mut endpoint = ApiEndpoint::new(provider, url)?;
        for (name, value) in &self.headers {
            endpoint = endpoint.with_header(name, value)?;
        }
        if let Some(timeout) = self.timeout {
            endpoint = endpoint.with_timeout(timeout);
        }
        if let Some(interceptor) = &self.interceptor {
            endpoint = endpoint.with_interceptor(Arc::clone(interceptor));
        }
        Ok(endpoint)
    }
}
