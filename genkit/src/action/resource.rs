//! Resources: functions that answer for a URI or for a family of URIs.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use genkit_uri_template::{UriTemplate, UriValue};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::args::Strictness;
use super::completion::{Completers, Completion, IntoSuggestions, Suggesting};
use super::definition::{ResourceDefinition, ResourceFn};
use super::handler::{Calling, Handler, closure};
use super::info::{Info, Location, described, describing};
use super::lent::Requirement;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::schema::Schemas;

/// A piece of a resource's content: text or bytes.
///
/// ```
/// use genkit::{Contents, resource};
///
/// /// The project's logo and its licence.
/// #[resource("assets://all")]
/// async fn assets() -> Vec<Contents> {
///     vec![
///         Contents::bytes([0x89, b'P', b'N', b'G']).mime_type("image/png").uri("assets://logo.png"),
///         Contents::text("Apache-2.0").uri("assets://licence"),
///     ]
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    pub(crate) uri: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) body: Body,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

impl Contents {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { uri: None, mime_type: None, body: Body::Text(text.into()) }
    }

    /// Bytes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { uri: None, mime_type: None, body: Body::Bytes(bytes.into()) }
    }

    /// A value as JSON text of type `application/json`.
    ///
    /// ```
    /// let contents = genkit::Contents::json(&[1, 2, 3])?;
    /// assert_eq!(contents, genkit::Contents::text("[1,2,3]").mime_type("application/json"));
    /// # Ok::<(), genkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// The value does not serialize.
    pub fn json(value: &impl serde::Serialize) -> Result<Self> {
        Ok(Self::text(serde_json::to_string(value)?).mime_type("application/json"))
    }

    /// Says its media type; without, the resource's own is used.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Says its own address; without, it is the address that was read.
    #[must_use]
    pub fn uri(mut self, uri: impl Into<String>) -> Self {
        self.uri = Some(uri.into());
        self
    }

    /// Its text, if it is text.
    ///
    /// ```
    /// use genkit::Contents;
    ///
    /// let read = Contents::text("Be kind.").mime_type("text/plain").uri("house://rules");
    /// assert_eq!((read.as_text(), read.as_bytes()), (Some("Be kind."), &b"Be kind."[..]));
    /// assert_eq!(read.media_type(), Some("text/plain"));
    /// assert_eq!(read.address(), Some("house://rules"));
    /// assert_eq!(Contents::bytes([0x89]).as_text(), None);
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some(text),
            Body::Bytes(_) => None,
        }
    }

    /// Its bytes; of text, those of UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.body {
            Body::Text(text) => text.as_bytes(),
            Body::Bytes(bytes) => bytes,
        }
    }

    /// The media type that it says.
    pub fn media_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    /// The address that it says.
    pub fn address(&self) -> Option<&str> {
        self.uri.as_deref()
    }
}

/// The result of a resource after its type is gone.
pub type ResourceOutput = Vec<Contents>;

/// A type that a resource can return, bare or in a `Result` of any alias.
///
/// ```
/// use genkit::{Result, resource};
/// use serde_json::{Value, json};
///
/// /// The manual.
/// #[resource("doc://manual", mime_type = "text/markdown")]
/// async fn manual() -> &'static str {
///     "# Manual"
/// }
///
/// /// The settings, as `application/json`.
/// #[resource("doc://settings")]
/// async fn settings() -> Result<Value> {
///     Ok(json!({"theme": "dark"}))
/// }
/// # assert_eq!(genkit::resources![manual, settings].len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a resource",
    label = "not the content of a resource",
    note = "return `String`, `Vec<u8>`, `serde_json::Value`, `Contents` or `Vec<Contents>`; `Contents::json(&value)` takes anything that serializes"
)]
pub trait IntoContents {
    #[doc(hidden)]
    fn into_contents(self) -> Vec<Contents>;
}

#[diagnostic::do_not_recommend]
impl IntoContents for Contents {
    fn into_contents(self) -> Vec<Contents> {
        vec![self]
    }
}

#[diagnostic::do_not_recommend]
impl IntoContents for Vec<Contents> {
    fn into_contents(self) -> Vec<Contents> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoContents for String {
    fn into_contents(self) -> Vec<Contents> {
        vec![Contents::text(self)]
    }
}

#[diagnostic::do_not_recommend]
impl IntoContents for &str {
    fn into_contents(self) -> Vec<Contents> {
        vec![Contents::text(self)]
    }
}

#[diagnostic::do_not_recommend]
impl IntoContents for Vec<u8> {
    fn into_contents(self) -> Vec<Contents> {
        vec![Contents::bytes(self)]
    }
}

#[diagnostic::do_not_recommend]
impl IntoContents for Value {
    fn into_contents(self) -> Vec<Contents> {
        vec![Contents::text(self.to_string()).mime_type("application/json")]
    }
}

/// A resource or a resource template.
///
/// ```
/// use genkit::{Resource, resource};
///
/// /// A note by its number.
/// #[resource("note://{id}")]
/// async fn note(id: u64) -> String {
///     format!("note {id}")
/// }
///
/// let resource = Resource::of::<note>();
/// assert!(resource.is_template());
/// assert_eq!(resource.uri(), "note://{id}");
/// ```
#[derive(Clone)]
pub struct Resource(Arc<Inner>);

struct Inner {
    info: Info,
    uri: Cow<'static, str>,
    /// A malformed template is kept as the error it is, for the registry to report.
    template: std::result::Result<UriTemplate, String>,
    mime_type: Option<Cow<'static, str>>,
    schemas: Schemas,
    requirements: Vec<Requirement>,
    completers: Completers,
    handler: Reader,
}

/// Who reads.
enum Reader {
    /// A function with the variables as its arguments.
    Own(Handler<ResourceOutput>),
    /// Another program, which is told the URI.
    Remote(Box<dyn Fn(Context, String) -> Calling<'static, ResourceOutput> + Send + Sync>),
}

impl Resource {
    /// The resource behind an annotated function.
    pub fn of<F: ResourceFn>() -> Self {
        Self::from_definition(F::DEFINITION)
    }

    pub(crate) fn from_definition(definition: &'static ResourceDefinition) -> Self {
        let erased = definition.erased;
        Self(Arc::new(Inner {
            info: definition.described.info(),
            uri: Cow::Borrowed(definition.uri),
            template: UriTemplate::parse(definition.uri).map_err(|e| e.to_string()),
            mime_type: definition.mime_type.map(Cow::Borrowed),
            schemas: Schemas::derived(erased.input, erased.output),
            requirements: (erased.requirements)(),
            completers: Completers::annotated(definition.completers),
            handler: Reader::Own(Handler::Static(erased.call)),
        }))
    }

    /// Begins a resource that is made at run time; `uri` may be an RFC 6570 template.
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
        ResourceBuilder::new(Info::dynamic(name.into(), description.into()), uri.into())
    }

    /// Begins a resource that another program has.
    pub(crate) fn remote(uri: String, name: String, description: String) -> ResourceBuilder {
        ResourceBuilder::new(Info::remote(name, description), uri.into())
    }

    /// Its address, or the template of its addresses.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Whether the address has variables.
    pub fn is_template(&self) -> bool {
        self.0.template.as_ref().is_ok_and(|template| !template.is_static())
    }

    /// The media type of its content, if it is always the same.
    pub fn mime_type(&self) -> Option<&str> {
        self.0.mime_type.as_deref()
    }

    /// Whether both are one and the same, not only of one name.
    #[cfg(feature = "mcp-host")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn info(&self) -> &Info {
        &self.0.info
    }

    pub(crate) fn schemas(&self) -> &Schemas {
        &self.0.schemas
    }

    pub(crate) fn requirements(&self) -> &[Requirement] {
        &self.0.requirements
    }

    /// What is wrong with the template, if anything.
    pub(crate) fn template(&self) -> std::result::Result<&UriTemplate, &str> {
        self.0.template.as_ref().map_err(String::as_str)
    }

    /// The variables that `uri` gives, if this resource answers for it.
    pub(crate) fn matches(&self, uri: &str) -> Option<Map<String, Value>> {
        let values = self.0.template.as_ref().ok()?.match_uri(uri)?.into_iter();
        let json = |value| match value {
            UriValue::Text(text) => Value::from(text),
            UriValue::List(texts) => Value::from(texts),
        };
        Some(values.map(|(name, value)| (name.to_owned(), json(value))).collect())
    }

    /// How much of the template is fixed: of two that match, the larger one wins.
    pub(crate) fn specificity(&self) -> impl Ord + use<> {
        self.0.template.as_ref().map(UriTemplate::specificity).ok()
    }

    /// Suggestions for a variable, if the template has it.
    pub(crate) fn complete(&self, asked: Completion) -> Option<Suggesting> {
        super::completion::of(&self.0.completers, self.0.schemas.portable_input(), asked)
    }

    /// Of several resources the one that answers for `uri`: the most specific template.
    pub(crate) fn most_specific(
        resources: impl DoubleEndedIterator<Item = Self>,
        uri: &str,
    ) -> Option<(Self, Map<String, Value>)> {
        resources
            .filter_map(|resource| Some((resource.matches(uri)?, resource)))
            .rev() // of equals, the first by name wins
            .max_by_key(|(_, resource)| resource.specificity())
            .map(|(variables, resource)| (resource, variables))
    }

    /// Reads `uri`, of which `variables` are what [`matches`](Self::matches) found. No limits.
    pub(crate) fn invoke<'a>(
        &self,
        context: &'a Context,
        uri: &str,
        variables: Value,
    ) -> Calling<'a, ResourceOutput> {
        match &self.0.handler {
            Reader::Own(handler) => handler.call(context, variables, Strictness::Text),
            Reader::Remote(read) => read(context.clone(), uri.to_owned()),
        }
    }
}

described!(Resource);

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Resource").field(&self.uri()).finish()
    }
}

/// A resource in the making: see [`Resource::builder`].
///
/// ```
/// use genkit::{Context, Resource};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Page { number: u32 }
///
/// let page = Resource::builder("book://page/{number}", "page", "A page of the book.")
///     .title("Page")
///     .tag("books")
///     .mime_type("text/plain")
///     .metadata("owner", "ops")
///     .complete("number", |_| async { ["1", "2"] })
///     .handler(|_: Context, page: Page| async move { Ok(format!("page {}", page.number)) });
/// assert_eq!((page.name(), page.uri()), ("page", "book://page/{number}"));
/// assert_eq!((page.title(), page.mime_type()), (Some("Page"), Some("text/plain")));
/// assert_eq!(page.tags().collect::<Vec<_>>(), ["books"]);
/// assert_eq!(page.metadata()["owner"], "ops");
/// ```
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct ResourceBuilder {
    info: Info,
    uri: Cow<'static, str>,
    mime_type: Option<Cow<'static, str>>,
    completers: Completers,
}

describing!(ResourceBuilder);

impl ResourceBuilder {
    fn new(info: Info, uri: Cow<'static, str>) -> Self {
        Self { info, uri, mime_type: None, completers: Completers::default() }
    }

    fn build(self, schemas: Schemas, handler: Reader) -> Resource {
        Resource(Arc::new(Inner {
            template: UriTemplate::parse(&self.uri).map_err(|e| e.to_string()),
            info: self.info,
            uri: self.uri,
            mime_type: self.mime_type,
            schemas,
            requirements: Vec::new(),
            completers: self.completers,
            handler,
        }))
    }

    /// The media type of its content.
    pub fn mime_type(mut self, mime_type: impl Into<Cow<'static, str>>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Suggestions for one variable.
    pub fn complete<F, Fut>(mut self, variable: impl Into<Cow<'static, str>>, function: F) -> Self
    where
        F: Fn(Completion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoSuggestions> + Send + 'static,
    {
        self.completers.add(variable.into(), function);
        self
    }

    /// Ends the making of a [`Resource::remote`]: `function` hands the request on.
    pub(crate) fn forwards(
        self,
        function: impl Fn(Context, String) -> Calling<'static, ResourceOutput> + Send + Sync + 'static,
    ) -> Resource {
        let schemas = Schemas::foreign(serde_json::json!({ "type": "object" }), None);
        self.build(schemas, Reader::Remote(Box::new(function)))
    }

    /// Ends the making: the closure that reads the resource.
    pub fn handler<I, T, F, Fut>(self, function: F) -> Resource
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        T: IntoContents + 'static,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let schemas = Schemas::derived(crate::schema::input_of::<I>, || None);
        let read = closure(function, |contents: T| Ok(contents.into_contents()));
        self.build(schemas, Reader::Own(read))
    }
}

/// The error of reading an address that nobody answers for.
pub(crate) fn not_found(uri: &str) -> Error {
    Error::not_found(format!("Resource not found: {uri}"))
        .with_details(serde_json::json!({ "uri": uri }))
}
