//! Tool calls and their outcomes, as seen by middleware.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::action::Tool;
use crate::context::Journal;
use crate::error::Result;
use crate::generate::error::Error as E;
use crate::generate::interrupt::Interrupt;
use crate::generate::interrupt::Suspended;
use crate::message::{Part, ToolRequest, ToolResponse};
use crate::model::Usage;

/// A tool call, before it runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCall {
    #[doc(hidden)]
    pub tool: Option<Tool>,
    /// The tool request from the model. Middleware may change its input.
    pub request: ToolRequest,
    /// Whether the caller replaced the model's input.
    #[doc(hidden)]
    pub edited: bool,
    #[doc(hidden)]
    pub index: usize,
    #[doc(hidden)]
    pub around: AroundCall,
}

/// The usage of each model call within one tool call.
pub type Tally = Arc<Mutex<Vec<Usage>>>;

/// Internal data of a call, which middleware does not access.
#[derive(Clone, Default)]
pub struct AroundCall {
    pub tally: Tally,
    /// The journal that records the results of the call.
    pub journal: Option<Arc<dyn Journal>>,
}

impl std::fmt::Debug for AroundCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AroundCall").field("saved", &self.journal.is_some()).finish()
    }
}

impl ToolCall {
    #[doc(hidden)]
    pub fn new(
        tool: Option<Tool>,
        request: ToolRequest,
        edited: bool,
        index: usize,
        around: AroundCall,
    ) -> Self {
        Self { tool, request, edited, index, around }
    }

    /// Creates a call to `tool` that was not requested by a model.
    #[doc(hidden)]
    pub fn from_tool(tool: Tool, request: ToolRequest) -> Self {
        let around = AroundCall::default();
        Self { tool: Some(tool), request, edited: false, index: 0, around }
    }

    /// Returns the tool of the call. Returns `None` if the requested tool does not exist.
    pub fn tool(&self) -> Option<&Tool> {
        self.tool.as_ref()
    }

    /// Returns the tool request from the model.
    pub fn request(&self) -> &ToolRequest {
        &self.request
    }
}

/// The outcome of a tool call: a response, or open questions.
#[derive(Clone, Debug)]
pub struct ToolOutcome(#[doc(hidden)] pub CallOutcome);

/// The outcome of a tool call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallOutcome {
    /// The response of the tool, as a part of the tool message.
    Answered(Box<Part>),
    /// The call waits for a user (human in the loop).
    Interrupted(Box<Suspended>),
}

impl ToolOutcome {
    /// Creates the outcome of a call with a response.
    pub fn respond(response: ToolResponse) -> Self {
        Self::from_response(response, Map::new())
    }

    /// Creates an outcome that interrupts the run. `metadata` describes the question.
    pub fn interrupt(metadata: impl Into<Value>) -> Self {
        Self::from_suspended(Suspended::from_metadata(metadata.into()))
    }

    /// Returns the response of the tool. Returns `None` if the call is interrupted.
    pub fn response(&self) -> Option<&ToolResponse> {
        match &self.0 {
            CallOutcome::Answered(part) => part.as_tool_response(),
            CallOutcome::Interrupted(_) => None,
        }
    }

    /// Returns the response of the tool by value, for example to add it to a history.
    ///
    /// # Errors
    /// Returns [`FailedPrecondition`](crate::ErrorKind::FailedPrecondition) if the call is interrupted.
    pub fn into_response(self) -> Result<ToolResponse> {
        match self.0 {
            CallOutcome::Answered(part) => match *part {
                Part::ToolResponse { tool_response, .. } => Ok(tool_response),
                _ => Err(E::ResumeContent.into()),
            },
            CallOutcome::Interrupted(_) => Err(E::CallInterrupted.into()),
        }
    }

    /// Returns the interrupts: the open questions of the call `request`.
    pub fn interrupts(&self, request: &ToolRequest) -> Vec<Interrupt> {
        match &self.0 {
            CallOutcome::Answered(_) => Vec::new(),
            CallOutcome::Interrupted(suspended) => {
                let mut part = Part::tool_request(request.clone());
                suspended.as_ref().clone().write(&mut part);
                Interrupt::from_part(&part)
            }
        }
    }

    /// Returns `true` if the call is interrupted and waits for answers.
    pub fn is_interrupted(&self) -> bool {
        matches!(self.0, CallOutcome::Interrupted(_))
    }

    #[doc(hidden)]
    pub fn from_response(response: ToolResponse, metadata: Map<String, Value>) -> Self {
        let part = Part::ToolResponse { tool_response: response, metadata };
        Self(CallOutcome::Answered(Box::new(part)))
    }

    pub(crate) fn into_suspended(self) -> Option<Suspended> {
        match self.0 {
            CallOutcome::Answered(_) => None,
            CallOutcome::Interrupted(suspended) => Some(*suspended),
        }
    }

    #[doc(hidden)]
    pub fn from_suspended(suspended: Suspended) -> Self {
        Self(CallOutcome::Interrupted(Box::new(suspended)))
    }
}
