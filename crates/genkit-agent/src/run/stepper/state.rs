//! The state of a run as versioned data.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::Run;
use super::names::RunNames;
use crate::run::budget::{Budget, SpentUsage};
use crate::run::driver::Driver;
use crate::run::limits::RunLimits;
use crate::run::settings::{OnToolError, RunSettings};
use crate::run::turn::{MachineState, TurnMachine, TurnRules};
use genkit_core::Message;
use genkit_core::ToolDefinition;
use genkit_core::UsageLimit;

/// The version of the stored state of a run.
const VERSION: u32 = 1;

/// The state of a [`Run`] as plain data. Any process with the same registry can continue the run, with [`Run::resume`]
/// or [`Generate::resume_run`](crate::Generate::resume_run).
///
/// Code is stored by name: the model, tools and middleware. Account settings of the model (`apiKey`, `baseUrl`) are not
/// stored. The conversation in the state is not encrypted, so protect the state accordingly.
///
/// The same state always leads to the same next step. The state contains a schema version: a program reads its own and
/// older versions, and returns an error for newer versions.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    version: Version,
    #[doc(hidden)]
    pub names: RunNames,
    settings: SavedSettings,
    #[serde(default)]
    usage_limit: UsageLimit,
    #[serde(default)]
    spent: SpentUsage,
    /// The tools that the last model call offered. `None` means that it offered all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offered: Option<Vec<String>>,
    pub(super) machine: MachineState,
    /// The conversation so far. Messages are only appended.
    #[serde(default)]
    #[doc(hidden)]
    pub messages: Vec<Message>,
}

/// The version, which is deserialized first, because a newer version may have different fields.
#[derive(Clone, Copy)]
struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            VERSION => Ok(Self),
            other => Err(serde::de::Error::custom(format!(
                "the state of this run has schema version {other}, but this program supports {VERSION}; resume it with \
                 the version of the program that stored it"
            ))),
        }
    }
}

/// The settings that are plain data, with durations in milliseconds.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedSettings {
    tool_timeout_ms: u64,
    model_timeout_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
    max_output: usize,
    parallel_tools: usize,
    #[serde(default)]
    fails_on_tool_errors: bool,
    #[serde(default)]
    exact_args: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    action_context: Map<String, Value>,
}

impl SavedSettings {
    fn from_settings(settings: &RunSettings) -> Self {
        let limits = &settings.limits;
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            tool_timeout_ms: millis(limits.tool_timeout),
            model_timeout_ms: millis(limits.model_timeout),
            deadline_ms: limits.deadline.map(millis),
            max_output: limits.max_output,
            parallel_tools: limits.parallel_tools,
            fails_on_tool_errors: settings.on_tool_error == OnToolError::Abort,
            exact_args: settings.exact_args,
            action_context: (*settings.action_context).clone(),
        }
    }

    fn apply_to(&self, settings: &mut RunSettings) {
        settings.limits = RunLimits {
            tool_timeout: Duration::from_millis(self.tool_timeout_ms),
            model_timeout: Duration::from_millis(self.model_timeout_ms),
            deadline: self.deadline_ms.map(Duration::from_millis),
            max_output: self.max_output,
            parallel_tools: self.parallel_tools,
        };
        if self.fails_on_tool_errors {
            settings.on_tool_error = OnToolError::Abort;
        }
        settings.exact_args = self.exact_args;
        if settings.action_context.is_empty() {
            settings.action_context = Arc::new(self.action_context.clone());
        }
    }
}

impl RunState {
    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.names.model
    }

    /// Returns the names of the tools.
    pub fn tools(&self) -> &[String] {
        &self.names.tools
    }

    /// Returns the history: the conversation so far, without the message in progress.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the timeout of a model call.
    #[doc(hidden)]
    pub fn model_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.model_timeout_ms)
    }

    /// Returns the timeout of a tool call, for tools that do not set their own.
    #[doc(hidden)]
    pub fn tool_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.tool_timeout_ms)
    }

    /// Returns the state without its first `known` messages.
    #[doc(hidden)]
    pub fn without_first(&self, known: usize) -> Self {
        let messages = self.messages.iter().skip(known).cloned().collect();
        Self { messages, ..self.clone() }
    }

    /// Writes the stored settings into `settings`.
    pub(crate) fn apply_to(&self, settings: &mut RunSettings) {
        self.settings.apply_to(settings);
    }

    pub(crate) fn restore_budget(&self) -> Budget {
        Budget::with_spent(self.usage_limit, self.spent.clone())
    }

    pub(crate) fn turn_rules(&self) -> TurnRules {
        self.machine.rules.clone()
    }

    /// Returns the model settings.
    pub(crate) fn config_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.machine.request.config
    }
}

impl Run {
    /// Returns the state of the run: everything that another process needs to continue. A failed run cannot be
    /// continued from its state; its error holds the partial response.
    pub fn state(&self) -> RunState {
        self.state_after(0)
    }

    /// Returns the state without the first `known` messages, which are already stored.
    #[doc(hidden)]
    pub fn state_after(&self, known: usize) -> RunState {
        let env = &self.driver.env;
        let (machine, messages) = self.machine.save_state(known);
        RunState {
            version: Version,
            names: (*self.names).clone(),
            settings: SavedSettings::from_settings(&env.settings),
            usage_limit: env.budget.limit(),
            spent: env.budget.spent(),
            offered: env.tools.offered_names(),
            machine,
            messages,
        }
    }

    /// Restores a run from `state`. `driver` must have been prepared for it.
    pub(crate) fn restore(
        driver: Arc<Driver>,
        tools: Vec<ToolDefinition>,
        state: RunState,
    ) -> Self {
        driver.env.tools.set_offered(state.offered);
        let machine = TurnMachine::restore(state.machine, state.messages, tools);
        Self::new(driver, machine).with_names(state.names)
    }

    /// Restores a run that is nested in a durable call. `driver` was prepared for the start of the run.
    pub(super) fn restore_inside(
        driver: Arc<Driver>,
        tools: Vec<ToolDefinition>,
        state: RunState,
    ) -> Self {
        driver.env.tools.set_offered(state.offered);
        driver.env.budget.replace_spent(state.spent);
        let machine = TurnMachine::restore(state.machine, state.messages, tools);
        Self::new(driver, machine)
    }
}

/// Prints counts only.
impl std::fmt::Debug for RunState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunState")
            .field("model", &self.names.model)
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}
