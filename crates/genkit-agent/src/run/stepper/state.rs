//! The state of a run as data with a schema number.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::Run;
use super::names::RunNames;
use crate::run::budget::{Budget, Spent};
use crate::run::driver::Driver;
use crate::run::limits::RunLimits;
use crate::run::settings::{OnToolError, RunSettings};
use crate::run::turn::{MachineState, TurnMachine, TurnRules};
use genkit_core::Message;
use genkit_core::ToolDefinition;
use genkit_core::UsageLimit;

/// The schema number of what is stored of a run.
const VERSION: u32 = 1;

/// The state of a [`Run`]: plain data, from which any process that has the same registry goes on, with
/// [`Run::resume`] or [`Generate::resume_run`](crate::Generate::resume_run).
///
/// What of a run is code stands in it by name: model, tools, middleware. A key of the model's account
/// (`apiKey`, `baseUrl`) is not in it. It holds the conversation, unencrypted: it is as secret as that.
///
/// The same state always says the same next step. It has a schema number: a program reads what itself and older
/// versions wrote, and says so of a newer one.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    version: Version,
    pub names: RunNames,
    settings: SavedSettings,
    #[serde(default)]
    usage_limit: UsageLimit,
    #[serde(default)]
    spent: Spent,
    /// The tools that the last model call was offered, where those were not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offered: Option<Vec<String>>,
    pub(super) machine: MachineState,
    /// The conversation so far, which only grows.
    #[serde(default)]
    pub messages: Vec<Message>,
}

/// The number, which is read first: what comes after it may be unknown.
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
                "the state of this run has the schema {other}, and this program reads {VERSION}: go on with the \
                 version of the program that stored it"
            ))),
        }
    }
}

/// The settings that are data; times in milliseconds.
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
    fn of(settings: &RunSettings) -> Self {
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

    fn apply(&self, settings: &mut RunSettings) {
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
    /// Model by its name.
    pub fn model(&self) -> &str {
        &self.names.model
    }

    /// Tools by their names.
    pub fn tools(&self) -> &[String] {
        &self.names.tools
    }

    /// History: the conversation so far, without the message that is under way.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How long one model call of it may take.
    pub fn model_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.model_timeout_ms)
    }

    /// How long one tool call of it may take, where the tool does not say otherwise.
    pub fn tool_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.tool_timeout_ms)
    }

    /// The same without its first `known` messages.
    pub fn without_first(&self, known: usize) -> Self {
        let messages = self.messages.iter().skip(known).cloned().collect();
        Self { messages, ..self.clone() }
    }

    /// Gives `settings` what is stored of them.
    pub(crate) fn apply(&self, settings: &mut RunSettings) {
        self.settings.apply(settings);
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget::restored(self.usage_limit, self.spent.clone())
    }

    pub(crate) fn rules(&self) -> TurnRules {
        self.machine.rules.clone()
    }

    /// The settings of the model.
    pub(crate) fn config_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.machine.request.config
    }
}

impl Run {
    /// State of the run: all that another process needs to go on. A run that has failed has none of
    /// use: its error owns what was done.
    pub fn state(&self) -> RunState {
        self.state_after(0)
    }

    /// The same without the first `known` messages, which are stored already.
    pub fn state_after(&self, known: usize) -> RunState {
        let env = &self.driver.env;
        let (machine, messages) = self.machine.saved(known);
        RunState {
            version: Version,
            names: (*self.names).clone(),
            settings: SavedSettings::of(&env.settings),
            usage_limit: env.budget.limit(),
            spent: env.budget.spent(),
            offered: env.tools.offered(),
            machine,
            messages,
        }
    }

    /// The run of `state`, which `driver` was prepared for.
    pub(crate) fn restored(
        driver: Arc<Driver>,
        tools: Vec<ToolDefinition>,
        state: RunState,
    ) -> Self {
        driver.env.tools.set_offered(state.offered);
        let machine = TurnMachine::restored(state.machine, state.messages, tools);
        Self::new(driver, machine).named(state.names)
    }
}

/// Counts, never content.
impl std::fmt::Debug for RunState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunState")
            .field("model", &self.names.model)
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}
