//! The environment that prompts share: partials, helpers, schemas and tools.

mod builder;
mod expand;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use builder::EnvironmentBuilder;
pub(crate) use builder::compile_partial;

use crate::error::Error;
use crate::error_kind::{ErrorKind, Unknown};
use crate::limits::Limits;
use crate::metadata::Metadata;
use crate::prompt::PromptFile;
use crate::template::{Builtin, Template};

type Finder<T> = Box<dyn Fn(&str) -> Option<T> + Send + Sync>;
type HelperFn = Box<dyn Fn(&HelperCall<'_>) -> Result<Value, String> + Send + Sync>;
type Log = Box<dyn Fn(&str, &str) + Send + Sync>;

/// The environment that prompts share: partials, named schemas, definitions of tools, helpers and limits. It is
/// immutable once built, and cheap to clone.
///
/// ```
/// use genkit_dotprompt::{Data, Environment, PromptFile};
/// use serde_json::json;
///
/// let environment = Environment::builder()
///     .partial("greeting", "Hello {{upper name}}")?
///     .helper("upper", |call| Ok(call.text(0)?.to_uppercase().into()))?
///     .build();
/// let prompt = PromptFile::parse("greet.prompt", "{{> greeting}}!")?;
/// let data = Data::from_input(json!({"name": "Ann"}));
/// let rendered = environment.render(&prompt, &data, &Default::default())?;
/// assert_eq!(rendered.messages[0].text(), "Hello ANN!");
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
#[derive(Clone)]
pub struct Environment(Arc<SharedItems>);

struct SharedItems {
    /// Identifies the environment that expanded a prompt's metadata.
    id: u64,
    registered: EnvironmentItems,
}

/// The registered items and settings.
#[derive(Default)]
struct EnvironmentItems {
    partials: HashMap<Box<str>, Arc<Template>>,
    partial_resolver: Option<Finder<String>>,
    schemas: HashMap<Box<str>, Value>,
    schema_resolver: Option<Finder<Value>>,
    tools: HashMap<Box<str>, Value>,
    tool_resolver: Option<Finder<Value>>,
    helpers: HashMap<Box<str>, HelperFn>,
    model_configs: HashMap<Box<str>, Map<String, Value>>,
    default_model: Option<String>,
    limits: Limits,
    log: Option<Log>,
}

impl Default for Environment {
    fn default() -> Self {
        Self::builder().build()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("limits", &self.environment_items().limits)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// Creates a builder.
    pub fn builder() -> EnvironmentBuilder {
        EnvironmentBuilder::default()
    }

    /// Returns the metadata of a prompt, overridden by `options`. Whole keys are replaced, except `config`, which is
    /// merged key by key. Schemas are expanded, and known tools are moved to `toolDefs` with their definitions.
    ///
    /// # Errors
    /// Returns an error if a schema is invalid, with the position of its key; if the resolver does not find a tool; or
    /// if the template uses an unknown helper.
    pub fn metadata(&self, prompt: &PromptFile, options: &Metadata) -> Result<Metadata, Error> {
        self.check_helpers(prompt.compiled_template())?;
        if options.as_map().is_empty() {
            return Ok(self.expanded_metadata(prompt)?.whole.clone());
        }
        self.expand_metadata(prompt, options)
    }

    fn environment_items(&self) -> &EnvironmentItems {
        &self.0.registered
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.environment_items().limits
    }

    /// Returns a partial by name: a registered partial, or one from the resolver.
    pub(crate) fn find_partial(&self, name: &str) -> Result<Option<Arc<Template>>, Error> {
        if let Some(template) = self.environment_items().partials.get(name) {
            return Ok(Some(template.clone()));
        }
        let source =
            self.environment_items().partial_resolver.as_ref().and_then(|resolver| resolver(name));
        source.map(|source| builder::compile_partial(name, source)).transpose()
    }

    pub(crate) fn registered_partial(&self, name: &str) -> Option<&Arc<Template>> {
        self.environment_items().partials.get(name)
    }

    /// Returns a registered partial, with its name borrowed from the environment.
    pub(crate) fn registered_entry(&self, name: &str) -> Option<(&str, &Template)> {
        self.environment_items()
            .partials
            .get_key_value(name)
            .map(|(name, template)| (&**name, &**template))
    }

    pub(crate) fn resolves_partials(&self) -> bool {
        self.environment_items().partial_resolver.is_some()
    }

    /// Returns the metadata of a prompt without checking its helpers.
    pub(crate) fn expand_without_helpers(&self, prompt: &PromptFile) -> Result<Metadata, Error> {
        Ok(self.expanded_metadata(prompt)?.whole.clone())
    }

    pub(crate) fn unknown_partial(&self, name: &str) -> ErrorKind {
        ErrorKind::UnknownPartial(Unknown::new(
            name,
            self.environment_items().partials.keys().map(|name| &**name),
        ))
    }

    pub(crate) fn has_helper(&self, name: &str) -> bool {
        self.environment_items().helpers.contains_key(name)
    }

    /// Calls a helper of the environment.
    pub(crate) fn call_helper(
        &self,
        name: &str,
        call: &HelperCall<'_>,
    ) -> Result<Value, ErrorKind> {
        let failed = |text| ErrorKind::HelperFailed { name: name.to_owned(), text };
        match self.environment_items().helpers.get(name) {
            Some(helper) => helper(call).map_err(failed),
            None => Err(self.unknown_helper(name)),
        }
    }

    pub(crate) fn unknown_helper(&self, name: &str) -> ErrorKind {
        let own = self.environment_items().helpers.keys().map(|name| &**name);
        ErrorKind::UnknownHelper(Unknown::new(name, own.chain(Builtin::names())))
    }

    pub(crate) fn write_log(&self, level: &str, text: &str) {
        if let Some(log) = &self.environment_items().log {
            log(level, text);
        }
    }

    pub(crate) fn has_log(&self) -> bool {
        self.environment_items().log.is_some()
    }

    /// Reports unknown helpers, even in parts of the template that are not rendered.
    pub(crate) fn check_helpers(&self, template: &Template) -> Result<(), Error> {
        match template.helpers.iter().find(|(name, _)| !self.has_helper(name)) {
            Some((name, at)) => Err(template.error_at(self.unknown_helper(name), *at)),
            None => Ok(()),
        }
    }
}

/// The arguments of a call to a custom helper.
#[derive(Debug)]
pub struct HelperCall<'a> {
    pub(crate) params: &'a [Value],
    pub(crate) hash: &'a Map<String, Value>,
}

impl HelperCall<'_> {
    /// Returns the positional arguments. A missing variable is `null`.
    pub fn params(&self) -> &[Value] {
        self.params
    }

    /// Returns the named arguments (`key=value`).
    pub fn hash(&self) -> &Map<String, Value> {
        self.hash
    }

    /// Returns the text of the argument at `position`, counted from 0.
    ///
    /// # Errors
    /// Returns an error if the argument is missing or is not text.
    pub fn text(&self, position: usize) -> Result<&str, String> {
        let value = self.params.get(position).and_then(Value::as_str);
        value.ok_or_else(|| format!("value {} must be a string", position + 1))
    }
}
