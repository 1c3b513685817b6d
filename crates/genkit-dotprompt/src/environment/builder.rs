//! Building an environment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::{Environment, HelperCall, Registered, Shared};
use crate::error::Error;
use crate::fault::Fault;
use crate::limits::{Limits, MAX_SOURCE_BYTES};
use crate::template::{Builtin, Template};

/// Builder of an [`Environment`].
#[derive(Default)]
pub struct EnvironmentBuilder(Registered);

impl std::fmt::Debug for EnvironmentBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnvironmentBuilder").finish_non_exhaustive()
    }
}

impl EnvironmentBuilder {
    /// A partial: `{{> name}}`. A later one of the same name takes its place.
    ///
    /// # Errors
    /// A mistake in the template.
    pub fn partial(self, name: &str, source: &str) -> Result<Self, Error> {
        self.partial_file(name, name, source)
    }

    /// A partial that errors call `file`.
    ///
    /// # Errors
    /// A mistake in the template.
    pub fn partial_file(mut self, name: &str, file: &str, source: &str) -> Result<Self, Error> {
        self.0.partials.insert(name.into(), compile(file, source)?);
        Ok(self)
    }

    pub(crate) fn insert_partial(&mut self, name: &str, template: Arc<Template>) {
        self.0.partials.insert(name.into(), template);
    }

    /// Partials that are not registered: their source by their name, asked for when a rendering comes to them.
    #[must_use]
    pub fn partial_resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.0.partial_resolver = Some(Box::new(resolver));
        self
    }

    /// A JSON Schema that Picoschema can name.
    #[must_use]
    pub fn schema(mut self, name: &str, schema: Value) -> Self {
        self.0.schemas.insert(name.into(), schema);
        self
    }

    /// Schemas that are not registered, by their name.
    #[must_use]
    pub fn schema_resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.0.schema_resolver = Some(Box::new(resolver));
        self
    }

    /// The definition of a tool, which takes the place of its name in `tools`.
    #[must_use]
    pub fn tool(mut self, name: &str, definition: Value) -> Self {
        self.0.tools.insert(name.into(), definition);
        self
    }

    /// Definitions of tools that are not registered, by their name. With it, a name that it does not know is an error.
    #[must_use]
    pub fn tool_resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.0.tool_resolver = Some(Box::new(resolver));
        self
    }

    /// A helper: `{{name value key=value}}` prints what it returns, `(name value)` is it. As a block,
    /// `{{#name value}}..{{else}}..{{/name}}`, it decides like `if`.
    ///
    /// # Errors
    /// The language has a helper of that name.
    pub fn helper(
        mut self,
        name: &str,
        helper: impl Fn(&HelperCall<'_>) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        if Builtin::find(name).is_some() {
            return Err(Error::new(Fault::HelperTaken(name.to_owned())));
        }
        self.0.helpers.insert(name.into(), Box::new(helper));
        Ok(self)
    }

    /// Model configuration: what prompts of a model begin with.
    #[must_use]
    pub fn model_config(mut self, model: &str, config: Map<String, Value>) -> Self {
        self.0.model_configs.insert(model.into(), config);
        self
    }

    /// Default model: whose configuration counts where a prompt names no model. It is not written
    /// into the metadata.
    #[must_use]
    pub fn default_model(mut self, model: impl Into<String>) -> Self {
        self.0.default_model = Some(model.into());
        self
    }

    /// Limits: what one rendering may cost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.0.limits = limits;
        self
    }

    /// Logging: where `{{log value level="warn"}}` goes: level and text. By default nowhere.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.0.log = Some(Box::new(log));
        self
    }

    /// The environment.
    #[must_use]
    pub fn build(self) -> Environment {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Environment(Arc::new(Shared { id, registered: self.0 }))
    }
}

/// A partial has no frontmatter: all of it is template.
pub(crate) fn compile(file: &str, source: impl Into<Arc<str>>) -> Result<Arc<Template>, Error> {
    let (file, source): (Arc<str>, Arc<str>) = (file.into(), source.into());
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Error::new(Fault::SourceTooLarge).in_file(&file));
    }
    Ok(Arc::new(Template::parse(file, Arc::clone(&source), 0..source.len())?))
}
