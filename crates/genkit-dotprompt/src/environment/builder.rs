//! The builder of an environment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::{Environment, EnvironmentItems, HelperCall, SharedItems};
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::limits::{Limits, MAX_SOURCE_BYTES};
use crate::template::{Builtin, Template};

/// A builder for an [`Environment`].
#[derive(Default)]
pub struct EnvironmentBuilder(EnvironmentItems);

impl std::fmt::Debug for EnvironmentBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnvironmentBuilder").finish_non_exhaustive()
    }
}

impl EnvironmentBuilder {
    /// Registers a partial, which templates include with `{{> name}}`. Replaces an earlier partial of the same name.
    ///
    /// # Errors
    /// Returns an error if the template is invalid.
    pub fn partial(self, name: &str, source: &str) -> Result<Self, Error> {
        self.partial_file(name, name, source)
    }

    /// Registers a partial from a file. Errors refer to it as `file`.
    ///
    /// # Errors
    /// Returns an error if the template is invalid.
    pub fn partial_file(mut self, name: &str, file: &str, source: &str) -> Result<Self, Error> {
        self.0.partials.insert(name.into(), compile_partial(file, source)?);
        Ok(self)
    }

    pub(crate) fn insert_partial(&mut self, name: &str, template: Arc<Template>) {
        self.0.partials.insert(name.into(), template);
    }

    /// Sets a function that returns the source of partials that are not registered. The function is called with the
    /// name of the partial during rendering.
    #[must_use]
    pub fn partial_resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.0.partial_resolver = Some(Box::new(resolver));
        self
    }

    /// Registers a JSON Schema that Picoschema can refer to by name.
    #[must_use]
    pub fn schema(mut self, name: &str, schema: Value) -> Self {
        self.0.schemas.insert(name.into(), schema);
        self
    }

    /// Sets a function that returns schemas that are not registered, by name.
    #[must_use]
    pub fn schema_resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.0.schema_resolver = Some(Box::new(resolver));
        self
    }

    /// Registers the definition of a tool, which replaces the tool's name in the metadata.
    #[must_use]
    pub fn tool(mut self, name: &str, definition: Value) -> Self {
        self.0.tools.insert(name.into(), definition);
        self
    }

    /// Sets a function that returns definitions of tools that are not registered, by name. If the function returns
    /// `None` for a name, expanding the metadata of the prompt fails.
    #[must_use]
    pub fn tool_resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.0.tool_resolver = Some(Box::new(resolver));
        self
    }

    /// Registers a helper. `{{name value key=value}}` prints the result of the helper, and `(name value)` evaluates to
    /// the result. In a block, `{{#name value}}..{{else}}..{{/name}}`, the result is a condition, as with `if`.
    ///
    /// # Errors
    /// Returns an error if a built-in helper has this name.
    pub fn helper(
        mut self,
        name: &str,
        helper: impl Fn(&HelperCall<'_>) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        if Builtin::from_name(name).is_some() {
            return Err(Error::new(ErrorKind::DuplicateHelper(name.to_owned())));
        }
        self.0.helpers.insert(name.into(), Box::new(helper));
        Ok(self)
    }

    /// Sets the base configuration of the prompts that use the model `model`.
    #[must_use]
    pub fn model_config(mut self, model: &str, config: Map<String, Value>) -> Self {
        self.0.model_configs.insert(model.into(), config);
        self
    }

    /// Sets the model whose configuration is used for prompts that do not specify a model. The model is not added to
    /// the metadata.
    #[must_use]
    pub fn default_model(mut self, model: impl Into<String>) -> Self {
        self.0.default_model = Some(model.into());
        self
    }

    /// Sets the limits on the cost of a rendering.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.0.limits = limits;
        self
    }

    /// Sets the function that receives the level and the text of `{{log value level="warn"}}`. By default, the text is
    /// discarded.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.0.log = Some(Box::new(log));
        self
    }

    /// Builds the environment.
    #[must_use]
    pub fn build(self) -> Environment {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Environment(Arc::new(SharedItems { id, registered: self.0 }))
    }
}

/// Compiles a partial. Partials have no frontmatter, so the whole source is the template.
pub(crate) fn compile_partial(
    file: &str,
    source: impl Into<Arc<str>>,
) -> Result<Arc<Template>, Error> {
    let (file, source): (Arc<str>, Arc<str>) = (file.into(), source.into());
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Error::new(ErrorKind::SourceTooLarge).in_file(&file));
    }
    Ok(Arc::new(Template::parse_range(file, Arc::clone(&source), 0..source.len())?))
}
