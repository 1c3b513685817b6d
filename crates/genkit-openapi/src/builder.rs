//! The builder: where the API is, what is sent with each request, and which operations become tools.

use std::fmt;
use std::time::Duration;

use genkit::{Error, Result};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{ClientBuilder, Url};

use crate::document::Spec;
use crate::operation::Operation;

/// How long a call may take. Default is 30 seconds.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// How large a response may be, in bytes. Default is 1 MiB.
pub(crate) const MAX_RESPONSE: usize = 1024 * 1024;

type Choose = Box<dyn Fn(&Operation<'_>) -> bool + Send + Sync>;

/// Where the API is.
pub(crate) enum BaseUrl {
    Unsaid,
    Given(String),
    OfDocument,
}

/// Builder of the tools of an API: see [`tools_from_openapi`](crate::tools_from_openapi).
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

fn into_strings(all: impl IntoIterator<Item = impl Into<String>>) -> impl Iterator<Item = String> {
    all.into_iter().map(Into::into)
}

impl OpenApi {
    pub(crate) fn new(spec: Spec, client: ClientBuilder) -> Self {
        Self {
            spec,
            client,
            base: BaseUrl::Unsaid,
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

    /// Base URL: where the API is: `https://api.example.com/v1`. The paths of the document come
    /// after it.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base = BaseUrl::Given(url.into());
        self
    }

    /// Server of the document: the API is at the first of its `servers`. Credentials go there: do
    /// so with documents that you trust.
    pub fn server_of_document(mut self) -> Self {
        self.base = BaseUrl::OfDocument;
        self
    }

    /// Header: sends one with each request. A parameter of that name is no argument then.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Bearer token: sends `Authorization: Bearer ..` with each request.
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.header("authorization", format!("Bearer {}", token.as_ref()))
    }

    /// Query parameter: sends one with each request, for keys that go there. A parameter of that
    /// name is no argument then.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Filter: only these operations, by `operationId`, or as `GET /pets/{id}`.
    pub fn only(mut self, operations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.only.extend(into_strings(operations));
        self
    }

    /// Filter: all but these operations, by `operationId`, or as `DELETE /pets/{id}`.
    pub fn without(mut self, operations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.without.extend(into_strings(operations));
        self
    }

    /// Filter: only operations with one of these tags.
    pub fn tags(mut self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tags.extend(into_strings(tags));
        self
    }

    /// Filter: only operations with one of these methods: `["GET"]`.
    pub fn methods(mut self, methods: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.methods.extend(into_strings(methods));
        self
    }

    /// Filter: only operations of which `choose` says yes.
    pub fn filter(
        mut self,
        choose: impl Fn(&Operation<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.filters.push(Box::new(choose));
        self
    }

    /// Approval: whether the user is asked before each call of an operation: `|it|
    /// !it.is_read_only()`.
    pub fn needs_approval(
        mut self,
        choose: impl Fn(&Operation<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.needs_approval = Some(Box::new(choose));
        self
    }

    /// Name prefix: what all names of tools begin with, where several APIs have operations of one
    /// name.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Output schemas: shows those of responses, too. An answer that does not fit is an internal error then, so
    /// that this is for APIs that keep to their document. Default is no.
    pub fn output_schemas(mut self, yes: bool) -> Self {
        self.output_schemas = yes;
        self
    }

    /// Timeout: how long a call may take, with its redirects. Default is 30 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Response limit: how large a response may be, in bytes. Default is 1 MiB.
    pub fn max_response(mut self, bytes: usize) -> Self {
        self.max_response = bytes;
        self
    }

    /// What is sent with each request, marked as secret.
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

/// An address of an API: no credentials, no query, no fragment.
pub(crate) fn base_url(text: &str) -> Result<Url> {
    let wrong = |why: &str| Error::invalid_argument(format!("the address of the API {why}"));
    let url = Url::parse(text).map_err(|_| {
        wrong("is not complete: give the whole of it, as `https://api.example.com/v1`, with `.base_url(..)`")
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("begins with neither `https://` nor `http://`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("has credentials in it: give them with `.header(..)` or `.bearer(..)`"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("has a query or a fragment: give a query with `.query(..)`"));
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
