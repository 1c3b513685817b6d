//! A registry with the state that its functions take. A server or a run needs both to call the functions.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::action::{Error as ActionError, Flow, Prompt, PromptReply, ResourceContents};
use crate::context::{Context, TypeMap};
use crate::error::{Error, Result};
use crate::names::suggest::unknown_name;
use crate::registry::{IntoActions, Registry};

/// A registry with the state that its functions take.
#[derive(Clone)]
pub struct BoundRegistry {
    pub registry: Registry,
    pub states: TypeMap,
}

/// The registry of an instance. It is stored in the instance's state, where functions of the instance look it up.
pub(crate) struct InstanceRegistry(Registry);

/// A callback that receives the actions of a server when the server starts.
pub type OnStart = Arc<dyn Fn(&BoundRegistry) + Send + Sync>;

impl Default for BoundRegistry {
    fn default() -> Self {
        Self { registry: Registry::global().clone(), states: TypeMap::default() }
    }
}

/// The builder of a [`BoundRegistry`].
#[derive(Default)]
pub struct BoundRegistryBuilder {
    /// `None` means the program's registry, which is not modified.
    pub registry: Option<Registry>,
    pub states: TypeMap,
}

impl BoundRegistryBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the registry.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Adds actions to the registry, or to a copy of the program's registry.
    pub fn actions(mut self, actions: impl IntoActions) -> Self {
        self.registry = Some(self.registry.unwrap_or_else(Registry::linked).add(actions));
        self
    }

    /// Adds a value for functions that take `&T`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// Checks the registry against the state.
    ///
    /// # Errors
    /// Returns the errors of [`Registry::check`], and an error if a function takes state that is missing.
    pub fn build(self) -> Result<BoundRegistry> {
        let registry = self.registry.unwrap_or_else(|| Registry::global().clone());
        registry.check_with(&self.states)?;
        let mut states = self.states;
        states.insert(InstanceRegistry(registry.clone()));
        Ok(BoundRegistry { registry, states })
    }
}

impl BoundRegistry {
    /// Returns the registry and the state of the instance that runs the current function. Returns `None` outside
    /// functions, and in the default instance.
    pub fn running() -> Option<Self> {
        let states = Context::running()?.states().clone();
        let registry = states.get::<InstanceRegistry>()?.0.clone();
        Some(Self { registry, states })
    }

    pub async fn run_flow(&self, name: &str, input: impl Serialize) -> Result<Value> {
        self.find_flow(name)?.run(input).states(&self.states).await
    }

    pub async fn stream_flow(
        &self,
        name: &str,
        input: impl Serialize,
        on_chunk: impl Fn(Value) + Send + Sync + 'static,
    ) -> Result<Value> {
        self.find_flow(name)?.run(input).states(&self.states).on_chunk(on_chunk).await
    }

    fn find_flow(&self, name: &str) -> Result<Flow> {
        self.registry.flow(name).ok_or_else(|| {
            let flows = self.registry.flows();
            not_found("flow", name, flows.iter().map(Flow::name))
        })
    }

    pub async fn render_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<PromptReply> {
        let prompt = self.registry.prompt(name).ok_or_else(|| {
            let prompts = self.registry.prompts();
            not_found("prompt", name, prompts.iter().map(Prompt::name))
        })?;
        prompt.render(arguments).states(&self.states).await
    }

    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        match self.registry.resource_for(uri, |_| true) {
            Some((resource, _)) => resource.read(uri).states(&self.states).await,
            None => Err(ActionError::ResourceNotFound(uri.to_owned()).into()),
        }
    }
}

fn not_found<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    Error::not_found(unknown_name(kind, name, known))
}
