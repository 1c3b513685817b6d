//! All actions of the program by key, with JSON in and JSON out: both protocols are built on it.

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

/// Instances that are seen at once. Default is 64.
const MAX_INSTANCES: usize = 64;

/// The actions of all instances that this program serves, and those of them that run.
#[derive(Clone, Default)]
pub(crate) struct ActionsByKey {
    instances: Arc<RwLock<Vec<Instance>>>,
    running: Arc<RunningActions>,
}

/// A request to run an action, as both protocols send it.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionRequest {
    pub(crate) key: String,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    context: Option<Map<String, Value>>,
    #[serde(default)]
    telemetry_labels: Option<Map<String, Value>>,
}

/// What it is given may be secret, `auth` above all.
impl std::fmt::Debug for ActionRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActionRequest").field("key", &self.key).finish_non_exhaustive()
    }
}

impl ActionsByKey {
    /// Shows the actions of one more instance. Where two have one key, that of the first counts.
    pub(crate) fn add(&self, genkit: &Instance) {
        let mut instances = write(&self.instances);
        if instances.iter().any(|known| known.registry.is(&genkit.registry)) {
            return;
        }
        if instances.len() >= MAX_INSTANCES {
            tracing::warn!(
                "Genkit's developer tools see the first {MAX_INSTANCES} instances of this program, and \
                 not those that are served after them"
            );
            return;
        }
        if !instances.is_empty() {
            tracing::info!(
                "Genkit's developer tools see the actions of several instances of this program; of two \
                 with one key they run that of the instance that was served first"
            );
        }
        instances.push(genkit.clone());
    }

    fn instances(&self) -> Vec<Instance> {
        read(&self.instances).clone()
    }

    /// Stops the action whose trace this is; returns whether it ran.
    pub(crate) fn cancel(&self, trace_id: &str) -> bool {
        self.running.cancel(trace_id)
    }
}

#[cfg(test)]
mod tests;
