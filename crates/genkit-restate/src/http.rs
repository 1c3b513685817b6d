//! Requests to Restate, with timeouts and size limits, and errors that state the URL and the remedy.

use std::sync::Arc;

use genkit::{Error, Result};
use genkit_untrusted::secret::{Secret, redact_secrets, secret_parts};
use genkit_untrusted::visible::escape_line;
use reqwest::{Method, Response, Url};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::Error as E;
use crate::limits::{CONNECT, MAX_ANSWER, REQUEST};

/// The minimum length of a credential that is redacted, in bytes. A shorter one could be an ordinary word.
const MIN_SECRET: usize = 6;

/// The maximum length of a message in an error, in characters.
const MAX_MESSAGE: usize = 1000;

/// A client for one URL of Restate.
#[derive(Clone)]
pub(crate) struct Server {
    http: reqwest::Client,
    url: Url,
    token: Option<String>,
    /// The credentials, which the server may repeat in its response.
    secrets: Arc<[Secret]>,
}

/// The body of an error response.
#[derive(Deserialize)]
struct ErrorBody {
    message: String,
}

impl Server {
    pub(crate) fn new(url: &str) -> Result<Self> {
        let bad = || E::Url(shown_url(url));
        let mut parsed = Url::parse(url).map_err(|_| bad())?;
        let is_known = matches!(parsed.scheme(), "http" | "https");
        if !is_known || parsed.host_str().is_none() {
            return Err(bad().into());
        }
        if !parsed.path().ends_with('/') {
            let path = format!("{}/", parsed.path());
            parsed.set_path(&path);
        }
        let (http, secrets) = (build_client(&parsed)?, Arc::default());
        Ok(Self { http, url: parsed, token: None, secrets }.with_secrets())
    }

    pub(crate) fn with_token(mut self, token: String) -> Self {
        self.token = Some(token);
        self.with_secrets()
    }

    /// Prepares the redaction of the token, and of the password in the URL.
    fn with_secrets(mut self) -> Self {
        let given = self.token.as_deref().into_iter().chain(self.url.password());
        let parts = given.flat_map(|secret| secret_parts(secret, MIN_SECRET));
        self.secrets = parts.map(|part| Secret::new(&part, "<redacted>")).collect();
        self
    }

    /// Returns the URL without secrets.
    pub(crate) fn shown_url(&self) -> String {
        shown_url(self.url.as_str())
    }

    /// Posts `body` to `path`, and returns the status and the response.
    pub(crate) async fn post_json<B: Serialize>(
        &self,
        path: &str,
        body: Option<&B>,
    ) -> Result<(u16, Vec<u8>)> {
        let unreachable =
            |why: &reqwest::Error| E::Unreachable { url: self.shown_url(), why: root_cause(why) };
        let url = self.url.join(path).map_err(|_| E::Url(self.shown_url()))?;
        let mut request = self.http.request(Method::POST, url);
        if let Some(body) = body {
            let body =
                serde_json::to_vec(body).map_err(|why| Error::invalid_argument(why.to_string()))?;
            request = request.header("content-type", "application/json").body(body);
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(|why| unreachable(&why))?;
        let status = response.status().as_u16();
        let body = self.read(response).await?;
        Ok((status, body))
    }

    async fn read(&self, mut response: Response) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await;
            let chunk = chunk
                .map_err(|why| E::Unreachable { url: self.shown_url(), why: root_cause(&why) })?;
            let Some(chunk) = chunk else { return Ok(body) };
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(E::TooLarge { url: self.shown_url(), most: MAX_ANSWER }.into());
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// Parses a response.
    pub(crate) fn parse_body<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T> {
        let why = |why: serde_json::Error| E::Unreadable {
            url: self.shown_url(),
            why: self.sanitize_text(&why.to_string()),
        };
        Ok(serde_json::from_slice(body).map_err(why)?)
    }

    /// Returns the error message of a response, which is safe to show.
    pub(crate) fn parse_message(&self, body: &[u8]) -> String {
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(body) => self.sanitize_text(&body.message),
            Err(_) => self.sanitize_text(&String::from_utf8_lossy(body)),
        }
    }

    /// Prepares text from the server for an error: redacts the credentials, and truncates and escapes the rest.
    fn sanitize_text(&self, text: &str) -> String {
        // Cut first, because the search takes time. A credential that is cut off is still recognized.
        let text: String = text.chars().take(10 * MAX_MESSAGE).collect();
        let text = redact_secrets(&text, self.secrets.iter());
        let text: String = text.chars().take(MAX_MESSAGE).collect();
        escape_line(&text).into_owned()
    }
}

fn build_client(url: &Url) -> Result<reqwest::Client> {
    // Fails only if the program has already installed a provider, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .timeout(REQUEST)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true);
    // Do not use a proxy for a local server.
    let is_local = url.host_str().is_some_and(|host| {
        host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    });
    let builder = if is_local { builder.no_proxy() } else { builder };
    // Loading certificates takes time, so they are loaded only if needed.
    let builder = if url.scheme() == "https" { builder } else { builder.tls_certs_only([]) };
    Ok(builder.build().map_err(|why| E::Client(root_cause(&why)))?)
}

/// Returns a URL without its credentials.
fn shown_url(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.chars().take(200).collect() };
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.set_query(None);
    url.as_str().trim_end_matches('/').to_owned()
}

/// Returns the innermost cause, which is the most specific.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
