//! The instance that a server serves: a registry with its state, middleware, and stores.

use std::ops::{Deref, DerefMut};

use genkit_core::internal::{BoundRegistry, OnStart};
use genkit_core::{BoxFuture, Result};

/// An operator command, which takes its arguments and returns the text to print.
pub type OperatorCommand =
    std::sync::Arc<dyn Fn(Vec<String>) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// A registry with its state, and the other parts of an instance that a server uses.
#[derive(Clone, Default)]
pub struct ServedInstance {
    pub bound: BoundRegistry,
    /// Middleware around tool calls.
    #[cfg(feature = "generate")]
    pub middleware: Vec<std::sync::Arc<dyn genkit_agent::middleware::Middleware>>,
    /// The store of tasks. `None` means an in-memory store.
    #[cfg(feature = "durable")]
    pub store: Option<std::sync::Arc<dyn genkit_core::RunStore>>,
    /// The subcommand `runs` of the command line. `None` if the instance has no store of durable runs.
    pub runs_command: Option<OperatorCommand>,
    /// Called once when the server starts.
    pub on_start: Option<OnStart>,
}

#[cfg(test)]
impl ServedInstance {
    /// Creates an instance with only this registry.
    pub(crate) fn with_registry(registry: genkit_core::Registry) -> Self {
        let bound = BoundRegistry { registry, ..BoundRegistry::default() };
        Self { bound, ..Self::default() }
    }
}

impl Deref for ServedInstance {
    type Target = BoundRegistry;

    fn deref(&self) -> &BoundRegistry {
        &self.bound
    }
}

impl DerefMut for ServedInstance {
    fn deref_mut(&mut self) -> &mut BoundRegistry {
        &mut self.bound
    }
}
