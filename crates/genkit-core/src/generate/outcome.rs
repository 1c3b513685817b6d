//! Tool calls as middleware sees them, and what becomes of them.

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

/// Tool call, before it runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCall {
    pub tool: Option<Tool>,
    /// Tool request: what the model asks for. A middleware may change the input.
    pub request: ToolRequest,
    /// Whether somebody gave another input than the model.
    pub edited: bool,
    pub index: usize,
    pub around: AroundCall,
}

/// What each model call of one tool call used.
pub type Tally = Arc<Mutex<Vec<Usage>>>;

/// What a call is run with that is none of a middleware's business.
#[derive(Clone, Default)]
pub struct AroundCall {
    pub tally: Tally,
    /// Where it is saved what it did.
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

    /// A call of `tool` that no model asks for.
    pub fn of(tool: Tool, request: ToolRequest) -> Self {
        let around = AroundCall::default();
        Self { tool: Some(tool), request, edited: false, index: 0, around }
    }

    /// Tool of the call; `None` if the model asks for one that there is not.
    pub fn tool(&self) -> Option<&Tool> {
        self.tool.as_ref()
    }

    /// Tool request: what the model asks for.
    pub fn request(&self) -> &ToolRequest {
        &self.request
    }
}

/// Tool outcome: what became of a tool call.
#[derive(Clone, Debug)]
pub struct ToolOutcome(pub CallOutcome);

/// The outcome of a tool call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallOutcome {
    /// The tool's answer, as a part of the tool message.
    Answered(Box<Part>),
    /// It asks somebody: a human in the loop.
    Interrupted(Box<Suspended>),
}

impl ToolOutcome {
    /// Outcome of a call that was answered.
    pub fn respond(response: ToolResponse) -> Self {
        Self::answered(response, Map::new())
    }

    /// Outcome that interrupts the run, with this as what is asked.
    pub fn interrupt(metadata: impl Into<Value>) -> Self {
        Self::suspended(Suspended::plain(metadata.into()))
    }

    /// Response of the tool; `None` if the call asks.
    pub fn response(&self) -> Option<&ToolResponse> {
        match &self.0 {
            CallOutcome::Answered(part) => part.as_tool_response(),
            CallOutcome::Interrupted(_) => None,
        }
    }

    /// Response of the tool, to be put into a history; an error if the call asks.
    ///
    /// # Errors
    /// [`FailedPrecondition`](crate::ErrorKind::FailedPrecondition) where the call asks something.
    pub fn into_response(self) -> Result<ToolResponse> {
        match self.0 {
            CallOutcome::Answered(part) => match *part {
                Part::ToolResponse { tool_response, .. } => Ok(tool_response),
                _ => Err(E::NoAnswer.into()),
            },
            CallOutcome::Interrupted(_) => Err(E::CallAsks.into()),
        }
    }

    /// Interrupts: the open questions, where `request` is the call that asks.
    pub fn interrupts(&self, request: &ToolRequest) -> Vec<Interrupt> {
        match &self.0 {
            CallOutcome::Answered(_) => Vec::new(),
            CallOutcome::Interrupted(suspended) => {
                let mut part = Part::tool_request(request.clone());
                suspended.as_ref().clone().write(&mut part);
                Interrupt::of_part(&part)
            }
        }
    }

    /// Whether the call interrupts: asks somebody.
    pub fn is_interrupted(&self) -> bool {
        matches!(self.0, CallOutcome::Interrupted(_))
    }

    pub fn answered(response: ToolResponse, metadata: Map<String, Value>) -> Self {
        let part = Part::ToolResponse { tool_response: response, metadata };
        Self(CallOutcome::Answered(Box::new(part)))
    }

    pub fn into_suspended(self) -> Option<Suspended> {
        match self.0 {
            CallOutcome::Answered(_) => None,
            CallOutcome::Interrupted(suspended) => Some(*suspended),
        }
    }

    pub fn suspended(suspended: Suspended) -> Self {
        Self(CallOutcome::Interrupted(Box::new(suspended)))
    }
}
