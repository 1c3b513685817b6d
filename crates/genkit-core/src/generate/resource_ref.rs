//! Resource references: how a request refers to its resources.

use std::sync::Arc;

use crate::action::Resource;
use crate::error::Result;
use crate::future::BoxFuture;

/// A reference to resources: a single resource, or a source that lists resources.
///
/// ```
/// use genkit::generate::ResourceRef;
/// use genkit::{resource, resources};
///
/// /// The rules of the house.
/// #[resource("house://rules")]
/// async fn rules() -> String { "Be kind.".into() }
///
/// let rules: ResourceRef = resources![rules].remove(0).into();
/// # let _ = rules;
/// ```
#[derive(Clone)]
pub struct ResourceRef(Kind);

#[derive(Clone)]
enum Kind {
    Value(Resource),
    Live(Arc<dyn ResourceSource>),
}

/// A source of resources that may change. A run lists them when it starts. An MCP host provides such a source.
///
/// ```
/// use genkit::generate::{ResourceRef, ResourceSource};
/// use genkit::{BoxFuture, Resource, Result};
///
/// struct Shelf;
///
/// impl ResourceSource for Shelf {
///     fn resources(&self) -> BoxFuture<'_, Result<Vec<Resource>>> {
///         Box::pin(async { Ok(Vec::new()) }) // … the current resources …
///     }
/// }
///
/// let shelf = ResourceRef::live(Shelf);
/// # let _ = shelf;
/// ```
pub trait ResourceSource: Send + Sync + 'static {
    /// Returns the current resources.
    ///
    /// # Errors
    /// Returns an error if the resources cannot be listed. The run then does not start.
    fn resources(&self) -> BoxFuture<'_, Result<Vec<Resource>>>;
}

impl ResourceRef {
    /// Creates a reference to live resources, which are listed when a run starts.
    pub fn live(source: impl ResourceSource) -> Self {
        Self(Kind::Live(Arc::new(source)))
    }

    #[doc(hidden)]
    pub async fn find_resources(&self) -> Result<Vec<Resource>> {
        match &self.0 {
            Kind::Value(resource) => Ok(vec![resource.clone()]),
            Kind::Live(source) => source.resources().await,
        }
    }
}

impl From<Resource> for ResourceRef {
    fn from(resource: Resource) -> Self {
        Self(Kind::Value(resource))
    }
}

impl From<&Resource> for ResourceRef {
    fn from(resource: &Resource) -> Self {
        resource.clone().into()
    }
}

/// A list of resources: `resources![..]`, or an array or list of [`Resource`]s or [`ResourceRef`]s.
///
/// ```
/// use genkit::generate::IntoResources;
/// use genkit::{resource, resources};
///
/// /// The rules of the house.
/// #[resource("house://rules")]
/// async fn rules() -> String { "Be kind.".into() }
///
/// assert_eq!(resources![rules].into_resources().len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of resources",
    label = "not a list of resources",
    note = "write `resources![name, ..]` for annotated functions, or pass an array of `Resource`s"
)]
pub trait IntoResources {
    /// Converts this value into resource references.
    fn into_resources(self) -> Vec<ResourceRef>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<ResourceRef>>> IntoResources for I {
    fn into_resources(self) -> Vec<ResourceRef> {
        self.into_iter().map(Into::into).collect()
    }
}
