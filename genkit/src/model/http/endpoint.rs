//! Where a provider is, and what every call to it shares.

use std::sync::Mutex;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::cassette::Cassette;
use super::transport::{self, Answer};
use crate::error::{Error, ErrorKind, Result};
use crate::sync::lock;

/// How long a whole model call may take. Default is 10 minutes.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// How long an answer may be, in bytes. Default is 64 MiB.
pub(super) const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// A provider's address.
pub(crate) struct Endpoint {
    provider: String,
    base: Url,
    /// With the port, if it is not the usual one: what errors say.
    host: String,
    headers: HeaderMap,
    timeout: Duration,
    max_answer: usize,
    cassette: Option<Cassette>,
    /// The head of the last call: most are made of one model, and differ in their bodies alone.
    last: Mutex<Option<Head>>,
}

struct Head {
    path: String,
    own: Vec<(&'static str, String)>,
    url: Url,
    headers: HeaderMap,
}

impl Endpoint {
    /// An endpoint at `base_url`, whose path and query stay in front of every call's own.
    ///
    /// # Errors
    /// The URL is not one of http or https, or has a name and a password in it.
    pub(crate) fn new(provider: &str, base_url: &str) -> Result<Self> {
        // What was given is not repeated: it may hold a key.
        let wrong = |what: &str| {
            Error::invalid_argument(format!("{provider}: the base URL cannot be used: {what}"))
        };
        let base = Url::parse(base_url.trim()).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("it must begin with https:// or http://"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("a name and a password belong into a header"));
        }
        let name = base.host_str().unwrap_or_default();
        let host = base.port().map_or(name.to_owned(), |port| format!("{name}:{port}"));
        Ok(Self {
            provider: provider.to_owned(),
            host,
            base,
            headers: HeaderMap::new(),
            timeout: DEFAULT_TIMEOUT,
            max_answer: MAX_ANSWER_BYTES,
            cassette: None,
            last: Mutex::new(None),
        })
    }

    /// Sends a header with every call; it replaces one of the provider's own.
    ///
    /// # Errors
    /// The name or the value cannot be a header.
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Result<Self> {
        let name: HeaderName = name.parse().map_err(|_| {
            Error::invalid_argument(format!("{}: {name:?} is no header name", self.provider))
        })?;
        let value = header_value(&self.provider, name.as_str(), value)?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Limits the time of each call. Default is 10 minutes.
    pub(crate) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Calls go through `cassette`.
    pub(crate) fn with_cassette(mut self, cassette: Cassette) -> Self {
        self.cassette = Some(cassette);
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

    pub(super) fn max_answer(&self) -> usize {
        self.max_answer
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// An error about this endpoint: `gemini: example.com did not answer`.
    pub(super) fn error(&self, kind: ErrorKind, what: &str) -> Error {
        Error::new(kind, format!("{}: {} {what}", self.provider, self.host))
    }

    /// Sends one call and waits for the beginning of its answer.
    pub(super) async fn send(
        &self,
        path: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<Answer<'_>> {
        let Some(cassette) = &self.cassette else {
            return self.post(path, headers, body).await;
        };
        let secrets = super::failure::Secrets::of(headers, self);
        if let Some(replayed) = cassette.replayed(path, &body, &secrets)? {
            return Ok(Answer::replayed(self, replayed));
        }
        let recording = cassette.begin(path, &body, secrets);
        let answer = self.post(path, headers, body).await?;
        Ok(answer.recorded(recording))
    }

    async fn post(
        &self,
        path: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<Answer<'_>> {
        let (url, headers) = self.head(path, headers)?;
        transport::send(self, url, headers, body).await
    }

    /// Where a call goes and what stands above its body.
    fn head(&self, path: &str, own: &[(&'static str, String)]) -> Result<(Url, HeaderMap)> {
        let mut last = lock(&self.last);
        if let Some(last) = last.as_ref().filter(|last| last.path == path && last.own == own) {
            return Ok((last.url.clone(), last.headers.clone()));
        }
        let (url, headers) = (self.url(path)?, self.merged(own)?);
        let (path, own) = (path.to_owned(), own.to_vec());
        *last = Some(Head { path, own, url: url.clone(), headers: headers.clone() });
        Ok((url, headers))
    }

    /// The base URL with a call's path and query after its own.
    fn url(&self, path: &str) -> Result<Url> {
        let (path, query) = path.split_once('?').map_or((path, None), |(p, q)| (p, Some(q)));
        let climbs = |part: &str| {
            let plain = part.to_ascii_lowercase().replace("%2e", ".");
            plain == "." || plain == ".."
        };
        if path.split('/').any(climbs) {
            return Err(Error::invalid_argument(format!(
                "{}: {path:?} is no path of a model",
                self.provider
            )));
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

    fn merged(&self, own: &[(&'static str, String)]) -> Result<HeaderMap> {
        let mut headers = HeaderMap::with_capacity(own.len() + self.headers.len());
        for (name, value) in own {
            let value = header_value(&self.provider, name, value)?;
            headers.insert(HeaderName::from_static(name), value);
        }
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        Ok(headers)
    }
}

fn header_value(provider: &str, name: &str, value: &str) -> Result<HeaderValue> {
    let mut parsed = HeaderValue::from_str(value).map_err(|_| {
        // The value may be a key with a line feed after it: it is not shown.
        Error::invalid_argument(format!(
            "{provider}: the header {name} has a value with characters that no header may have"
        ))
    })?;
    parsed.set_sensitive(super::failure::is_secret(name));
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str, path: &str) -> String {
        Endpoint::new("test", base).unwrap().url(path).unwrap().to_string()
    }

    #[test]
    fn the_path_of_the_base_stays() {
        assert_eq!(url("https://a.b", "/v1/x"), "https://a.b/v1/x");
        assert_eq!(url("https://a.b/proxy/", "/v1/x?alt=sse"), "https://a.b/proxy/v1/x?alt=sse");
        assert_eq!(url("http://a:8/p?t=1#f", "/x?alt=sse"), "http://a:8/p/x?t=1&alt=sse");
        assert_eq!(url("http://a:8/p?t=1", "/x"), "http://a:8/p/x?t=1");
    }

    #[test]
    fn a_base_that_cannot_be_used_is_not_repeated() {
        for base in ["", "a.b/c-hidden", "ftp://hidden", "https://user:hidden@a.b"] {
            let error = Endpoint::new("test", base).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(!error.to_string().contains("hidden"), "{error}");
        }
    }

    #[test]
    fn a_path_does_not_climb() {
        let endpoint = Endpoint::new("test", "https://a.b/v1").unwrap();
        for path in ["/models/../x", "/./x", "/%2e%2E/x"] {
            assert!(endpoint.url(path).is_err(), "{path}");
        }
    }

    #[test]
    fn headers_are_checked_and_replace_the_providers() {
        let endpoint = Endpoint::new("test", "https://a.b").unwrap();
        let endpoint = endpoint.with_header("X-Team", "7").unwrap();
        let merged = endpoint.merged(&[("x-team", "1".into()), ("accept", "a/b".into())]).unwrap();
        assert_eq!(
            (&merged["x-team"], &merged["accept"]),
            (&"7".parse().unwrap(), &"a/b".parse().unwrap())
        );
        let error = endpoint.merged(&[("x-goog-api-key", "se\ncret".into())]).unwrap_err();
        assert!(!error.to_string().contains("cret"), "{error}");
        assert!(Endpoint::new("test", "https://a.b").unwrap().with_header("a b", "").is_err());
    }
}
