//! The builder of a Genkit instance.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::Instance;
use super::models::RunDefaults;
use crate::middleware::Middleware;
use crate::prompts_dir::PromptFiles;
use genkit_core::Result;
use genkit_core::RunStore;
use genkit_core::internal::BoundRegistryBuilder;
use genkit_core::{IntoActions, Registry};
use genkit_model::{Embedder, IntoModel, Model, Provider};

/// The minimum lease of a durable run. Default is 100 ms.
const MIN_LEASE: Duration = Duration::from_millis(100);

/// The builder of an [`Instance`]; `genkit::GenkitBuilder` documents its methods.
#[derive(Default)]
#[must_use = "a builder does nothing until `.build()`"]
pub struct InstanceBuilder {
    pub(super) bound: BoundRegistryBuilder,
    runs: RunDefaults,
    pub(super) prompts: PromptFiles,
    pub(super) skill_dirs: Vec<std::path::PathBuf>,
}

impl InstanceBuilder {
    pub fn registry(mut self, registry: Registry) -> Self {
        self.bound = self.bound.registry(registry);
        self
    }

    pub fn actions(mut self, actions: impl IntoActions) -> Self {
        self.bound = self.bound.actions(actions);
        self
    }

    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.bound = self.bound.state(value);
        self
    }

    pub fn build(self) -> Result<Instance> {
        self.with_prompt_files()?.with_skill_dirs()?.build_checked()
    }

    fn build_checked(self) -> Result<Instance> {
        let mut bound = self.bound.build()?;
        bound.states.insert(self.runs.clone());
        Ok(Instance { bound, runs: self.runs })
    }

    pub fn default_model(mut self, model: impl IntoModel) -> Self {
        self.runs.models.set_default(model.into_model());
        self
    }

    pub fn model(mut self, model: impl Model) -> Self {
        self.runs.models.add(Arc::new(model));
        self
    }

    pub fn embedder(mut self, embedder: impl Embedder) -> Self {
        self.runs.models.add_embedder(Arc::new(embedder));
        self
    }

    pub fn provider(mut self, provider: impl Provider) -> Self {
        self.runs.models.add_provider(Arc::new(provider));
        self
    }

    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.runs.middleware.push(Arc::new(middleware));
        self
    }

    pub fn named_middleware(
        mut self,
        name: impl Into<String>,
        middleware: impl Middleware,
    ) -> Self {
        self.runs.named_middleware.add(name.into(), Arc::new(middleware));
        self
    }

    pub fn configured_middleware<C, M>(
        mut self,
        name: impl Into<String>,
        make: impl Fn(C) -> Result<M> + Send + Sync + 'static,
    ) -> Self
    where
        C: DeserializeOwned,
        M: Middleware,
    {
        self.runs.named_middleware.add_configured(name.into(), make);
        self
    }

    pub fn durable(mut self, store: impl RunStore) -> Self {
        self.runs.store = Some(Arc::new(store));
        self
    }

    pub fn durable_lease(mut self, lease: Duration) -> Self {
        self.runs.lease = Some(lease.max(MIN_LEASE));
        self
    }

    pub fn durable_build(mut self, build: impl Into<String>) -> Self {
        self.runs.build = Some(build.into());
        self
    }

    pub fn trace_contents(mut self, yes: bool) -> Self {
        self.runs.trace_contents = yes;
        self
    }
}
