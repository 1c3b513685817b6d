//! Functions annotated with `#[resource]`, and their static definition.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use std::time::Duration;

use super::app::APP_MIME_TYPE;
use super::contents::ResourceOutput;
use crate::action::call::{Field, Function, PlainCall};
use crate::action::completion::StaticCompleters;
use crate::action::definition::StaticDefinition;
use crate::action::info::StaticInfo;

/// A function annotated with `#[resource]`.
///
/// The macro implements this trait for a type with the function's name. Do not implement it manually.
///
/// ```
/// use genkit::action::ResourceFn;
/// use genkit::{Resource, resource};
///
/// /// The manual.
/// #[resource("doc://manual")]
/// async fn manual() -> &'static str {
///     "# Manual"
/// }
///
/// fn describe<F: ResourceFn>() -> String {
///     Resource::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<manual>(), "The manual.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[resource]` function",
    label = "no `#[resource]` here",
    note = "write `#[resource(\"uri\")]` above the function",
    note = "`resources![..]` lists only resources; for several kinds use `actions![..]`"
)]
pub trait ResourceFn: 'static {
    #[doc(hidden)]
    const DEFINITION: &'static StaticResource;
}

/// The static definition behind `#[resource]`.
pub struct StaticResource {
    pub(super) definition: StaticDefinition<ResourceOutput>,
    pub(super) uri: &'static str,
    pub(super) mime_type: Option<&'static str>,
    pub(super) timeout: Option<Duration>,
    pub(super) completers: StaticCompleters,
}

impl StaticResource {
    /// Creates the definition of a function that takes `fields` by value and nothing by reference.
    pub const fn new(
        uri: &'static str,
        info: StaticInfo,
        fields: &'static [Field],
        call: PlainCall<ResourceOutput>,
    ) -> Self {
        Self::with(uri, info, Function::without_injection(fields, call))
    }

    /// Creates the definition of any function.
    pub const fn with(
        uri: &'static str,
        info: StaticInfo,
        function: Function<ResourceOutput>,
    ) -> Self {
        let mime_type = if info.is_app() { Some(APP_MIME_TYPE) } else { None };
        let definition = StaticDefinition::new("resource", info, function);
        Self { definition, uri, mime_type, timeout: None, completers: &[] }
    }

    /// Returns the URI, if this is the page of an MCP App.
    pub(crate) const fn app_uri(&self) -> Option<&'static str> {
        if self.definition.is_app() { Some(self.uri) } else { None }
    }

    pub const fn mime_type(mut self, mime_type: &'static str) -> Self {
        self.mime_type = Some(mime_type);
        self
    }

    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    pub const fn completers(mut self, completers: StaticCompleters) -> Self {
        self.completers = completers;
        self
    }
}
