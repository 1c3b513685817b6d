//! A turn of a run, which the program may change before the model is called.

use std::sync::Arc;

use serde_json::Value;

use genkit_core::BoxFuture;
use genkit_core::Message;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::glob::matches_glob;
use genkit_core::{ModelRequest, ToolChoice, Usage};
use genkit_model::{IntoModel, IntoResult, ModelRef};

/// A turn of a run before its model call: see [`Generate::before_turn`](crate::Generate::before_turn).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Turn {
    /// The model request of this turn. Changes apply to this turn only; the history of the run is unchanged.
    pub request: ModelRequest,
    pub(crate) round: usize,
    pub(crate) usage: Usage,
    pub(crate) requests: u64,
    pub(crate) model: Option<ModelRef>,
    pub(crate) wrong: Option<E>,
}

impl Turn {
    /// Returns the number of completed rounds of tool calls, which is 0 in the first turn.
    pub fn completed_rounds(&self) -> usize {
        self.round
    }

    /// Returns the number of completed rounds of tool calls.
    #[deprecated(note = "renamed to `completed_rounds`")]
    pub fn round(&self) -> usize {
        self.completed_rounds()
    }

    /// Returns the conversation so far.
    pub fn messages(&self) -> &[Message] {
        &self.request.messages
    }

    /// Returns the usage of the run so far.
    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Returns the number of model calls so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Sets the model of this turn. The API key, base URL and version in the settings of the run are not sent to this
    /// model.
    #[must_use]
    pub fn with_model(mut self, model: impl IntoModel) -> Self {
        self.model = Some(model.into_model());
        self
    }

    /// Restricts this turn to these tools of the run, by name or by pattern with `*`. The run fails if a name matches
    /// no tool of the run. If the model calls another tool, it receives an error.
    #[must_use]
    pub fn with_tools<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<N> = names.into_iter().collect();
        let tools = &mut self.request.tools;
        for name in names.iter().map(AsRef::as_ref).filter(|name| !name.contains('*')) {
            if !tools.iter().any(|tool| tool.name == name) {
                let known = tools.iter().map(|tool| tool.name.as_str());
                self.wrong = Some(E::TurnWithoutTool(
                    genkit_core::internal::suggest::unknown_name("tool", name, known),
                ));
            }
        }
        tools.retain(|tool| names.iter().any(|name| matches_glob(name.as_ref(), &tool.name)));
        if tools.is_empty() {
            self.request.tool_choice = None;
        }
        self
    }

    /// Sets the tool choice of this turn.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.request.tool_choice = Some(choice);
        self
    }

    /// Adds a model setting, or replaces the setting with the same name.
    #[must_use]
    pub fn with_config(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.request.config.insert(key.into(), value.into());
        self
    }
}

impl IntoResult<Turn> for Turn {
    fn into_result(self) -> Result<Turn> {
        Ok(self)
    }
}

/// A closure that runs before a turn.
pub(crate) type BeforeTurn = Arc<dyn Fn(Turn) -> BoxFuture<'static, Result<Turn>> + Send + Sync>;
