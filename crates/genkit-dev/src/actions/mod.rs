//! All actions of the program by key, with JSON input and output, for both versions of the reflection protocol.

mod genkit_schemas;
mod key;
mod listing;
mod metadata;
mod run;
mod running;
mod status;
mod values;

use std::sync::{Arc, RwLock};

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use running::{ActionRun, RunEvent};
pub(crate) use status::ErrorStatus;

use self::running::RunningActions;
use genkit_agent::Instance;
use genkit_core::internal::sync::{read, write};

/// The maximum number of instances whose actions are shown. Default is 64.
const MAX_INSTANCES: usize = 64;

/// The actions of all instances that this program serves, and the actions that are running.
#[derive(Clone, Default)]
pub(crate) struct ActionsByKey {
    instances: Arc<RwLock<Vec<Instance>>>,
    running: Arc<RunningActions>,
}

/// A request to run an action, as sent in both versions of the reflection protocol.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionRequest {
    pub(crate) key: String,
    #[serde(default)]
    input: Option<Value>,
    /// The session of an agent.
    #[serde(default)]
    init: Option<Value>,
    #[serde(default)]
    context: Option<Map<String, Value>>,
    #[serde(default)]
    telemetry_labels: Option<Map<String, Value>>,
}

/// Omits the input and the context, which can contain secrets, especially in `auth`.
impl std::fmt::Debug for ActionRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActionRequest").field("key", &self.key).finish_non_exhaustive()
    }
}

impl ActionsByKey {
    /// Adds the actions of an instance. If several instances have an action with the same key, the first is used.
    pub(crate) fn add(&self, genkit: &Instance) {
        let mut instances = write(&self.instances);
        if instances.iter().any(|known| known.registry.is(&genkit.registry)) {
            return;
        }
        if instances.len() >= MAX_INSTANCES {
            tracing::warn!(
                "Genkit's developer tools show only the first {MAX_INSTANCES} `Genkit` instances of this program; \
                 later ones are ignored"
            );
            return;
        }
        if !instances.is_empty() {
            tracing::info!(
                "Genkit's developer tools show the actions of several `Genkit` instances of this program; if two actions \
                 have the same key, the one of the instance that was served first is run"
            );
        }
        instances.push(genkit.clone());
    }

    fn instances(&self) -> Vec<Instance> {
        read(&self.instances).clone()
    }

    /// Cancels the action with this trace id. Returns whether it was running.
    pub(crate) fn cancel_run(&self, trace_id: &str) -> bool {
        self.running.cancel_run(trace_id)
    }
}

#[cfg(test)]
mod tests;
