//! Resources: functions that return the contents of a URI or of a family of URIs.

mod app;
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
use crate::trace::{NewSpan, SpanKind, trace_work};
use genkit_schema::internal::strictness::Strictness;

pub use app::{APP_EXTENSION, APP_MIME_TYPE, AppPage};
pub use builder::ResourceBuilder;
pub use contents::{ContentsBody, resource_for_span};
pub use contents::{IntoContents, ResourceContents, ResourceOutput};
pub use function::{ResourceFn, StaticResource};

/// The maximum number of programs with a separate budget when templates are searched. Default is 32; further programs
/// share the last budget.
const MAX_SEARCHES: usize = 32;

/// A resource or resource template: content that clients read by its URI.
///
/// ```
/// use genkit::{Resource, resource};
///
/// /// Returns a note by its number.
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
    /// The registry reports the error of a malformed template.
    template: std::result::Result<UriTemplate, String>,
    mime_type: Option<Cow<'static, str>>,
    timeout: Option<Duration>,
    completers: Completers,
}

impl Resource {
    /// Returns the resource of an annotated function.
    pub fn of<F: ResourceFn>() -> Self {
        Self::from_static(F::DEFINITION)
    }

    pub(crate) fn from_static(resource: &'static StaticResource) -> Self {
        Self::new(
            Definition::from_annotation(&resource.definition, false),
            Cow::Borrowed(resource.uri),
            resource.mime_type.map(Cow::Borrowed),
            resource.timeout,
            Completers::from_annotations(resource.completers),
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

    /// Returns whether this is the page of an MCP App.
    #[doc(hidden)]
    pub fn is_app(&self) -> bool {
        self.mime_type() == Some(APP_MIME_TYPE)
    }

    /// Returns this resource with another name and URI. The URI must have the same variables.
    pub(crate) fn mount_as(&self, name: String, uri: String) -> Self {
        let data = &self.0;
        Self::new(
            data.definition.with_name(name),
            Cow::Owned(uri),
            data.mime_type.clone(),
            data.timeout,
            data.completers.clone(),
        )
    }

    fn definition(&self) -> &Definition<ResourceOutput> {
        &self.0.definition
    }

    /// Returns the URI of the resource, or its URI template.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Returns whether the URI is a template, that is, whether it has variables.
    pub fn is_template(&self) -> bool {
        self.0.template.as_ref().is_ok_and(|template| !template.is_static())
    }

    /// Returns the media type (MIME type) of the content, if it is set.
    pub fn mime_type(&self) -> Option<&str> {
        self.0.mime_type.as_deref()
    }

    /// Returns the timeout of the resource. `None` means that the caller's default applies.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Reads the resource for `uri`, which must be the URI of the resource or match its template.
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
    /// See [`Invocation`]. Returns [`NotFound`](crate::error::ErrorKind::NotFound) if `uri` does not match.
    pub fn read(&self, uri: &str) -> Invocation<Vec<ResourceContents>> {
        let (resource, variables, uri) = (self.clone(), self.match_uri(uri), uri.to_owned());
        Invocation::new(self.name(), async move |context| {
            let Some(variables) = variables else {
                return Err(E::ResourceNotFound(uri).into());
            };
            let reading = resource.invoke_resource(&context, &uri, variables.into());
            resource.read_traced(&uri, reading).await
        })
        .with_limit(self.timeout())
    }

    /// Runs `reading` in a span for `uri`.
    #[doc(hidden)]
    pub async fn read_traced(
        &self,
        uri: &str,
        reading: impl Future<Output = Result<ResourceOutput>>,
    ) -> Result<ResourceOutput> {
        let input = || json!({ "uri": uri });
        let span = NewSpan { name: self.name(), kind: SpanKind::Action("resource"), input: &input };
        trace_work(span, reading, |contents| resource_for_span(contents)).await
    }

    /// Returns whether both are the same resource, not only resources with the same name.
    #[doc(hidden)]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the key of the MCP server that provides the resource, or `None` for a resource of this program.
    #[doc(hidden)]
    pub fn server(&self) -> Option<&str> {
        self.metadata().get("mcp")?["server"].as_str().filter(|_| self.info().is_remote())
    }

    /// Returns the template, or the error if it is malformed.
    #[doc(hidden)]
    pub fn template(&self) -> std::result::Result<&UriTemplate, &str> {
        self.0.template.as_ref().map_err(String::as_str)
    }

    /// Returns the variables in `uri`, if it matches this resource.
    #[doc(hidden)]
    pub fn match_uri(&self, uri: &str) -> Option<Map<String, Value>> {
        self.match_with(&mut UriSearch::new(uri)?)
    }

    fn match_with(&self, search: &mut UriSearch<'_>) -> Option<Map<String, Value>> {
        let values = search.matches(self.0.template.as_ref().ok()?)?.into_iter();
        let json = |value| match value {
            UriValue::Text(text) => Value::from(text),
            UriValue::List(texts) => Value::from(texts),
        };
        Some(values.map(|(name, value)| (name.to_owned(), json(value))).collect())
    }

    /// Returns whether the scheme matches, as a cheap check before the full match.
    pub(crate) fn may_match(&self, uri: &str) -> bool {
        let scheme = self.uri().split(['{', '%', ':']).next().unwrap_or_default();
        uri.starts_with(scheme)
    }

    /// Returns the rank of the template by its fixed parts. If several templates match, the template with the highest
    /// rank is used.
    pub(crate) fn specificity(&self) -> impl Ord + use<> {
        self.0.template.as_ref().map(UriTemplate::specificity).ok()
    }

    /// Returns suggestions for a variable, if the template has it.
    #[doc(hidden)]
    pub fn complete_argument(
        &self,
        request: CompleteRequest,
    ) -> Option<BoxFuture<'static, Result<Vec<String>>>> {
        self.0.completers.complete_argument(self.schemas().portable_input(), request)
    }

    /// Returns the resource with the most specific template that matches `uri`, with its variables.
    #[doc(hidden)]
    pub fn most_specific(
        resources: impl Iterator<Item = Self>,
        uri: &str,
    ) -> Option<(Self, Map<String, Value>)> {
        Self::select_most_specific(Self::find_matching(resources, uri))
    }

    /// Returns the most specific of the matching resources. If several have the same rank, returns the first of them.
    #[doc(hidden)]
    pub fn select_most_specific(
        answering: Vec<(Self, Map<String, Value>)>,
    ) -> Option<(Self, Map<String, Value>)> {
        answering.into_iter().rev().max_by_key(|(resource, _)| resource.specificity())
    }

    /// Returns all resources that match `uri`, with their variables. Each program has a separate budget, so the
    /// templates of one program cannot prevent a search of the templates of others.
    #[doc(hidden)]
    pub fn find_matching(
        resources: impl Iterator<Item = Self>,
        uri: &str,
    ) -> Vec<(Self, Map<String, Value>)> {
        let mut searches: Vec<(String, UriSearch<'_>)> = Vec::new();
        let mut answering = Vec::new();
        for resource in resources.filter(|resource| resource.may_match(uri)) {
            let program = resource.program_name();
            let at = match searches.iter().position(|(other, _)| *other == program) {
                Some(at) => at,
                None if searches.len() == MAX_SEARCHES => MAX_SEARCHES - 1,
                None => {
                    let Some(search) = UriSearch::new(uri) else { return Vec::new() };
                    searches.push((program.to_owned(), search));
                    searches.len() - 1
                }
            };
            if let Some(variables) = resource.match_with(&mut searches[at].1) {
                answering.push((resource, variables));
            }
        }
        for (program, _) in searches.iter().filter(|(_, search)| search.is_exhausted()) {
            tracing::warn!(?program, "too many templates to search; some were skipped");
        }
        answering
    }

    /// Returns the key of the server that provides the resource, or an empty string for this program.
    fn program_name(&self) -> &str {
        self.server().unwrap_or_default()
    }

    /// Reads `uri`, whose `variables` were returned by [`match_uri`](Self::match_uri), without limits.
    #[doc(hidden)]
    pub fn invoke_resource(
        &self,
        context: &Context,
        uri: &str,
        variables: Value,
    ) -> BoxFuture<'static, Result<ResourceOutput>> {
        // Another program parses the URI itself.
        let arguments = if self.info().is_remote() { Value::from(uri) } else { variables };
        let (resource, context) = (self.clone(), context.for_resource(uri));
        Box::pin(
            async move { resource.definition().call(&context, arguments, Strictness::Text).await },
        )
    }
}

defined!(Resource, uri);
