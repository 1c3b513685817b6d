//! The instance that runs use: a registry with its state, models, middleware and store.

mod builder;
mod live_streams;
mod models;
mod prompt_files;
mod skill_dirs;

use std::ops::{Deref, DerefMut};

use genkit_core::Registry;
use genkit_core::internal::BoundRegistry;

pub use builder::InstanceBuilder;
pub use live_streams::{LiveEvent, LiveStreams};
pub use models::RunDefaults;

/// The part of a `genkit::Genkit` that runs use: the registry with its state, models, middleware and store.
///
/// Functions that take `&Instance` accept a `&Genkit`.
#[derive(Clone, Default)]
pub struct Instance {
    #[doc(hidden)]
    pub bound: BoundRegistry,
    #[doc(hidden)]
    pub runs: RunDefaults,
}

#[doc(hidden)]
impl Instance {
    #[doc(hidden)]
    pub fn builder() -> InstanceBuilder {
        InstanceBuilder::default()
    }

    /// Returns the instance that runs the current function.
    #[doc(hidden)]
    pub fn running() -> Option<Self> {
        let bound = BoundRegistry::running()?;
        let runs = bound.states.get::<RunDefaults>().cloned()?;
        Some(Self { bound, runs })
    }

    #[doc(hidden)]
    pub fn registry(&self) -> &Registry {
        &self.bound.registry
    }
}

#[doc(hidden)]
impl Deref for Instance {
    type Target = BoundRegistry;

    fn deref(&self) -> &BoundRegistry {
        &self.bound
    }
}

#[doc(hidden)]
impl DerefMut for Instance {
    fn deref_mut(&mut self) -> &mut BoundRegistry {
        &mut self.bound
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("registry", &self.bound.registry).finish_non_exhaustive()
    }
}
