//! The endpoint of a server: its URL, and the headers of every request to it.

use std::collections::HashMap;
use std::fmt;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::error::{Error, HeaderError};
use crate::transport::by_identity::ByIdentity;
use crate::transport::http_client::client::without_secrets;
use crate::transport::http_client::network::Network;
use crate::transport::oauth::OAuth;
use crate::transport::redact::Redactor;
use genkit_core::Context;
use genkit_core::Result;
use genkit_core::TraceContext;
use genkit_core::internal::error;
use genkit_core::internal::telemetry::{TRACEPARENT, TRACESTATE};

/// The longest message that is read, in bytes. Default is 16 MiB.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// Headers that the protocol or HTTP itself sets.
#[rustfmt::skip]
const RESERVED: [&str; 11] = [
    "accept", "connection", "content-length", "content-type", "host", "last-event-id",
    "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "transfer-encoding",
];

/// The prefix of headers that contain arguments of a tool.
const RESERVED_PREFIX: &str = "mcp-param-";

/// The URL of a server and the headers of its requests, as the user set them.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) bearer: Option<String>,
    pub(crate) headers_from: Option<HeadersFrom>,
    pub(crate) oauth: Option<Box<OAuth>>,
    pub(crate) max_message: usize,
    pub(crate) network: Network,
}

/// Omits the values of headers and tokens, which are secrets.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &quote_url(&self.url))
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("bearer", &self.bearer.is_some())
            .field("headers_from", &self.headers_from.is_some())
            .field("oauth", &self.oauth)
            .finish_non_exhaustive()
    }
}

/// A function that creates the headers of one request from the context of its caller.
pub(crate) type HeadersFrom = ByIdentity<dyn Fn(&Context) -> Vec<(String, String)> + Send + Sync>;

/// The headers of one request, or the reason why they cannot be sent; stored in the request's extensions.
#[derive(Clone)]
pub(crate) struct RequestHeaders(pub(crate) Result<HeaderMap, String>);

/// An endpoint with valid settings.
pub(crate) struct CheckedEndpoint {
    pub(crate) url: Url,
    pub(crate) headers: HashMap<HeaderName, HeaderValue>,
}

impl Endpoint {
    pub(crate) fn new(url: String) -> Self {
        Self { url, max_message: MAX_MESSAGE_BYTES, ..Self::default() }
    }

    /// Returns the host and the port of the server.
    pub(crate) fn server(&self) -> Option<(String, Option<u16>)> {
        let url = Url::parse(&self.url).ok()?;
        Some((url.host_str()?.to_owned(), url.port_or_known_default()))
    }

    /// Returns the headers that `.headers_from(..)` creates for a caller, and the headers of the trace.
    pub(crate) fn headers_for(
        &self,
        ctx: &Context,
        trace: Option<&TraceContext>,
    ) -> Option<RequestHeaders> {
        if self.headers_from.is_none() && trace.is_none() {
            return None;
        }
        let made = self.headers_from.as_ref().map(|from| from(ctx)).unwrap_or_default();
        let headers = made.iter().map(|(name, value)| parse_header(name, value));
        let mut headers = headers.collect::<Result<HeaderMap, _>>();
        if let (Ok(headers), Some(trace)) = (&mut headers, trace) {
            let parts = [(TRACEPARENT, trace.to_string()), (TRACESTATE, trace.state().to_owned())];
            for (name, value) in parts {
                // Headers that the program or the endpoint sets take precedence.
                let is_said = self.headers.iter().any(|(said, _)| said.eq_ignore_ascii_case(name));
                if let Ok(value) = HeaderValue::try_from(value)
                    && !value.is_empty()
                    && !is_said
                {
                    headers.entry(HeaderName::from_static(name)).or_insert(value);
                }
            }
        }
        Some(RequestHeaders(headers.map_err(|fault| Error::HeadersFrom(fault).to_string())))
    }

    /// Returns a redactor for the secrets in the headers, the credentials and the URL.
    pub(crate) fn build_redactor(&self) -> Redactor {
        let redactor = Redactor::default();
        for (name, value) in &self.headers {
            redactor.add_secret(name, value);
        }
        if let Some(token) = &self.bearer {
            redactor.add_secret("token", token);
        }
        if let Some(oauth) = &self.oauth {
            oauth.hide_in(&redactor);
        }
        self.network.hide_in(&redactor);
        if let Ok(url) = Url::parse(&self.url) {
            redactor.add_secret("password", url.password().unwrap_or_default());
            redactor.add_secret("query", url.query().unwrap_or_default());
            for (name, value) in url.query_pairs() {
                redactor.add_secret(&name, &value);
            }
        }
        redactor
    }

    /// Checks the settings of the server `key`.
    pub(crate) fn check_for(&self, key: &str) -> Result<CheckedEndpoint> {
        self.check_settings()
            .map_err(|error| error::Error::invalid_argument(format!("server `{key}`: {error}")))
    }

    fn check_settings(&self) -> Result<CheckedEndpoint, Error> {
        let url = parse_url(&self.url)?;
        let headers = self.headers.iter().map(|(name, value)| parse_header(name, value));
        let mut headers: HashMap<_, _> = headers.collect::<Result<_, _>>()?;
        if let Some(token) = &self.bearer {
            if headers.contains_key(&AUTHORIZATION) || self.oauth.is_some() {
                return Err(Error::TwoCredentials);
            }
            let (name, value) = parse_header("authorization", &format!("Bearer {token}"))
                .map_err(|_| Error::Token)?;
            headers.insert(name, value);
        }
        if self.max_message == 0 {
            return Err(Error::ZeroMessageLimit);
        }
        Ok(CheckedEndpoint { url, headers })
    }
}

fn parse_url(text: &str) -> Result<Url, Error> {
    let url =
        Url::parse(text).map_err(|fault| Error::InvalidUrl { shown: quote_url(text), fault })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::NotHttp { shown: quote_url(text), scheme: url.scheme().to_owned() });
    }
    Ok(url)
}

fn parse_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HeaderError> {
    let lower = name.to_ascii_lowercase();
    if RESERVED.contains(&lower.as_str()) || lower.starts_with(RESERVED_PREFIX) {
        return Err(HeaderError::Reserved(name.to_owned()));
    }
    let known = HeaderName::try_from(name).map_err(|_| HeaderError::Name(name.to_owned()))?;
    let mut value =
        HeaderValue::try_from(value).map_err(|_| HeaderError::Value(name.to_owned()))?;
    // Sensitive values are omitted by `Debug`, and kept out of header compression tables.
    value.set_sensitive(true);
    Ok((known, value))
}

/// Returns a URL, even an invalid one, without its secret parts.
fn quote_url(text: &str) -> String {
    match Url::parse(text) {
        Ok(url) => without_secrets(&url).to_string(),
        Err(_) => {
            let end = text.find(['?', '#']).unwrap_or(text.len());
            // The user and the password precede the last `@`.
            text[..end].rsplit('@').next().unwrap_or_default().to_owned()
        }
    }
}
