//! Resources created at run time, from a closure instead of an annotated function.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::Resource;
use super::app::{APP_MIME_TYPE, AppPage};
use super::contents::{IntoContents, ResourceOutput};
use crate::action::call::{ActionHandler, forward_to, from_closure};
use crate::action::completion::{Completers, completing};
use crate::action::definition::Definition;
use crate::action::handler_error::{HandlerInput, HandlerResult};
use crate::action::info::{Info, describing};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::message::Annotations;
use genkit_schema::internal::Schemas;

impl Resource {
    /// Creates a builder for a resource. The `uri` may be an RFC 6570 template.
    ///
    /// ```
    /// use genkit::{Context, Resource};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Page { number: u32 }
    ///
    /// let page = Resource::builder("book://page/{number}", "page", "A page of the book.")
    ///     .mime_type("text/plain")
    ///     .handler(|_: Context, page: Page| async move { Ok(format!("page {}", page.number)) });
    /// assert!(page.is_template());
    /// ```
    #[track_caller]
    pub fn builder(
        uri: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> ResourceBuilder {
        ResourceBuilder::new(Info::from_builder(name.into(), description.into()), uri.into())
    }

    /// Creates a builder for another program's resource.
    #[doc(hidden)]
    pub fn from_server(uri: String, name: String, description: String) -> ResourceBuilder {
        ResourceBuilder::new(Info::from_server(name, description), uri.into())
    }
}

/// A builder of a [`Resource`]. Created by [`Resource::builder`].
///
/// ```
/// use genkit::{Context, Resource};
/// use std::time::Duration;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Page { number: u32 }
///
/// let page = Resource::builder("book://page/{number}", "page", "A page of the book.")
///     .title("Page")
///     .tag("books")
///     .mime_type("text/plain")
///     .timeout(Duration::from_secs(5))
///     .metadata("owner", "ops")
///     .complete("number", |_| async { ["1", "2"] })
///     .handler(|_: Context, page: Page| async move { Ok(format!("page {}", page.number)) });
/// assert_eq!((page.name(), page.uri()), ("page", "book://page/{number}"));
/// assert_eq!((page.title(), page.mime_type()), (Some("Page"), Some("text/plain")));
/// assert_eq!(page.timeout(), Some(Duration::from_secs(5)));
/// assert_eq!(page.tags().collect::<Vec<_>>(), ["books"]);
/// assert_eq!(page.metadata()["owner"], "ops");
/// ```
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct ResourceBuilder {
    info: Info,
    uri: Cow<'static, str>,
    mime_type: Option<Cow<'static, str>>,
    timeout: Option<Duration>,
    completers: Completers,
}

describing!(ResourceBuilder);
completing!(ResourceBuilder);

impl ResourceBuilder {
    fn new(info: Info, uri: Cow<'static, str>) -> Self {
        Self { info, uri, mime_type: None, timeout: None, completers: Completers::default() }
    }

    fn build(self, schemas: Schemas, handler: ActionHandler<ResourceOutput>) -> Resource {
        let definition = Definition::from_builder(self.info, schemas, handler);
        Resource::new(definition, self.uri, self.mime_type, self.timeout, self.completers)
    }

    /// Sets the media type (MIME type) of the content.
    pub fn mime_type(mut self, mime_type: impl Into<Cow<'static, str>>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Makes the resource the page of an MCP App, with these permissions. Its URI must begin with `ui://`, and its
    /// content must be one HTML document.
    pub fn app(mut self, page: AppPage) -> Self {
        self.info.metadata.insert("ui".to_owned(), page.to_json());
        self.mime_type(APP_MIME_TYPE)
    }

    /// Sets the annotations that MCP clients receive in the list of resources.
    pub fn annotations(self, annotations: Annotations) -> Self {
        self.with_mcp_member("annotations", json!(annotations))
    }

    /// Sets the size of the content in bytes, which MCP clients receive in the list of resources.
    pub fn size(self, bytes: u64) -> Self {
        self.with_mcp_member("size", bytes.into())
    }

    fn with_mcp_member(mut self, key: &str, value: Value) -> Self {
        let mcp = self.info.metadata.entry("mcp").or_insert_with(|| json!({}));
        if let Value::Object(mcp) = mcp {
            mcp.insert(key.to_owned(), value);
        }
        self
    }

    /// Sets the timeout of the resource. Default is the caller's timeout, such as 60 seconds for a server.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Builds a resource that forwards the requested URI to `function`.
    #[doc(hidden)]
    pub fn forwards<F>(self, function: F) -> Resource
    where
        F: Fn(Context, String) -> BoxFuture<'static, Result<ResourceOutput>>
            + Send
            + Sync
            + 'static,
    {
        let schemas = Schemas::foreign(serde_json::json!({ "type": "object" }), None);
        let uri_of = |uri: Value| uri.as_str().unwrap_or_default().to_owned();
        self.build(schemas, forward_to(move |context, uri| function(context, uri_of(uri))))
    }

    /// Sets the handler, a closure that reads the resource, and builds the resource.
    pub fn handler<I, F, Fut>(self, function: F) -> Resource
    where
        I: HandlerInput,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value: IntoContents + 'static>> + Send + 'static,
    {
        let schemas = Schemas::derived(genkit_schema::internal::input_schema::<I>, || None);
        let read = move |context, input| function(context, input).map(HandlerResult::into_result);
        let read = from_closure(read, |contents| Ok(IntoContents::into_contents(contents)));
        self.build(schemas, read)
    }
}
