//! Resources: functions that answer for a URI or for a family of URIs.

mod builder;
mod contents;
mod function;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use genkit_uri_template::{UriSearch, UriTemplate, UriValue};
use serde_json::{Map, Value, json};

use super::completion::{CompleteRequest, Completers};
use super::definition::{Definition, defined};
use super::error::Error as E;
use super::invocation::Invocation;
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::trace::{NewSpan, SpanKind, traced};
use genkit_schema::internal::strictness::Strictness;

pub use builder::ResourceBuilder;
pub use contents::{ContentsBody, resource_for_span};
pub use contents::{IntoContents, ResourceContents, ResourceOutput};
pub use function::{ResourceFn, StaticResource};

/// How many programs have a share of the work of their own when a template is looked for. Default is 32; others share
/// the last.
const MAX_SEARCHES: usize = 32;

/// Resource or resource template: something that clients read by its address.
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
pub struct Resource(Arc<ResourceData>);

struct ResourceData {
    definition: Definition<ResourceOutput>,
    uri: Cow<'static, str>,
    /// A malformed template is an error that the registry reports.
    template: std::result::Result<UriTemplate, String>,
    mime_type: Option<Cow<'static, str>>,
    timeout: Option<Duration>,
    completers: Completers,
}

impl Resource {
    /// The resource behind an annotated function.
    pub fn of<F: ResourceFn>() -> Self {
        Self::from_static(F::DEFINITION)
    }

    pub(crate) fn from_static(resource: &'static StaticResource) -> Self {
        Self::new(
            Definition::annotated(&resource.definition, false),
            Cow::Borrowed(resource.uri),
            resource.mime_type.map(Cow::Borrowed),
            resource.timeout,
            Completers::annotated(resource.completers),
        )
    }

    fn new(
        definition: Definition<ResourceOutput>,
        uri: Cow<'static, str>,
        mime_type: Option<Cow<'static, str>>,
        timeout: Option<Duration>,
        completers: Completers,
    ) -> Self {
        let template = UriTemplate::parse(&uri).map_err(|e| e.to_string());
        Self(Arc::new(ResourceData { definition, uri, template, mime_type, timeout, completers }))
    }

    /// The same resource under another name and at another address, with the same variables.
    pub(crate) fn mounted(&self, name: String, uri: String) -> Self {
        let data = &self.0;
        Self::new(
            data.definition.renamed(name),
            Cow::Owned(uri),
            data.mime_type.clone(),
            data.timeout,
            data.completers.clone(),
        )
    }

    fn definition(&self) -> &Definition<ResourceOutput> {
        &self.0.definition
    }

    /// URI of the resource, or the URI template of its addresses.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Whether it is a template: the URI has variables.
    pub fn is_template(&self) -> bool {
        self.0.template.as_ref().is_ok_and(|template| !template.is_static())
    }

    /// Media type (MIME type) of its content, if it is always the same.
    pub fn mime_type(&self) -> Option<&str> {
        self.0.mime_type.as_deref()
    }

    /// Timeout: its own time limit; `None` is the default of whoever calls.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Reads the resource: runs it for `uri`, which is its own or one that its template fits.
    ///
    /// ```
    /// use genkit::{ErrorKind, Resource, resource};
    ///
    /// /// A note by its number.
    /// #[resource("note://{id}")]
    /// async fn note(id: u64) -> String {
    ///     format!("note {id}")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let contents = Resource::of::<note>().read("note://7").await?;
    /// assert_eq!(contents[0].as_text(), Some("note 7"));
    /// let error = Resource::of::<note>().read("house://7").await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Invocation`], and [`NotFound`](crate::error::ErrorKind::NotFound) where the template does not fit.
    pub fn read(&self, uri: &str) -> Invocation<Vec<ResourceContents>> {
        let (resource, variables, uri) = (self.clone(), self.matches(uri), uri.to_owned());
        Invocation::new(self.name(), async move |context| {
            let Some(variables) = variables else {
                return Err(E::ResourceNotFound(uri).into());
            };
            let reading = resource.invoke(&context, &uri, variables.into());
            resource.traced(&uri, reading).await
        })
        .limited(self.timeout())
    }

    /// Reads `uri` in a span.
    pub async fn traced(
        &self,
        uri: &str,
        reading: impl Future<Output = Result<ResourceOutput>>,
    ) -> Result<ResourceOutput> {
        let input = || json!({ "uri": uri });
        let span = NewSpan { name: self.name(), kind: SpanKind::Action("resource"), input: &input };
        traced(span, reading, |contents| resource_for_span(contents)).await
    }

    /// Whether both are one and the same, not only of one name.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The MCP server that it is of, by its key; `None` for one of this program.
    pub fn server(&self) -> Option<&str> {
        self.metadata().get("mcp")?["server"].as_str().filter(|_| self.info().is_remote())
    }

    /// What is wrong with the template, if anything.
    pub fn template(&self) -> std::result::Result<&UriTemplate, &str> {
        self.0.template.as_ref().map_err(String::as_str)
    }

    /// The variables that `uri` gives, if this resource answers for it.
    pub fn matches(&self, uri: &str) -> Option<Map<String, Value>> {
        self.found_by(&mut UriSearch::new(uri)?)
    }

    fn found_by(&self, search: &mut UriSearch<'_>) -> Option<Map<String, Value>> {
        let values = search.matches(self.0.template.as_ref().ok()?)?.into_iter();
        let json = |value| match value {
            UriValue::Text(text) => Value::from(text),
            UriValue::List(texts) => Value::from(texts),
        };
        Some(values.map(|(name, value)| (name.to_owned(), json(value))).collect())
    }

    /// Whether the scheme says nothing against it: a look without work.
    pub(crate) fn may_match(&self, uri: &str) -> bool {
        let scheme = self.uri().split(['{', '%', ':']).next().unwrap_or_default();
        uri.starts_with(scheme)
    }

    /// How much of the template is fixed: of two that match, the larger one wins.
    pub(crate) fn specificity(&self) -> impl Ord + use<> {
        self.0.template.as_ref().map(UriTemplate::specificity).ok()
    }

    /// Suggestions for a variable, if the template has it.
    pub fn complete(
        &self,
        request: CompleteRequest,
    ) -> Option<BoxFuture<'static, Result<Vec<String>>>> {
        self.0.completers.complete(self.schemas().portable_input(), request)
    }

    /// Of several resources the one that answers for `uri`: the most specific template.
    pub fn most_specific(
        resources: impl Iterator<Item = Self>,
        uri: &str,
    ) -> Option<(Self, Map<String, Value>)> {
        Self::first_of(Self::answering(resources, uri))
    }

    /// The most specific of those that answer; of equals, the first.
    pub fn first_of(
        answering: Vec<(Self, Map<String, Value>)>,
    ) -> Option<(Self, Map<String, Value>)> {
        answering.into_iter().rev().max_by_key(|(resource, _)| resource.specificity())
    }

    /// All that answer for `uri`, with the variables that it gives. Each program has a share of the work, so that nobody's
    /// templates keep those of others from being looked at.
    pub fn answering(
        resources: impl Iterator<Item = Self>,
        uri: &str,
    ) -> Vec<(Self, Map<String, Value>)> {
        let mut searches: Vec<(String, UriSearch<'_>)> = Vec::new();
        let mut answering = Vec::new();
        for resource in resources.filter(|resource| resource.may_match(uri)) {
            let program = resource.program();
            let at = match searches.iter().position(|(other, _)| *other == program) {
                Some(at) => at,
                None if searches.len() == MAX_SEARCHES => MAX_SEARCHES - 1,
                None => {
                    let Some(search) = UriSearch::new(uri) else { return Vec::new() };
                    searches.push((program.to_owned(), search));
                    searches.len() - 1
                }
            };
            if let Some(variables) = resource.found_by(&mut searches[at].1) {
                answering.push((resource, variables));
            }
        }
        for (program, _) in searches.iter().filter(|(_, search)| search.is_exhausted()) {
            tracing::warn!(
                ?program,
                "too many templates to look for a URI in all: some were passed over"
            );
        }
        answering
    }

    /// Whose it is: the key of a server, or nothing for our own.
    fn program(&self) -> &str {
        self.server().unwrap_or_default()
    }

    /// Reads `uri`, of which `variables` are what [`matches`](Self::matches) found. No limits.
    pub fn invoke(
        &self,
        context: &Context,
        uri: &str,
        variables: Value,
    ) -> BoxFuture<'static, Result<ResourceOutput>> {
        // Another program reads the URI itself.
        let arguments = if self.info().is_remote() { Value::from(uri) } else { variables };
        let (resource, context) = (self.clone(), context.reading(uri));
        Box::pin(
            async move { resource.definition().call(&context, arguments, Strictness::Text).await },
        )
    }
}

defined!(Resource, uri);
