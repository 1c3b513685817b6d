//! Where a server is, and what every request to it carries.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::mcp::host::transport::oauth::OAuth;

/// The longest message that is read. Default is 16 MiB.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// What the protocol, or HTTP itself, writes.
const RESERVED: [&str; 11] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// The beginning of the headers that arguments of a tool are sent as.
const RESERVED_PREFIX: &str = "mcp-param-";

/// Where a server is and how it is asked, as it was said.
#[derive(Clone, PartialEq)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) bearer: Option<String>,
    pub(crate) made: Option<Made>,
    pub(crate) oauth: Option<OAuth>,
    pub(crate) max_message: usize,
}

/// Headers and tokens are keys: their values are not shown.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &shown(&self.url))
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("bearer", &self.bearer.is_some())
            .field("headers_from", &self.made.is_some())
            .field("oauth", &self.oauth)
            .finish_non_exhaustive()
    }
}

/// What makes headers for one request.
#[derive(Clone)]
pub(crate) struct Made(Arc<Making>);

type Making = dyn Fn(&Context) -> Vec<(String, String)> + Send + Sync;

impl Made {
    pub(crate) fn new(
        make: impl Fn(&Context) -> Vec<(String, String)> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(make))
    }
}

impl PartialEq for Made {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The headers of one request, or why they cannot be sent: it lies in the request's extensions.
#[derive(Clone)]
pub(crate) struct RequestHeaders(pub(crate) Result<HeaderMap, String>);

/// An endpoint that can be asked.
pub(crate) struct Checked {
    pub(crate) url: Url,
    pub(crate) headers: HashMap<HeaderName, HeaderValue>,
}

impl Endpoint {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            headers: Vec::new(),
            bearer: None,
            made: None,
            oauth: None,
            max_message: MAX_MESSAGE_BYTES,
        }
    }

    /// What `.headers_from(..)` makes of the context of a caller.
    pub(crate) fn headers_for(&self, ctx: &Context) -> Option<RequestHeaders> {
        let made = (self.made.as_ref()?.0)(ctx);
        let mut headers = HeaderMap::new();
        for (name, value) in made {
            match header(&name, &value) {
                Ok((name, value)) => headers.insert(name, value),
                Err(fault) => {
                    return Some(RequestHeaders(Err(format!("`headers_from` made {fault}"))));
                }
            };
        }
        Some(RequestHeaders(Ok(headers)))
    }

    /// Checks what was said of the server `key`.
    pub(crate) fn checked(&self, key: &str) -> Result<Checked> {
        let wrong = |what: String| Error::invalid_argument(format!("server {key:?}: {what}"));
        let url = url(&self.url).map_err(wrong)?;
        let mut headers = HashMap::new();
        for (name, value) in &self.headers {
            let (name, value) =
                header(name, value).map_err(|fault| wrong(format!("it has {fault}")))?;
            headers.insert(name, value);
        }
        if let Some(token) = &self.bearer {
            let told = [headers.contains_key(&AUTHORIZATION), self.oauth.is_some()];
            if told.contains(&true) {
                let both = "it has two ways to say who asks: keep one of `.bearer(..)`, \
                            `.oauth(..)` and an `authorization` header";
                return Err(wrong(both.to_owned()));
            }
            let (name, value) = header("authorization", &format!("Bearer {token}"))
                .map_err(|_| wrong("the token of `.bearer(..)` has characters that no header can carry: line ends or control characters".to_owned()))?;
            headers.insert(name, value);
        }
        if self.max_message == 0 {
            return Err(wrong("`.max_message(0)` lets nothing through".to_owned()));
        }
        Ok(Checked { url, headers })
    }
}

fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|fault| {
        format!("{:?} is no address ({fault}): it is written `https://host/path`", shown(text))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme();
        return Err(format!(
            "{:?} is no address of an MCP server: `{scheme}` is not HTTP, it begins with \
             `https://` or `http://`",
            shown(text)
        ));
    }
    Ok(url)
}

/// One header, or what is wrong with it. Its value is never repeated.
fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let lower = name.to_ascii_lowercase();
    if RESERVED.contains(&lower.as_str()) || lower.starts_with(RESERVED_PREFIX) {
        return Err(format!("the header {name:?}, which the protocol writes itself: take it out"));
    }
    let known = HeaderName::try_from(name).map_err(|_| {
        format!("the header {name:?}, which is no name: letters, digits and `-` are")
    })?;
    let mut value = HeaderValue::try_from(value).map_err(|_| {
        format!(
            "a value for the header {name:?} that cannot be sent: line ends or control characters"
        )
    })?;
    // What is sensitive is not shown by `Debug`, and not repeated in compressed headers.
    value.set_sensitive(true);
    Ok((known, value))
}

/// An address without what may be secret in it: user, password, query, fragment.
pub(crate) fn shown(text: &str) -> String {
    match Url::parse(text) {
        Ok(url) => target(&url),
        Err(_) => {
            let end = text.find(['?', '#']).unwrap_or(text.len());
            let plain = &text[..end];
            // A user and a password stand before the last `@`.
            plain.rsplit('@').next().unwrap_or_default().to_owned()
        }
    }
}

/// Scheme, host, port and path.
pub(crate) fn target(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail for what has a host, and without a host there is nothing to take out.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}
