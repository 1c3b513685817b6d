//! The endpoint of a provider: its base URL, and the headers and limits that its calls share.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{
    ACCEPT, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use super::error::Error as E;
use super::intercept::{Interception, Interceptor, OutgoingCall};
use super::prepared::PreparedHead;
use super::redact::Secrets;
use super::response::{self, HttpResponse, Sender};
use genkit_core::Result;
use genkit_core::internal::redact::is_secret_name;
use genkit_core::internal::sync::lock;
use genkit_http_client::internal::net;

/// The timeout of a whole model call. Default is 10 minutes.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The maximum size of a response, in bytes. Default is 64 MiB.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The API endpoint of a provider.
pub struct ApiEndpoint {
    provider: String,
    base: Url,
    /// The host, with the port unless it is the default port of the scheme.
    host: String,
    /// The provider and the host, as shown in errors.
    api: String,
    headers: HeaderMap,
    timeout: Duration,
    /// The hint shown when the server is unreachable.
    remedy: Option<&'static str>,
    max_answer: usize,
    interceptor: Option<Arc<dyn Interceptor>>,
    /// The head of the last call. Most calls of an endpoint are for the same model and differ only
    /// in their bodies.
    last: Mutex<Option<Arc<PreparedHead>>>,
}

impl ApiEndpoint {
    /// Creates an endpoint at `base_url`. The path of each call is appended to the path of the base
    /// URL, and the query strings are joined.
    ///
    /// # Errors
    /// Returns an error if the URL is not an `http` or `https` URL, or if it contains a user name
    /// or a password.
    pub(crate) fn new(provider: &str, base_url: &str) -> Result<Self> {
        // The error does not repeat the URL, because it may contain a key.
        let wrong =
            |reason: &str| E::BaseUrl { provider: provider.to_owned(), reason: reason.to_owned() };
        let no_scheme = || wrong("it must start with `https://` or `http://`");
        if !base_url.contains("://") {
            return Err(no_scheme().into());
        }
        let base = Url::parse(base_url.trim()).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(no_scheme().into());
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("it contains credentials; send them in a header").into());
        }
        let name = base.host_str().unwrap_or_default();
        let host = base.port().map_or(name.to_owned(), |port| format!("{name}:{port}"));
        Ok(Self {
            provider: provider.to_owned(),
            api: format!("{provider}: {host}"),
            host,
            base,
            headers: HeaderMap::new(),
            timeout: DEFAULT_TIMEOUT,
            remedy: None,
            max_answer: MAX_ANSWER_BYTES,
            interceptor: None,
            last: Mutex::new(None),
        })
    }

    /// Adds a header to every call, replacing the provider's own header with the same name.
    ///
    /// # Errors
    /// Returns an error if the name or the value is not valid in a header.
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Result<Self> {
        let parsed = name.parse::<HeaderName>();
        let name = parsed.map_err(|_| E::HeaderName {
            provider: self.provider.clone(),
            name: name.to_owned(),
        })?;
        let value = header_value(&self.provider, name.as_str(), value)?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sets the timeout of each call. Default is 10 minutes.
    pub(crate) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the hint shown when the server is unreachable.
    pub fn with_remedy(mut self, remedy: &'static str) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// Sets the interceptor of all calls.
    pub(crate) fn with_interceptor(mut self, interceptor: Arc<dyn Interceptor>) -> Self {
        self.interceptor = Some(interceptor);
        self
    }

    #[cfg(test)]
    pub(super) fn with_max_answer(mut self, bytes: usize) -> Self {
        self.max_answer = bytes;
        self
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(super) fn api_label(&self) -> &str {
        &self.api
    }

    /// Returns the secrets of a call with these headers.
    pub(super) fn collect_secrets(&self, headers: &[(&'static str, Cow<'static, str>)]) -> Secrets {
        Secrets::from_headers(headers, &self.headers).with_query(&self.base)
    }

    /// Sends a call and waits for the head of the response.
    pub(super) async fn send_call(
        &self,
        path: &str,
        headers: &[(&'static str, Cow<'static, str>)],
        body: Vec<u8>,
    ) -> Result<HttpResponse<'_>> {
        let Some(interceptor) = &self.interceptor else {
            return self.post_call(path, headers, body).await;
        };
        let call = OutgoingCall { path, body: &body, secrets: self.collect_secrets(headers) };
        match interceptor.intercept_call(call)? {
            Interception::Respond(stored) => Ok(HttpResponse::from_stored(self.sender(), stored)),
            Interception::Observe(observer) => {
                Ok(self.post_call(path, headers, body).await?.with_observer(observer))
            }
        }
    }

    async fn post_call(
        &self,
        path: &str,
        headers: &[(&'static str, Cow<'static, str>)],
        body: Vec<u8>,
    ) -> Result<HttpResponse<'_>> {
        let head = self.prepare_head(path, headers)?;
        response::send_observed(self.sender(), &self.host, &head, body).await
    }

    fn sender(&self) -> Sender<'_> {
        Sender { api: &self.api, remedy: self.remedy, max_bytes: self.max_answer }
    }

    /// Returns the head of a call, reusing the head of the last call if it is the same.
    fn prepare_head(
        &self,
        path: &str,
        own: &[(&'static str, Cow<'static, str>)],
    ) -> Result<Arc<PreparedHead>> {
        let mut last = lock(&self.last);
        if let Some(last) = last.as_ref().filter(|last| last.matches(path, own)) {
            return Ok(Arc::clone(last));
        }
        let head = PreparedHead::new(path, own, self.call_url(path)?, self.merge_headers(own)?)?;
        Ok(Arc::clone(last.insert(Arc::new(head))))
    }

    /// Returns the URL of a call: the base URL with the path and query of the call appended.
    fn call_url(&self, path: &str) -> Result<Url> {
        let (path, query) = path.split_once('?').map_or((path, None), |(p, q)| (p, Some(q)));
        let climbs = |part: &str| {
            let plain = part.to_ascii_lowercase().replace("%2e", ".");
            plain == "." || plain == ".."
        };
        if path.split('/').any(climbs) {
            let (provider, path) = (self.provider.clone(), path.to_owned());
            return Err(E::Path { provider, path }.into());
        }
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        let joined = match (self.base.query(), query) {
            (Some(base), Some(own)) => Some(format!("{base}&{own}")),
            (base, own) => own.or(base).map(str::to_owned),
        };
        url.set_query(joined.as_deref());
        url.set_fragment(None);
        Ok(url)
    }

    fn merge_headers(&self, own: &[(&'static str, Cow<'static, str>)]) -> Result<HeaderMap> {
        let mut headers = HeaderMap::with_capacity(own.len() + self.headers.len() + 4);
        headers.insert(USER_AGENT, HeaderValue::from_static(net::USER_AGENT));
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(HOST, header_value(&self.provider, HOST.as_str(), &self.host)?);
        for (name, value) in own {
            let value = header_value(&self.provider, name, value)?;
            headers.insert(HeaderName::from_static(name), value);
        }
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        // A placeholder that each call replaces, so that the map does not have to grow.
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        Ok(headers)
    }
}

fn header_value(provider: &str, name: &str, value: &str) -> Result<HeaderValue> {
    // The error does not show the value, because it may be a key followed by a line feed.
    let invalid = || E::HeaderValue { provider: provider.to_owned(), name: name.to_owned() };
    let mut parsed = HeaderValue::from_str(value).map_err(|_| invalid())?;
    parsed.set_sensitive(is_secret_name(name));
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;

    fn call_url(base: &str, path: &str) -> String {
        ApiEndpoint::new("test", base).unwrap().call_url(path).unwrap().to_string()
    }

    #[test]
    fn path_of_the_base_stays() {
        assert_eq!(call_url("https://a.b", "/v1/x"), "https://a.b/v1/x");
        assert_eq!(
            call_url("https://a.b/proxy/", "/v1/x?alt=sse"),
            "https://a.b/proxy/v1/x?alt=sse"
        );
        assert_eq!(call_url("http://a:8/p?t=1#f", "/x?alt=sse"), "http://a:8/p/x?t=1&alt=sse");
        assert_eq!(call_url("http://a:8/p?t=1", "/x"), "http://a:8/p/x?t=1");
    }

    #[test]
    fn base_that_cannot_be_used_is_not_repeated() {
        for base in ["", "a.b/c-hidden", "ftp://hidden", "https://user:hidden@a.b"] {
            let error = ApiEndpoint::new("test", base).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(!error.to_string().contains("hidden"), "{error}");
        }
    }

    #[test]
    fn path_does_not_climb() {
        let endpoint = ApiEndpoint::new("test", "https://a.b/v1").unwrap();
        for path in ["/models/../x", "/./x", "/%2e%2E/x"] {
            assert!(endpoint.call_url(path).is_err(), "{path}");
        }
    }

    #[test]
    fn headers_are_checked_and_replace_the_providers() {
        let endpoint = ApiEndpoint::new("test", "https://a.b").unwrap();
        let endpoint = endpoint.with_header("X-Team", "7").unwrap();
        let merged =
            endpoint.merge_headers(&[("x-team", "1".into()), ("accept", "a/b".into())]).unwrap();
        assert_eq!(
            (&merged["x-team"], &merged["accept"]),
            (&"7".parse().unwrap(), &"a/b".parse().unwrap())
        );
        let error = endpoint.merge_headers(&[("x-goog-api-key", "se\ncret".into())]).unwrap_err();
        assert!(!error.to_string().contains("cret"), "{error}");
        assert!(ApiEndpoint::new("test", "https://a.b").unwrap().with_header("a b", "").is_err());
    }
}
