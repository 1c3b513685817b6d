//! The builder: the URL of the API, the headers and the query of each request, and the choice of operations.

use std::fmt;
use std::time::Duration;

use genkit::{Error, Result};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{ClientBuilder, Url};

use crate::document::Spec;
use crate::operation::Operation;

/// The time limit of a call. Default is 30 seconds.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum size of a response, in bytes. Default is 1 MiB.
pub(crate) const MAX_RESPONSE: usize = 1024 * 1024;

type Choose = Box<dyn Fn(&Operation<'_>) -> bool + Send + Sync>;

/// The source of the base URL.
pub(crate) enum BaseUrl {
    Unset,
    Given(String),
    OfDocument,
}

/// A builder for the tools of an API. See [`tools_from_openapi`](crate::tools_from_openapi).
#[must_use = "it does nothing until `.build()`"]
pub struct OpenApi {
    pub(crate) spec: Spec,
    pub(crate) client: ClientBuilder,
    pub(crate) base: BaseUrl,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) only: Vec<String>,
    pub(crate) without: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) methods: Vec<String>,
    pub(crate) filters: Vec<Choose>,
    pub(crate) needs_approval: Option<Choose>,
    pub(crate) prefix: String,
    pub(crate) output_schemas: bool,
    pub(crate) timeout: Duration,
    pub(crate) max_response: usize,
}

fn strings(all: impl IntoIterator<Item = impl Into<String>>) -> impl Iterator<Item = String> {
    all.into_iter().map(Into::into)
}

impl OpenApi {
    pub(crate) fn new(spec: Spec, client: ClientBuilder) -> Self {
        Self {
            spec,
            client,
            base: BaseUrl::Unset,
            headers: Vec::new(),
            query: Vec::new(),
            only: Vec::new(),
            without: Vec::new(),
            tags: Vec::new(),
            methods: Vec::new(),
            filters: Vec::new(),
            needs_approval: None,
            prefix: String::new(),
            output_schemas: false,
            timeout: TIMEOUT,
            max_response: MAX_RESPONSE,
        }
    }

    /// Sets the base URL of the API, such as `https://api.example.com/v1`. The paths of the document are appended to
    /// it.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base = BaseUrl::Given(url.into());
        self
    }

    /// Uses the first of the document's `servers` as the base URL. Credentials are sent to this server, so use this
    /// only with documents that you trust.
    pub fn server_of_document(mut self) -> Self {
        self.base = BaseUrl::OfDocument;
        self
    }

    /// Adds a header to each request. A parameter with this name is then not an argument of the tools.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sends a bearer token with each request: `Authorization: Bearer ..`.
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.header("authorization", format!("Bearer {}", token.as_ref()))
    }

    /// Sends a query parameter with each request, for example an API key. A parameter with this name is then not an
    /// argument of the tools.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Adds a filter that includes only these operations, by `operationId` or as `GET /pets/{id}`.
    pub fn only(mut self, operations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.only.extend(strings(operations));
        self
    }

    /// Adds a filter that excludes these operations, by `operationId` or as `DELETE /pets/{id}`.
    pub fn without(mut self, operations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.without.extend(strings(operations));
        self
    }

    /// Adds a filter that includes only operations with one of these tags.
    pub fn tags(mut self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tags.extend(strings(tags));
        self
    }

    /// Adds a filter that includes only operations with one of these methods, such as `["GET"]`.
    pub fn methods(mut self, methods: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.methods.extend(strings(methods));
        self
    }

    /// Adds a filter that includes an operation only if `choose` returns true.
    pub fn filter(
        mut self,
        choose: impl Fn(&Operation<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.filters.push(Box::new(choose));
        self
    }

    /// Requires the user's approval before each call to an operation that `choose` selects, such as `|it|
    /// !it.is_read_only()`.
    pub fn needs_approval(
        mut self,
        choose: impl Fn(&Operation<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.needs_approval = Some(Box::new(choose));
        self
    }

    /// Sets a prefix for the names of all tools, in case several APIs have operations with the same name.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets whether tools have the output schemas of the document's responses. If so, a call whose response does not
    /// match its schema fails with an internal error, so use this only for APIs that conform to their document. Default
    /// is `false`.
    pub fn output_schemas(mut self, yes: bool) -> Self {
        self.output_schemas = yes;
        self
    }

    /// Sets the timeout of a call, including redirects. Default is 30 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Sets the maximum size of a response, in bytes. Default is 1 MiB.
    pub fn max_response(mut self, bytes: usize) -> Self {
        self.max_response = bytes;
        self
    }

    /// Returns the headers that are sent with each request, marked as sensitive.
    pub(crate) fn header_map(&self) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let wrong = |what: &str| {
                Error::invalid_argument(format!(
                    "the {what} of the header `{}` cannot be sent",
                    name.escape_debug()
                ))
            };
            let key = HeaderName::try_from(name).map_err(|_| wrong("name"))?;
            let mut value = HeaderValue::try_from(value.trim()).map_err(|_| wrong("value"))?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        Ok(headers)
    }
}

/// Parses a base URL, which must not have credentials, a query or a fragment.
pub(crate) fn base_url(text: &str) -> Result<Url> {
    let wrong = |why: &str| Error::invalid_argument(format!("the base URL of the API {why}"));
    let url = Url::parse(text).map_err(|_| {
        wrong("is not a complete URL; set one such as `https://api.example.com/v1` with `.base_url(..)`")
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("must begin with `https://` or `http://`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "must not contain credentials; set them with `.header(..)` or `.bearer(..)`",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must not have a query or a fragment; set a query with `.query(..)`"));
    }
    Ok(url)
}

impl fmt::Debug for OpenApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        let query: Vec<_> = self.query.iter().map(|(name, _)| name).collect();
        let mut debug = f.debug_struct("OpenApi");
        debug.field("headers", &headers).field("query", &query);
        debug.field(
            "has_bearer",
            &headers.iter().any(|name| name.eq_ignore_ascii_case(AUTHORIZATION.as_str())),
        );
        debug.field("only", &self.only).field("without", &self.without);
        debug.field("tags", &self.tags).field("methods", &self.methods).finish_non_exhaustive()
    }
}
